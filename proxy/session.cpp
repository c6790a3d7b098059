#include "proxy/session.hpp"

#include "base/http_writer.hpp"
#include "base/kept_memory.hpp"
#include "proxy/http2_session.hpp"
#include "proxy/linger.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/refused_request.hpp"
#include "proxy/responder.hpp"
#include "proxy/transaction.hpp"

#include <fmt/format.h>

namespace outrider {

// The rest of the current request, read from the session's connection.
class Session::RequestBody final : public BodySource {
 public:
  explicit RequestBody(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  Task<Result<std::string_view>> read() override {
    if (session_->request_complete_) co_return std::string_view{};
    std::string_view piece;
    session_->client_->read_expires_in(session_->policy_->timeouts.body_idle);
    Result<ParseEvent> event = co_await session_->read_event(&piece);
    session_->client_->no_read_deadline();
    if (!event) co_return event.error();
    session_->body_bytes_ += piece.size();
    if (const std::uint64_t limit = session_->policy_->max_request_body; limit != 0 && session_->body_bytes_ > limit)
      co_return Error{ErrorKind::body_too_large, Side::client, "the request body is larger than this proxy allows"};
    co_return piece;
  }
  const HeaderMap& trailers() const override { return session_->parser_.trailers(); }
  void cancel() override { session_->client_->cancel_reads(); }

 private:
  std::shared_ptr<Session> session_;
};

Session::Session(IoWorker& worker, std::shared_ptr<Stream> client, std::shared_ptr<void> admission_slot)
    : ClientSide(worker, nullptr),
      admission_slot_(std::move(admission_slot)),
      client_(std::move(client)),
      parser_(policy_->limits),
      counted_(true) {
  ++worker_.connections;
}

Session::Session(IoWorker& worker, std::shared_ptr<Stream> client, std::shared_ptr<const InterceptedOrigin> intercepted)
    : ClientSide(worker, std::move(intercepted)),
      client_(std::move(client)),
      parser_(policy_->limits),
      counted_(false) {}

Session::~Session() {
  if (counted_) --worker_.connections;
}

std::shared_ptr<BodySource> Session::request_body() {
  body_bytes_ = 0;
  if (!parser_.framing().has_body()) return nullptr;
  return std::make_shared<RequestBody>(shared_from_this());
}

Task<> Session::run() {
  const std::shared_ptr<Session> alive = shared_from_this();
  while (!close_after_) {
    if (unparsed_.empty()) {
      const bool first = client_->bytes_in() == 0;
      if (worker_.draining && !first) break;
      become_idle(first);
      Result<void> ready = co_await client_->wait_readable();
      IdleConnection::unlink();
      if (!ready) break;
    }
    policy_ = worker_.policy();
    if (!read_head_now() && !co_await read_head()) break;
    if (!parser_.keep_alive()) close_after_ = true;
    answer_begun_ = false;
    Transaction transaction{*this};
    co_await transaction.run();
    transaction.record();
    if (!client_->is_open()) co_return;  // a tunnel has used it up
    if (http2_inside_) {
      co_await serve_http2(worker_, client_, intercepted_);
      co_return;
    }
    if (!request_complete_ && !co_await discard_rest_of_request()) break;
    parser_.reset();
  }
  if (client_->is_open() && close_after_) {
    buffer_.release();
    co_await linger(*client_);
  }
  client_->close();
}

// Between two requests a connection holds neither a buffer nor anything else worth mentioning.
void Session::become_idle(bool first) {
  buffer_.release();
  parser_.release_large();
  release_large(output_);
  client_->read_expires_in(first ? policy_->timeouts.request_head : policy_->timeouts.keep_alive);
  worker_.idle_connections.push_back(*this);
}

// The ordinary case: the head has arrived in one piece. False: read_head() has to wait for the rest, or to say what is
// wrong.
bool Session::read_head_now() {
  if (unparsed_.empty()) {
    buffer_.acquire();
    const std::optional<Result<std::size_t>> got = client_->read_now(buffer_.span());
    if (!got || !*got || **got == 0) return false;
    last_read_ = **got;
    unparsed_ = {buffer_.data(), last_read_};
  }
  const Result<ParseStep> step = parser_.feed(unparsed_);
  if (!step) return false;
  unparsed_.remove_prefix(step->consumed);
  if (step->event != ParseEvent::head) return false;
  client_->no_read_deadline();
  request_complete_ = !parser_.framing().has_body();
  return true;
}

// The next event of the current request.
Task<Result<ParseEvent>> Session::read_event(std::string_view* body) {
  for (;;) {
    Result<ParseStep> step = parser_.feed(unparsed_);  // without input too: the end of a body may be due
    if (!step) co_return step.error();
    unparsed_.remove_prefix(step->consumed);
    if (step->event == ParseEvent::done) request_complete_ = true;
    *body = step->body;
    if (step->event != ParseEvent::need_more) co_return step->event;
    const bool bulk =
        buffer_.held() && last_read_ == buffer_.size() && parser_.framing().has_body() && !request_complete_;
    buffer_.acquire(bulk ? Buffer::kLarge : std::max(buffer_.size(), Buffer::kSmall));
    Result<std::size_t> got = co_await client_->read_some(buffer_.span());
    if (!got) co_return got.error();
    last_read_ = *got;
    if (*got == 0) co_return Error{ErrorKind::closed_early, Side::client, "the client closed the connection"};
    unparsed_ = {buffer_.data(), *got};
  }
}

// True: a head is there. False: the connection is to be closed (an answer, if one was due, has been sent).
Task<bool> Session::read_head() {
  client_->read_expires_in(policy_->timeouts.request_head);
  request_complete_ = false;
  const SteadyTime begin = worker_.reactor().clock().steady();
  std::string_view none;
  Result<ParseEvent> event = co_await read_event(&none);
  client_->no_read_deadline();
  if (event) {
    // A message without a body is complete with its head; its `done` event has nothing to tell.
    if (!parser_.framing().has_body()) request_complete_ = true;
    co_return true;
  }
  const bool gone = event.error().kind == ErrorKind::closed_early || event.error().kind == ErrorKind::io;
  if (!gone && (parser_.started() || event.error().kind != ErrorKind::timeout))
    co_await answer_bad_request(event.error(), begin);
  co_return false;
}

Task<> Session::answer_bad_request(const Error& error, SteadyTime begin) {
  RefusedRequest refused;
  refused.id = worker_.shared().ids.next();
  ErrorContext context;
  context.exchange_id = refused.id.view();
  context.close = true;
  context.date = worker_.date().now();
  const Answer answer = answer_error(error, context);
  close_after_ = true;
  refused.client = client_->peer().address();
  refused.head = &parser_.head();
  refused.protocol = parser_.head().version == HttpVersion::http10 ? "HTTP/1.0" : "HTTP/1.1";
  refused.status = answer.head.status;
  refused.bytes_out = answer.body.size();
  refused.error = name_of(error);
  refused.took = worker_.reactor().clock().steady() - begin;
  record(worker_.shared(), refused);
  co_await write_answer(answer);
}

Task<bool> Session::discard_rest_of_request() {
  std::size_t discarded = 0;
  client_->read_expires_in(kLingerAtMost);
  while (!close_after_ && !request_complete_) {
    std::string_view piece;
    Result<ParseEvent> event = co_await read_event(&piece);
    discarded += piece.size();
    if (!event || discarded > kDiscardAtMost) close_after_ = true;
  }
  client_->no_read_deadline();
  co_return !close_after_;
}

}  // namespace outrider
