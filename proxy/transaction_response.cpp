// The way back: an origin's response becomes the client's.
#include "base/hop_by_hop.hpp"
#include "base/http_writer.hpp"
#include "proxy/loop_guard.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/session.hpp"
#include "proxy/transaction.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

constexpr std::size_t kCoalesceBelow = 4096;  // smaller pieces are copied together instead of being written one by one

}  // namespace

void Transaction::prepare_response(ExchangeResponse& response) {
  ResponseHead& head = response.head();
  HeaderMap& headers = head.headers;
  if (!response.is_stored()) strip_hop_by_hop(headers);
  add_via(headers, head.version, session_.worker().shared().pseudonym);
  // RFC 9110 section 6.6.1: who has a clock adds the date that is missing.
  if (!headers.has(HeaderId::date)) headers.add(HeaderId::date, session_.worker().date().now());
}

// How the client will know where the body ends, with the header fields that say so.
BodyFraming Transaction::choose_framing(ResponseHead& head, const BodyFraming& origin) {
  using Kind = BodyFraming::Kind;
  BodyFraming framing = origin;
  if (origin.kind == Kind::length) {
    head.headers.set(HeaderId::content_length, fmt::format_int(origin.length).c_str());
  } else if (origin.kind == Kind::chunked || origin.kind == Kind::until_close) {
    head.headers.remove(HeaderId::content_length);
    if (client_version_ == HttpVersion::http10) {
      framing.kind = Kind::until_close;
      session_.close_after_this();
    } else {
      framing.kind = Kind::chunked;
      head.headers.set(HeaderId::transfer_encoding, "chunked");
    }
  }
  return framing;
}

Task<> Transaction::relay_response(ExchangeResponse& response) {
  ResponseHead& head = response.head();
  status_ = head.status;
  cache_verdict_ = to_string(response.verdict);
  if (head.status == 101) {
    co_await switch_protocols(response);
    co_return;
  }
  prepare_response(response);
  const BodyFraming framing = choose_framing(head, response.framing());
  if (!response.upload_complete()) session_.close_after_this();  // an answer before the end of the question
  session_.add_connection_header(head);
  std::string& out = session_.output();
  out.clear();
  write_response_head(out, head);
  Result<void> relayed = co_await relay_body(response, framing);
  if (!response.finish_now()) co_await response.finish();
  out.clear();
  if (!relayed) co_await refuse(relayed.error());
}

Task<Result<void>> Transaction::relay_body(ExchangeResponse& response, const BodyFraming& framing) {
  Stream& client = session_.client();
  const bool chunked = framing.kind == BodyFraming::Kind::chunked;
  std::string& out = session_.output();
  for (;;) {
    std::optional<Result<std::string_view>> piece = response.read_now();
    if (!piece) {
      if (!out.empty()) {  // nothing more at the moment: what is there goes out before we wait
        if (!send_now({}, {})) {
          Result<void> sent = co_await send_rest();
          if (!sent) co_return sent;
        }
      }
      client.no_write_deadline();
      Result<std::string_view> waited = co_await response.read();
      response.pause();
      piece.emplace(std::move(waited));
    }
    if (!*piece) co_return piece->error();
    const std::string_view bytes = **piece;
    if (bytes.empty()) break;
    bytes_out_ += bytes.size();
    if (chunked) write_chunk_start(out, bytes.size());
    if (bytes.size() < kCoalesceBelow && response.buffered()) {
      out += bytes;
      if (chunked) out += "\r\n";
      continue;
    }
    if (!send_now(bytes, chunked ? "\r\n" : "")) {
      Result<void> sent = co_await send_rest();
      if (!sent) co_return sent;
    }
  }
  if (chunked) write_last_chunk(out, response.trailers());
  if (!out.empty() && !send_now({}, {})) {
    Result<void> sent = co_await send_rest();
    if (!sent) co_return sent;
  }
  client.no_write_deadline();
  co_return Result<void>{};
}

// Sends session_.output(), then `bytes`, then `end`. False: not all of it went, or none; send_rest() finishes the job.
bool Transaction::send_now(std::string_view bytes, std::string_view end) {
  head_sent_ = true;
  pending_ = {session_.output(), bytes, end};
  Result<bool> sent = session_.client().write_now(pending_);
  if (!sent || !*sent) return false;
  session_.output().clear();
  return true;
}

Task<Result<void>> Transaction::send_rest() {
  session_.client().write_expires_in(session_.policy().timeouts.body_idle);
  Result<void> sent = co_await session_.client().write(pending_);
  session_.output().clear();
  co_return sent;
}

// 1xx: passed on to whoever can understand it (RFC 9110 section 15.2).
Task<> Transaction::pass_on_informational(const ResponseHead& informational) {
  if (client_version_ == HttpVersion::http10 || head_sent_) co_return;
  if (informational.status == 100 && !wants_continue_) co_return;
  ResponseHead head = informational;
  strip_hop_by_hop(head.headers);
  std::string wire;
  write_response_head(wire, head);
  session_.client().write_expires_in(session_.policy().timeouts.body_idle);
  co_await session_.client().write(wire);
  session_.client().no_write_deadline();
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
  add_via(head.headers, head.version, session_.worker().shared().pseudonym);
  head.headers.set(HeaderId::connection, "Upgrade");
  head.headers.set(HeaderId::upgrade, protocol);
  std::string& out = session_.output();
  out.clear();
  write_response_head(out, head);
  std::shared_ptr<Stream> origin = response.take_stream();
  head_sent_ = true;
  session_.client().write_expires_in(session_.policy().timeouts.body_idle);
  Result<void> sent = co_await session_.client().write(out);
  out.clear();
  if (!sent) {
    session_.client().close();
    co_return;
  }
  co_await tunnel(std::move(origin));
}

}  // namespace outrider
