// How HTTP/1 answers: heads and bodies on the wire, and what comes after HTTP.
#include "base/http_writer.hpp"
#include "cache/exchange_response.hpp"
#include "proxy/http2_tunnel.hpp"
#include "proxy/relay.hpp"
#include "proxy/session.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

constexpr std::size_t kCoalesceBelow = 4096;  // smaller pieces are copied together instead of being written one by one

}  // namespace

Task<> Session::write_answer(const Answer& answer) {
  if (answer.close) close_after_ = true;
  answer_begun_ = true;
  ResponseHead head = answer.head;
  add_connection_header(head);
  output_.clear();
  write_response_head(output_, head);
  output_ += answer.body;
  client_->write_expires_in(policy_->timeouts.body_idle);
  Result<void> sent = co_await client_->write(output_);
  client_->no_write_deadline();
  output_.clear();
  if (!sent) client_->close();
}

// Before this the session must know whether the connection goes on.
void Session::add_connection_header(ResponseHead& head) {
  if (worker_.draining) close_after_ = true;
  // HTTP/1.0 connections always end here: a proxy must not keep them (RFC 9112 section 9.3).
  if (close_after_) head.headers.set(HeaderId::connection, "close");
}

Task<> Session::send_informational(const ResponseHead& head) {
  if (parser_.head().version == HttpVersion::http10) co_return;  // it has no such thing
  std::string wire;
  write_response_head(wire, head);
  client_->write_expires_in(policy_->timeouts.body_idle);
  co_await client_->write(wire);
  client_->no_write_deadline();
}

// How the client will know where the body ends, with the header fields that say so.
void Session::begin_answer(ResponseHead& head, const BodyFraming& framing) {
  using Kind = BodyFraming::Kind;
  chunked_ = false;
  if (framing.kind == Kind::length) {
    head.headers.set(HeaderId::content_length, fmt::format_int(framing.length).c_str());
  } else if (framing.kind == Kind::chunked || framing.kind == Kind::until_close) {
    head.headers.remove(HeaderId::content_length);
    if (parser_.head().version == HttpVersion::http10) {
      close_after_ = true;
    } else {
      chunked_ = true;
      head.headers.set(HeaderId::transfer_encoding, "chunked");
    }
  }
  if (head.status == 204) head.headers.remove(HeaderId::content_length);  // RFC 9110 section 8.6
  add_connection_header(head);
  output_.clear();
  write_response_head(output_, head);
}

bool Session::put(std::string_view bytes, bool more) {
  if (chunked_) write_chunk_start(output_, bytes.size());
  if (more && bytes.size() < kCoalesceBelow) {
    output_ += bytes;
    if (chunked_) output_ += "\r\n";
    return true;
  }
  return send_now(bytes, chunked_ ? "\r\n" : "");
}

bool Session::flush() {
  return output_.empty() || send_now({}, {});
}

bool Session::end(const HeaderMap& trailers) {
  if (chunked_) write_last_chunk(output_, trailers);
  return flush();
}

// Sends output_, then `bytes`, then `end`. False: not all of it went, or none; sent() finishes the job.
bool Session::send_now(std::string_view bytes, std::string_view end) {
  pending_ = {output_, bytes, end};
  return send_pending_now();
}

bool Session::put_several(std::string_view bytes, std::span<const std::string_view> along) {
  pending_ = {output_, bytes};
  static_assert(kPiecesAtOnce >= 2 + ExchangeResponse::kAlongAtMost);
  pending_.insert(pending_.end(), along.begin(), along.end());
  std::size_t all = bytes.size();
  for (const std::string_view piece : along) all += piece.size();
  client_->sends_at_once(all);
  return send_pending_now();
}

bool Session::send_pending_now() {
  answer_begun_ = true;
  Result<bool> sent = client_->write_now(pending());
  if (!sent || !*sent) return false;
  output_.clear();
  return true;
}

// The client's time begins anew whenever it has taken something: a reader that takes its time has not stopped.
Task<Result<void>> Session::sent() {
  for (;;) {
    client_->write_expires_in(policy_->timeouts.body_idle);
    Result<bool> all = client_->write_now(pending());
    if (!all) co_return all.error();
    if (*all) break;
    Result<void> room = co_await client_->wait_writable();
    if (!room) co_return room;
  }
  output_.clear();
  co_return Result<void>{};
}

void Session::abort() {
  close_after_ = true;
  client_->close();
}

Task<Result<void>> Session::accept_tunnel(const ResponseHead& head) {
  close_after_ = true;  // whatever follows on this connection is the tunnel's, not HTTP
  answer_begun_ = true;
  output_.clear();
  write_response_head(output_, head);
  client_->write_expires_in(policy_->timeouts.body_idle);
  Result<void> sent = co_await client_->write(output_);
  output_.clear();
  if (!sent) client_->close();
  co_return sent;
}

// What the client sent beyond the head goes back into its stream; so many bytes.
std::size_t Session::unread_rest() {
  unread_ += unparsed_.size();
  client_->unread(unparsed_);
  unparsed_ = {};
  buffer_.release();
  return unread_;
}

std::shared_ptr<Stream> Session::take_connection() {
  close_after_ = true;
  unread_rest();
  return client_;
}

void Session::go_on_inside(std::shared_ptr<const InterceptedOrigin> origin, std::string protocol) {
  intercepted_ = std::move(origin);
  http2_inside_ = protocol == "h2";
  unread_ = 0;
  close_after_ = false;
}

Task<> Session::tunnel(OriginTunnel origin, std::uint64_t& bytes_in, std::uint64_t& bytes_out) {
  const std::size_t unread = unread_rest();
  const Duration idle = policy_->timeouts.tunnel_idle;
  if (!origin.connection) {
    co_await relay(TunnelEnd::of(client_), TunnelEnd::of(std::move(origin.stream)), idle, worker_, bytes_in, bytes_out);
    co_return;
  }
  // Counted however the tunnel ends: one that is cut off at shutdown is unwound.
  struct Tally {
    Tally(const Stream& s, std::uint64_t rest, std::uint64_t& i, std::uint64_t& o)
        : client(s), in(i), out(o), in_before(s.bytes_in() - rest), out_before(s.bytes_out()) {}
    ~Tally() {
      in += client.bytes_in() - in_before;
      out += client.bytes_out() - out_before;
    }
    const Stream& client;
    std::uint64_t &in, &out;
    std::uint64_t in_before, out_before;
  };
  const Tally tally{*client_, unread, bytes_in, bytes_out};
  co_await relay(client_, std::move(origin.connection), idle, worker_.tasks());
}

}  // namespace outrider
