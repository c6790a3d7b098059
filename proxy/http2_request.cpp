#include "proxy/http2_request.hpp"

#include "base/websocket_key.hpp"
#include "proxy/http2_tunnel.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

using Kind = BodyFraming::Kind;

}  // namespace

class Http2Request::Body final : public BodySource {
 public:
  Body(std::shared_ptr<Http2Stream> stream, const ProxyPolicy& policy, DeadlineSweeper& sweeper)
      : stream_(std::move(stream)),
        sweeper_(sweeper),
        idle_(policy.timeouts.body_idle),
        idle_while_answered_(policy.timeouts.tunnel_idle),
        limit_(policy.max_request_body) {}

  Task<Result<std::string_view>> read() override {
    reading_ = true;
    stream_->set_read_deadline(sweeper_.in(idle_));
    Result<std::string_view> piece = co_await stream_->read();
    stream_->set_read_deadline(Deadline::never());
    reading_ = false;
    if (!piece) co_return piece;
    bytes += piece->size();
    if (limit_ != 0 && bytes > limit_)
      co_return Error{ErrorKind::body_too_large, Side::client, "the request body is larger than this proxy allows"};
    co_return piece;
  }
  const HeaderMap& trailers() const override { return stream_->trailers(); }
  void cancel() override { stream_->cancel_reads(); }

  // Both sides talk at the same time from now on, and each may have nothing to say for a while.
  void answer_begins() {
    idle_ = std::max(idle_, idle_while_answered_);
    if (reading_) stream_->set_read_deadline(sweeper_.in(idle_));
  }

  std::uint64_t bytes = 0;

 private:
  bool reading_ = false;
  std::shared_ptr<Http2Stream> stream_;
  DeadlineSweeper& sweeper_;
  Duration idle_;
  Duration idle_while_answered_;
  std::uint64_t limit_;
};

Http2Request::Http2Request(IoWorker& worker, std::shared_ptr<Http2Stream> stream,
                           std::shared_ptr<const InterceptedOrigin> intercepted, ConnectionLogins& logins)
    : ClientSide(worker, std::move(intercepted)),
      stream_(std::move(stream)),
      connection_(stream_->connection()->shared_stream()),
      asked_(*stream_->request()),
      logins_(logins) {
  if (asked_.protocol != "websocket") return;
  websocket_key_ = new_websocket_key();
  asked_.head.set_method(Method::get);
  asked_.framing = BodyFraming{};
  HeaderMap& headers = asked_.head.headers;
  headers.remove(
      HeaderId::content_length);  // of the bytes in the tunnel: to the origin this is a request without a body
  headers.set(HeaderId::connection, "Upgrade");
  headers.set(HeaderId::upgrade, "websocket");
  headers.set(HeaderId::sec_websocket_key, websocket_key_);
}

Http2Request::~Http2Request() {
  if (!stream_->all_sent()) stream_->reset(NGHTTP2_INTERNAL_ERROR);  // unwound: nothing of ours may be pointed to
}

Task<> Http2Request::finish() {
  Result<void> gone = co_await stream_->finished(policy_->timeouts.body_idle);
  // The answer is complete and the request is not: the client may stop sending it (RFC 9113 section 8.1).
  if (gone && !stream_->receive_ended()) stream_->reset(NGHTTP2_NO_ERROR);
}

bool Http2Request::expects_continue() const {
  return asked_.head.headers.lists(HeaderId::expect, "100-continue");
}

std::shared_ptr<BodySource> Http2Request::request_body() {
  if (!asked_.framing.has_body()) return nullptr;
  body_ = std::make_shared<Body>(stream_, *policy_, worker_.reactor().sweeper());
  return body_;
}

std::uint64_t Http2Request::body_bytes() const {
  return body_ ? body_->bytes : 0;
}

Task<> Http2Request::write_answer(const Answer& answer) {
  answer_begun_ = true;
  stream_->send_response(answer.head, answer.body.empty());
  if (answer.body.empty()) co_return;
  if (!stream_->put(answer.body)) co_await stream_->sent(policy_->timeouts.body_idle);
  stream_->end({});
}

Task<> Http2Request::send_informational(const ResponseHead& head) {
  stream_->send_informational(head);
  co_return;
}

void Http2Request::begin_answer(ResponseHead& head, const BodyFraming& framing) {
  if (body_) body_->answer_begins();
  if (framing.kind == Kind::length) {
    head.headers.set(HeaderId::content_length, fmt::format_int(framing.length).c_str());
  } else if (framing.kind == Kind::chunked || framing.kind == Kind::until_close) {
    head.headers.remove(HeaderId::content_length);
  }
  if (head.status == 204) head.headers.remove(HeaderId::content_length);  // RFC 9110 section 8.6
  // To an extended CONNECT every success means that the WebSocket is open, which it is not.
  if (!websocket_key_.empty() && head.status >= 200 && head.status < 300) head.status = 502;
  head_ = &head;
}

void Http2Request::send_head(bool ends) {
  if (head_ == nullptr) return;
  answer_begun_ = true;
  stream_->send_response(*head_, ends);
  head_ = nullptr;
}

bool Http2Request::put(std::string_view bytes, bool) {
  send_head(false);
  return stream_->put(bytes);
}

bool Http2Request::flush() {
  send_head(false);
  return true;
}

bool Http2Request::end(const HeaderMap& trailers) {
  if (head_ != nullptr && trailers.empty()) {  // no body: one frame says it all
    send_head(true);
    return true;
  }
  send_head(false);
  stream_->end(trailers);
  return true;
}

Task<Result<void>> Http2Request::sent() {
  return stream_->sent(policy_->timeouts.body_idle);
}

void Http2Request::abort() {
  stream_->reset(NGHTTP2_INTERNAL_ERROR);
}

void Http2Request::end_connection() {
  if (Http2Connection* const all = stream_->connection()) all->drain();
}

Task<Result<void>> Http2Request::accept_tunnel(const ResponseHead& head) {
  const std::string accept{head.headers.find("Sec-WebSocket-Accept").value_or("")};
  if (websocket_key_.empty() || accept != websocket_accept(websocket_key_)) {
    stream_->reset(NGHTTP2_CONNECT_ERROR);
    co_return Error{ErrorKind::bad_message, Side::origin, "the origin did not accept the WebSocket that was asked for"};
  }
  answer_begun_ = true;
  ResponseHead opened = head;
  opened.status = 200;
  opened.headers.remove("Sec-WebSocket-Accept");  // HTTP/1 only (RFC 8441 section 5)
  stream_->send_response(opened, false);
  co_return Result<void>{};
}

Task<> Http2Request::tunnel(OriginTunnel origin, std::uint64_t& bytes_in, std::uint64_t& bytes_out) {
  std::unique_ptr<TunnelEnd> other =
      origin.connection ? TunnelEnd::of(std::move(origin.connection)) : TunnelEnd::of(std::move(origin.stream));
  co_await relay(TunnelEnd::of(stream_), std::move(other), policy_->timeouts.tunnel_idle, worker_, bytes_in, bytes_out);
}

}  // namespace outrider
