#include "webui/problem.hpp"
#include "webui/routes.hpp"
#include "webui/state_json.hpp"

#include <boost/json.hpp>

namespace outrider::webui {
namespace {

ApiReply accept(TlsControl& tls, const ApiRequest& request) {
  boost::system::error_code failed;
  const json::value body = json::parse(request.body, failed);
  const json::value* wanted = failed || !body.is_object() ? nullptr : body.get_object().if_contains("opens_https");
  if (wanted == nullptr || !wanted->is_bool()) return bad_request("Say {\"opens_https\": true} or false.");
  if (const Result<void> accepted = tls.accept(wanted->get_bool()); !accepted) return problem_of(accepted.error());
  return ApiReply::of(onboarding_json(tls, request.now));
}

}  // namespace

void add_tls_routes(Router& router, const Ports& ports) {
  if (ports.tls == nullptr) return;
  TlsControl& tls = *ports.tls;
  router.add(Method::get, "/api/v1/onboarding", Role::reader,
             [&tls](const ApiRequest& request) { return ApiReply::of(onboarding_json(tls, request.now)); });
  router.add(Method::patch, "/api/v1/onboarding", Role::admin,
             [&tls](const ApiRequest& request) { return accept(tls, request); });
  router.add(Method::get, "/api/v1/tls/pinned", Role::reader, [&tls](const ApiRequest& request) {
    return ApiReply::of(json::object{{"pinned", pinned_json(tls, request.now)}});
  });
  router.add(Method::del, "/api/v1/tls/pinned", Role::admin, [&tls](const ApiRequest&) {
    return ApiReply::of(json::object{{"removed", tls.unpin("")}});
  });
  router.add(Method::del, "/api/v1/tls/pinned/{host}", Role::admin, [&tls](const ApiRequest& request) {
    return ApiReply::of(json::object{{"removed", tls.unpin(request.in_path("host"))}});
  });
}

}  // namespace outrider::webui
