// The way back: an origin's response becomes the client's.
#include "base/connection_login.hpp"
#include "base/hop_by_hop.hpp"
#include "proxy/client_side.hpp"
#include "proxy/loop_guard.hpp"
#include "proxy/plugin_exchange.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/shown_fields.hpp"
#include "proxy/transaction.hpp"

namespace outrider {

void Transaction::prepare_response(ExchangeResponse& response) {
  ResponseHead& head = response.head();
  HeaderMap& headers = head.headers;
  if (!response.is_stored()) strip_hop_by_hop(headers);
  add_via(headers, head.version, client_.worker().shared().pseudonym);
  // Where clients know that there is a proxy, some log in only if it says that it keeps connections apart (RFC 4559
  // section 6).
  if (head.status == 401 && client_.intercepted() == nullptr && offers_connection_login(headers)) {
    headers.add("Proxy-Support", "Session-Based-Authentication");
    headers.add(HeaderId::connection, "Proxy-Support");
  }
  // RFC 9110 section 6.6.1: who has a clock adds the date that is missing.
  if (!headers.has(HeaderId::date)) headers.add(HeaderId::date, client_.worker().date().now());
}

Task<> Transaction::relay_response(ExchangeResponse& response, MemoryTap& tap) {
  ResponseHead& head = response.head();
  status_ = head.status;
  exchange_verdict_ = response.verdict;
  cache_verdict_ = to_string(response.verdict);
  if (head.status == 101) {
    co_await switch_protocols(response);
    co_return;
  }
  tap.begin(response, client_.worker().reactor().clock().now());
  prepare_response(response);
  if (!response.upload_complete()) client_.close_after_this();  // an answer before the end of the question
  if (client_.worker().shared().feed.wanted()) response_fields_ = shown_fields(head.headers);
  BodyFraming framing = response.framing();
  std::unique_ptr<PageTransform> page;
  if (plugins_) page = co_await plugins_->response(head, framing, tap.is_for_everybody());
  client_.begin_answer(head, framing);
  Result<void> relayed;
  if (page) {
    relayed = co_await relay_page(response, *page, tap);
  } else {
    relayed = co_await relay_body(response, tap);
  }
  tap.end(relayed.has_value());
  if (!response.finish_now()) co_await response.finish();
  if (!relayed) co_await refuse(relayed.error());
}

// With what is there behind it, if the client takes that, too.
bool Transaction::pass_on(std::string_view bytes, ExchangeResponse& response, MemoryTap& tap) {
  bytes_out_ += bytes.size();
  tap.add(bytes);
  std::span<const std::string_view> along;
  if (client_.takes_several()) along = response.read_along();
  if (along.empty()) return client_.put(bytes, response.buffered());
  for (const std::string_view more : along) {
    bytes_out_ += more.size();
    tap.add(more);
  }
  return client_.put_several(bytes, along);
}

Task<Result<void>> Transaction::relay_body(ExchangeResponse& response, MemoryTap& tap) {
  for (;;) {
    std::optional<Result<std::string_view>> piece = response.read_now();
    if (!piece) {
      if (!client_.flush()) {  // nothing more at the moment: what is there goes out before we wait
        Result<void> sent = co_await client_.sent();
        if (!sent) co_return sent;
      }
      client_.pause();
      Result<std::string_view> waited = co_await response.read();
      response.pause();
      piece.emplace(std::move(waited));
    }
    if (!*piece) co_return piece->error();
    const std::string_view bytes = **piece;
    if (bytes.empty()) break;
    if (!pass_on(bytes, response, tap)) {
      Result<void> sent = co_await client_.sent();
      if (!sent) co_return sent;
    }
  }
  if (!client_.end(response.trailers())) {
    Result<void> sent = co_await client_.sent();
    if (!sent) co_return sent;
  }
  client_.pause();
  co_return Result<void>{};
}

// 1xx: passed on to whoever can understand it (RFC 9110 section 15.2).
Task<> Transaction::pass_on_informational(const ResponseHead& informational) {
  if (client_.answer_begun()) co_return;
  if (informational.status == 100 && !wants_continue_) co_return;
  ResponseHead head = informational;
  strip_hop_by_hop(head.headers);
  head.headers.remove(HeaderId::content_length);  // RFC 9110 section 8.6
  co_await client_.send_informational(head);
}

Task<> Transaction::switch_protocols(ExchangeResponse& response) {
  if (upgrade_.empty()) {
    co_await response.finish();
    co_await refuse(
        Error{ErrorKind::bad_message, Side::origin, "the origin switched protocols although nobody asked for it"});
    co_return;
  }
  ResponseHead& head = response.head();
  const std::string protocol = head.headers.joined(HeaderId::upgrade);
  strip_hop_by_hop(head.headers);
  add_via(head.headers, head.version, client_.worker().shared().pseudonym);
  head.headers.set(HeaderId::connection, "Upgrade");
  head.headers.set(HeaderId::upgrade, protocol);
  // What is in the head must be sent before its owner goes.
  ResponseHead accepted = std::move(head);
  OriginTunnel origin = response.take_tunnel();
  Result<void> sent = co_await client_.accept_tunnel(accepted);
  if (!sent) co_return;
  co_await client_.tunnel(std::move(origin), bytes_in_, bytes_out_);
}

}  // namespace outrider
