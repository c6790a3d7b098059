#include "webui/problem.hpp"
#include "webui/routes.hpp"
#include "webui/state_json.hpp"

#include <boost/json.hpp>

namespace outrider::webui {
namespace {

ApiReply all_settings(const SettingsControl& settings) {
  return ApiReply::of(json::object{{"settings", settings_json(settings)}});
}

}  // namespace

void add_settings_routes(Router& router, const Ports& ports) {
  static constexpr std::string_view kNone = "The settings of this Outrider cannot be seen from here.";
  router.add(Method::get, "/api/v1/config", Role::reader, [&ports](const ApiRequest&) {
    if (ports.settings == nullptr) return not_connected(kNone);
    return all_settings(*ports.settings);
  });
  router.add(Method::patch, "/api/v1/config", Role::admin, [&ports](const ApiRequest& request) {
    if (ports.settings == nullptr) return not_connected(kNone);
    boost::system::error_code failed;
    const json::value values = json::parse(request.body, failed);
    if (failed || !values.is_object()) return bad_request("The body must be a JSON object of keys and values.");
    if (const Result<void> changed = ports.settings->change(values.get_object()); !changed)
      return problem_of(changed.error());
    return all_settings(*ports.settings);
  });
}

}  // namespace outrider::webui
