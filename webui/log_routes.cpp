// GET /api/v1/log: the newest lines that Outrider wrote about its work, whatever their output. They hold no secrets:
// see base/log.hpp for what may be in one.
#include "base/log.hpp"
#include "webui/paging.hpp"
#include "webui/routes.hpp"
#include "webui/state_json.hpp"

#include <boost/json.hpp>

namespace outrider::webui {
namespace {

ApiReply lines(const ApiRequest& request) {
  const Result<Page> page = page_of(request, 200, log::kTailLength);
  if (!page) return problem_of(page.error());
  const std::string_view least = request.parameter("level").value_or("trace");
  const auto level = value_named<log::Level>(least);
  if (!level) return bad_request("\"level\" must be trace, debug, info, warn or error");
  std::vector<log::Record> records = log::tail();
  std::erase_if(records, [&](const log::Record& record) { return record.level < *level; });
  const std::size_t first = records.size() > page->limit ? records.size() - page->limit : 0;
  json::array list;
  for (std::size_t i = first; i < records.size(); ++i) list.push_back(json_of(records[i]));
  return ApiReply::of(json::object{{"lines", std::move(list)}, {"lost", log::lost_lines()}});
}

}  // namespace

void add_log_routes(Router& router) {
  router.add(Method::get, "/api/v1/log", Role::admin, lines);
}

}  // namespace outrider::webui
