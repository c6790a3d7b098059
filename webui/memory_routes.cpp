#include "webui/memory_json.hpp"
#include "webui/paging.hpp"
#include "webui/routes.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace outrider::webui {
namespace {

// Where nobody logs in, the holder of the token is the person whose memory this is.
Viewer viewer_of(const ApiRequest& request) {
  return Viewer{request.user};
}

template <class Items>
json::object list_of(std::string_view name, const Items& items, std::string_view next) {
  json::array list;
  for (const auto& item : items) list.push_back(json_of(item));
  return {{name, std::move(list)}, {"next", next.empty() ? json::value(nullptr) : json::value(next)}};
}

constexpr std::size_t kMostHops = 10;

// Where the redirects lead, as far as the viewer's memory knows.
json::array chain_from(const Memory& memory, const Viewer& viewer, std::string next) {
  json::array chain;
  while (!next.empty() && chain.size() < kMostHops) {
    if (std::find(chain.begin(), chain.end(), json::value(next)) != chain.end()) break;
    chain.emplace_back(next);
    const auto hop = memory.node(viewer, next, false);
    next = hop && *hop ? (*hop)->redirects_to : "";
  }
  return chain;
}

ApiReply node(Memory& memory, const ApiRequest& request) {
  const auto url = request.parameter("url");
  if (!url) return bad_request("\"url\" is missing");
  const bool with_text = request.parameter("text").value_or("") == "true";
  const auto found = memory.node(viewer_of(request), *url, with_text);
  if (!found) return problem_of(found.error());
  if (!*found) return nothing_here("Nothing is known about this address.");
  json::object reply = json_of(**found);
  reply["redirect_chain"] = chain_from(memory, viewer_of(request), (*found)->redirects_to);
  return ApiReply::of(reply);
}

ApiReply links(Memory& memory, const ApiRequest& request) {
  const auto url = request.parameter("url");
  if (!url) return bad_request("\"url\" is missing");
  const std::string_view direction = request.parameter("direction").value_or("out");
  if (direction != "in" && direction != "out") return bad_request("\"direction\" must be in or out");
  const Result<Page> page = page_of(request, 100, 1000);
  if (!page) return problem_of(page.error());
  LinkQuery query;
  query.limit = page->limit;
  query.after = page->cursor;
  const Viewer viewer = viewer_of(request);
  const auto found = direction == "in" ? memory.links_to(viewer, *url, query) : memory.links_from(viewer, *url, query);
  if (!found) return problem_of(found.error());
  return ApiReply::of(list_of("links", found->links, found->next));
}

ApiReply visits(Memory& memory, const ApiRequest& request) {
  const Result<Page> page = page_of(request, 50, 1000);
  if (!page) return problem_of(page.error());
  const auto from = time_in(request, "from");
  const auto until = time_in(request, "until");
  if (!from || !until) return problem_of(from ? until.error() : from.error());
  VisitQuery query;
  query.from = *from;
  query.until = *until;
  query.site = request.parameter("site").value_or("");
  query.url = request.parameter("url").value_or("");
  query.limit = page->limit;
  if (!page->cursor.empty()) {
    const auto before = parse_number(page->cursor);
    if (!before) return bad_request("\"cursor\" is not one of ours");
    query.before = *before;
  }
  const auto found = memory.visits(viewer_of(request), query);
  if (!found) return problem_of(found.error());
  const bool more = found->size() == query.limit;
  return ApiReply::of(list_of("visits", *found, more ? std::to_string(found->back().id) : ""));
}

ApiReply trail(Memory& memory, const ApiRequest& request) {
  const auto visit = parse_number(request.parameter("visit").value_or(""));
  if (!visit) return bad_request("\"visit\" must be the id of a visit");
  const Result<Page> page = page_of(request, 50, 1000);
  if (!page) return problem_of(page.error());
  const auto found = memory.trail(viewer_of(request), *visit, page->limit);
  if (!found) return problem_of(found.error());
  return ApiReply::of(list_of("trail", *found, ""));
}

ApiReply search(Memory& memory, const ApiRequest& request) {
  const Result<Page> page = page_of(request, 10, 100);
  if (!page) return problem_of(page.error());
  SearchRequest question;
  question.query = request.parameter("q").value_or("");
  if (question.query.empty()) return bad_request("\"q\" is missing");
  question.limit = page->limit;
  if (!page->cursor.empty()) {
    const auto offset = parse_number(page->cursor);
    if (!offset || *offset > 100'000) return bad_request("\"cursor\" is not one of ours");
    question.offset = static_cast<std::size_t>(*offset);
  }
  const auto answer = memory.search(viewer_of(request), question);
  if (!answer) return problem_of(answer.error());
  const std::uint64_t shown_so_far = question.offset + answer->hits.size();
  const bool more = answer->hits.size() == question.limit && shown_so_far < answer->estimated_total;
  json::object reply = list_of("hits", answer->hits, more ? std::to_string(shown_so_far) : "");
  reply["estimated_total"] = answer->estimated_total;
  reply["suggestion"] = answer->suggestion;
  reply["took_us"] = answer->took_us;
  return ApiReply::of(reply);
}

ApiReply stats(Memory& memory, const ApiRequest&) {
  return ApiReply::of(json_of(memory.stats()));
}

}  // namespace

void add_memory_routes(Router& router, const Ports& ports) {
  const auto add = [&](std::string_view pattern, ApiReply (*handler)(Memory&, const ApiRequest&),
                       Role needed = Role::user) {
    router.add(Method::get, pattern, needed, [&ports, handler](const ApiRequest& request) {
      if (ports.memory == nullptr) return not_connected("This Outrider has no memory of pages.");
      return handler(*ports.memory, request);
    });
  };
  add("/api/v1/nodes", node);
  add("/api/v1/links", links);
  add("/api/v1/visits", visits);
  add("/api/v1/trail", trail);
  add("/api/v1/search", search);
  add("/api/v1/memory", stats, Role::reader);
}

}  // namespace outrider::webui
