// The switch of the onboarding page: whether HTTPS may be opened.
#include "base/log.hpp"
#include "proxy/client_side.hpp"
#include "proxy/own_site.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/transaction.hpp"

namespace outrider {
namespace {

constexpr std::size_t kMaxSmallBody = 64 * 1024;

}  // namespace

Task<Result<std::string>> Transaction::read_small_body(std::size_t most) {
  std::string body;
  const std::shared_ptr<BodySource> source = client_.request_body();
  if (!source) co_return body;
  const BodyFraming& framing = client_.request_framing();
  bool too_large = framing.kind == BodyFraming::Kind::length && framing.length > most;
  if (!too_large && client_.expects_continue()) {  // RFC 9110 section 10.1.1: nobody else will say it
    ResponseHead go_on;
    go_on.status = 100;
    go_on.reason = "Continue";
    co_await client_.send_informational(go_on);
  }
  while (!too_large) {
    const Result<std::string_view> piece = co_await source->read();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return body;
    body += *piece;
    too_large = body.size() > most;
  }
  client_.close_after_this();
  co_return Error{ErrorKind::body_too_large, Side::client, "a request to the proxy itself is smaller than this"};
}

Task<bool> Transaction::may_use_the_proxy() {
  const Access& access = *client_.policy().access;
  const IpAddress client = client_.connection().peer().address();
  if (const std::optional<Admission> admission = access.admit_now(client, request_.headers)) {
    if (*admission) user_ = admission->user;
    co_return static_cast<bool>(*admission);
  }
  const Admission checked = co_await access.admit(client, request_.headers, client_.worker().shared().workers);
  if (checked) user_ = checked.user;
  co_return static_cast<bool>(checked);
}

Task<> Transaction::answer_switch(const OwnSiteContext& context) {
  if (const std::optional<Answer> refusal = refuse_foreign_page(request_, context)) {
    client_.close_after_this();  // its body is not wanted
    co_await send(*refusal);
    co_return;
  }
  // Through the proxy the person has been let in already; who talks to us directly has to be somebody who would be.
  if (!context.through_proxy && !co_await may_use_the_proxy()) {
    client_.close_after_this();
    const Answer answer =
        answer_denied("This proxy asks for a login: use the switch at http://outrider.internal/.", error_context());
    co_await send(answer);
    co_return;
  }
  // Whoever shares this machine with the person whose Outrider this is does not decide it for him.
  const tcp::endpoint ours = client_.connection().local_endpoint();
  if (!user_ && !client_.policy().access->is_own_person(client_.connection().peer(), ours)) {
    client_.close_after_this();
    const Answer answer =
        answer_denied("This is for the account that runs the proxy (access.local_users).", error_context());
    co_await send(answer);
    co_return;
  }
  const Result<std::string> body = co_await read_small_body(kMaxSmallBody);
  if (!body) {
    co_await refuse(body.error());
    co_return;
  }
  const std::optional<bool> accept = parse_switch(*body);
  if (!accept || context.intercept_is_fixed) {
    const Answer answer = answer_denied(
        accept ? "The configuration says whether HTTPS is opened (tls.intercept)." : "Say accept=yes or accept=no.",
        error_context());
    co_await send(answer);
    co_return;
  }
  ProxyShared& shared = client_.worker().shared();
  auto store = [state = shared.onboarding, wanted = *accept]() -> Result<void> { return state->set(wanted); };
  const Result<void> stored = co_await shared.workers.run(std::move(store));
  if (!stored) {
    co_await refuse(stored.error());
    co_return;
  }
  log::info(Room::proxy, "interception_switched", {{"accepted", *accept}});
  const Answer answer = back_to_onboarding(request_, context);
  co_await send(answer);
}

}  // namespace outrider
