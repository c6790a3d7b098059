#include "webui/paging.hpp"
#include "webui/problem.hpp"
#include "webui/routes.hpp"

#include <boost/json.hpp>

#include <limits>

namespace outrider::webui {
namespace {

using PluginHandler = ApiReply (*)(PluginControl&, const ApiRequest&);

ApiReply list(PluginControl& plugins, const ApiRequest&) {
  return ApiReply::of(json::object{{"plugins", plugins.list()}});
}

ApiReply card(PluginControl& plugins, const ApiRequest& request) {
  const Result<json::object> shown = plugins.card(request.in_path("name"));
  return shown ? ApiReply::of(*shown) : problem_of(shown.error());
}

ApiReply events(PluginControl& plugins, const ApiRequest& request) {
  const Result<std::optional<std::uint64_t>> after =
      number_in(request, "after", std::numeric_limits<std::uint64_t>::max());
  if (!after) return problem_of(after.error());
  return ApiReply::of(plugins.events(after->value_or(0)));
}

// {"on": true} everywhere; with "site" there; {"site": …, "on": null}: there as everywhere.
ApiReply turn(PluginControl& plugins, const ApiRequest& request) {
  boost::system::error_code failed;
  const json::value body = json::parse(request.body, failed);
  const json::object* said = failed ? nullptr : body.if_object();
  const json::value* on = said == nullptr ? nullptr : said->if_contains("on");
  const json::value* site = said == nullptr ? nullptr : said->if_contains("site");
  const bool as_everywhere = on != nullptr && on->is_null() && site != nullptr;
  if (on == nullptr || (!on->is_bool() && !as_everywhere) || (site != nullptr && !site->is_string()))
    return bad_request("Say {\"on\": true} or {\"site\": \"example.org\", \"on\": false}; null = as everywhere.");
  const std::string_view name = request.in_path("name");
  const std::string_view where = site == nullptr ? std::string_view{} : std::string_view{site->get_string()};
  const Result<void> done =
      as_everywhere ? plugins.forget_site(name, where) : plugins.turn(name, where, on->get_bool());
  return done ? list(plugins, request) : problem_of(done.error());
}

}  // namespace

void add_plugin_routes(Router& router, const Ports& ports) {
  const auto add = [&](Method method, std::string_view pattern, Role needed, PluginHandler handler) {
    router.add(method, pattern, needed, [&ports, handler](const ApiRequest& request) {
      if (ports.plugins == nullptr) return not_connected("This Outrider has no plugins.");
      return handler(*ports.plugins, request);
    });
  };
  add(Method::get, "/api/v1/plugins", Role::reader, list);
  add(Method::get, "/api/v1/plugins/{name}/card", Role::reader, card);
  add(Method::get, "/api/v1/plugin-events", Role::reader, events);
  add(Method::patch, "/api/v1/plugins/{name}", Role::admin, turn);
}

}  // namespace outrider::webui
