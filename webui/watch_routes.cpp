#include "plugins/api/page_watches_json.hpp"
#include "webui/problem.hpp"
#include "webui/routes.hpp"

#include <boost/json.hpp>

namespace outrider::webui {
namespace {

using WatchHandler = ApiReply (*)(PageWatches&, const ApiRequest&);

ApiReply list(PageWatches& watches, const ApiRequest&) {
  json::array pages;
  for (const WatchedPage& page : watches.watched()) pages.push_back(to_json(page));
  return ApiReply::of(json::object{{"watches", std::move(pages)}});
}

// {"url", "every"}: seconds; absent or null = as often as the page is worth it.
ApiReply create(PageWatches& watches, const ApiRequest& request) {
  boost::system::error_code failed;
  const json::value body = json::parse(request.body, failed);
  if (failed || !body.is_object()) return bad_request("The body is not a JSON object.");
  const json::value* url = body.get_object().if_contains("url");
  if (url == nullptr || !url->is_string()) return bad_request("\"url\" is missing");
  std::optional<std::chrono::seconds> every;
  if (const json::value* given = body.get_object().if_contains("every"); given != nullptr && !given->is_null()) {
    if (!given->is_int64()) return bad_request("\"every\" must be a number of seconds");
    every = std::chrono::seconds{given->get_int64()};
  }
  const Result<void> done = watches.watch(std::string{std::string_view{url->get_string()}}, every, "");
  if (!done) return problem_of(done.error());
  return ApiReply::of(json::object{{"url", url->get_string()}}, 201);
}

ApiReply remove(PageWatches& watches, const ApiRequest& request) {
  const auto url = request.parameter("url");
  if (!url) return bad_request("\"url\" is missing");
  const Result<void> done = watches.unwatch(*url);
  return done ? ApiReply::nothing() : problem_of(done.error());
}

ApiReply look(PageWatches& watches, const ApiRequest& request) {
  const auto url = request.parameter("url");
  if (!url) return bad_request("\"url\" is missing");
  const Result<void> done = watches.look_now(*url);
  return done ? ApiReply::nothing() : problem_of(done.error());
}

}  // namespace

void add_watch_routes(Router& router, const Ports& ports) {
  const auto add = [&](Method method, std::string_view pattern, Role needed, WatchHandler handler) {
    router.add(method, pattern, needed, [&ports, handler](const ApiRequest& request) {
      if (ports.watches == nullptr) return no_robot(ports);
      return handler(*ports.watches, request);
    });
  };
  add(Method::get, "/api/v1/watches", Role::reader, list);
  add(Method::post, "/api/v1/watches", Role::admin, create);
  add(Method::del, "/api/v1/watches", Role::admin, remove);
  add(Method::post, "/api/v1/watches/look", Role::admin, look);
}

}  // namespace outrider::webui
