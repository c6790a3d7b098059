#include "webui/problem.hpp"
#include "webui/routes.hpp"

#include <boost/json.hpp>

namespace outrider::webui {
namespace {

ApiReply reply_of(const Result<json::object>& result) {
  if (!result) return problem_of(result.error());
  return ApiReply::of(*result);
}

// Both the stored copies and what is known of the pages; the copies first, so that nothing can be read from them anew.
ApiReply forget(const Ports& ports, const ApiRequest& request, const std::function<void()>& forgotten_all) {
  if (ports.cache == nullptr && ports.memory_control == nullptr) return not_connected("This Outrider keeps nothing.");
  boost::system::error_code failed;
  const json::value body = json::parse(request.body, failed);
  if (failed || !body.is_object() || body.get_object().size() != 1 || body.get_object().contains("forget") ||
      body.get_object().contains("older_than"))
    return bad_request(
        "Say exactly one of {\"url\": …}, {\"prefix\": …}, {\"site\": …}, {\"last\": \"1h\"}, {\"all\": true}.");
  json::object report;
  if (ports.cache != nullptr) {
    json::object question = body.get_object();
    question["forget"] = true;
    const Result<json::object> purged = ports.cache->purge(json::serialize(question), request.now);
    if (!purged && purged.error().kind != ErrorKind::rule_denied)
      return problem_of(purged.error());  // denied: it is off
    if (purged) report["cache"] = *purged;
  }
  if (ports.memory_control != nullptr) {
    const Result<json::object> forgotten = ports.memory_control->forget(body.get_object());
    if (!forgotten) return problem_of(forgotten.error());
    report["memory"] = *forgotten;
  }
  forgotten_all();
  return ApiReply::of(report);
}

}  // namespace

void add_cache_routes(Router& router, const Ports& ports, std::function<void()> forgotten) {
  static constexpr std::string_view kNone = "This Outrider keeps nothing.";
  router.add(Method::get, "/api/v1/cache", Role::reader, [&ports](const ApiRequest&) {
    if (ports.cache == nullptr) return not_connected(kNone);
    return reply_of(ports.cache->stats());
  });
  router.add(Method::get, "/api/v1/cache/lookup", Role::reader, [&ports](const ApiRequest& request) {
    if (ports.cache == nullptr) return not_connected(kNone);
    const auto url = request.parameter("url");
    if (!url) return bad_request("\"url\" is missing");
    return reply_of(ports.cache->lookup(*url, request.now));
  });
  router.add(Method::post, "/api/v1/cache/purge", Role::admin, [&ports](const ApiRequest& request) {
    if (ports.cache == nullptr) return not_connected(kNone);
    return reply_of(ports.cache->purge(request.body, request.now));
  });
  router.add(Method::post, "/api/v1/forget", Role::admin,
             [&ports, forgotten = std::move(forgotten)](const ApiRequest& request) {
               return forget(ports, request, forgotten);
             });
}

}  // namespace outrider::webui
