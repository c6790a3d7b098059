// Requests to origins that may speak HTTP/2.
#include "base/http2_origins.hpp"
#include "base/http_client.hpp"
#include "base/http_client_upload.hpp"
#include "base/remote_stream.hpp"

#include <fmt/format.h>

namespace outrider {

Task<Result<std::unique_ptr<ClientResponse>>> HttpClient::send_over_either(ClientRequest& request) {
  const std::string key = pool_key(request.target);
  for (bool retried = false;; retried = true) {
    Result<std::shared_ptr<Http2Connection>> found = co_await find_or_wait(request, key);
    if (!found) co_return found.error();
    bool again = false;
    std::optional<Answer> answer;
    if (*found) {
      auto response = std::make_unique<ClientResponse>();
      response->timings_.reused = true;
      std::shared_ptr<OriginStream> stream = (*found)->open();
      Answer over_http2 = co_await send_over_stream(request, std::move(stream), std::move(response), &again);
      answer.emplace(std::move(over_http2));
    } else {
      Result<std::shared_ptr<HttpHome>> home = co_await find_home(request, key);
      if (!home) co_return home.error();
      if (*home) {
        Answer elsewhere = co_await send_elsewhere(request, key, std::move(*home), &again);
        answer.emplace(std::move(elsewhere));
      } else {
        Answer over_http1 = co_await send_over_http1(request, &again);
        answer.emplace(std::move(over_http1));
      }
    }
    if (*answer && retried) (**answer)->timings_.retried = true;
    if (*answer || !again || retried) co_return std::move(*answer);
  }
}

namespace {

// Behind a parent only what is named can be judged.
bool may_ask_for(const EgressTarget& target) {
  ErrorCode name;
  const IpAddress literal = asio::ip::make_address(target.host, name);
  return name || bool{target.policy->check(literal, target.port)};
}

}  // namespace

bool may_use(Http2Connection& open, const EgressTarget& target) {
  if (target.parent) return may_ask_for(target);
  const tcp::endpoint& peer = open.stream().peer();
  return bool{target.policy->check(peer.address(), peer.port())};
}

void HttpClient::prepare(EgressTarget target, Deadline deadline) {
  const std::string key = pool_key(target);
  if (pool_->has_idle(key) || http2_->find(key) || http2_->attempt(key)) return;
  if (may_be_shared(key) && homes_->find(key, home_, reactor_.sweeper().now())) return;
  target.alpn = http2_->offer(key);
  egress_.prepare(std::move(target), deadline);
}

// A connection that is there, or that somebody is about to open; nullptr: it is for us to open one.
Task<Result<std::shared_ptr<Http2Connection>>> HttpClient::find_or_wait(const ClientRequest& request,
                                                                        const std::string& key) {
  const EgressTarget& target = request.target;
  const Deadline deadline = request.deadline.sooner_of(reactor_.sweeper().in(request.timeouts.connect));
  for (;;) {
    if (std::shared_ptr<Http2Connection> open = http2_->find(key)) {
      if (may_use(*open, target)) co_return open;
      co_return std::shared_ptr<Http2Connection>{};
    }
    const std::shared_ptr<Http2Origins::Attempt> attempt = http2_->attempt(key);
    if (!attempt) co_return std::shared_ptr<Http2Connection>{};
    while (!attempt->over && !deadline.passed(reactor_.clock())) co_await attempt->done.wait(deadline);
    if (!attempt->over)
      co_return Error{ErrorKind::timeout, Side::origin, fmt::format("no connection to {} in time", target.host), true};
    if (attempt->failure && attempt->policy == target.policy.get()) co_return *attempt->failure;
  }
}

bool HttpClient::may_be_shared(const std::string& key) const {
  const Http2Origins::Speaks speaks = http2_->speaks(key);
  return homes_ != nullptr && (speaks == Http2Origins::Speaks::unknown || speaks == Http2Origins::Speaks::http2);
}

// Whose connection is to be used; nullptr: ours, or one that we open.
Task<Result<std::shared_ptr<HttpHome>>> HttpClient::find_home(const ClientRequest& request, const std::string& key) {
  std::shared_ptr<HttpHome> home;
  // Who wants to be apart leaves no trace on the other reactors, not even a name that was looked up.
  if (may_be_shared(key) && request.target.apart.empty()) home = homes_->find(key, home_, reactor_.sweeper().now());
  if (request.errand) home.reset();
  if (home && !takes_in_ && !request.target.parent) {
    // Who only takes from others does not make them wait for names that nobody knows.
    const Deadline deadline = request.deadline.sooner_of(reactor_.sweeper().in(request.timeouts.connect));
    Result<void> known = co_await egress_.look_up(request.target.host, deadline);
    if (!known) co_return known.error();
  }
  co_return home;
}

Task<Result<std::unique_ptr<ClientResponse>>> HttpClient::send_elsewhere(ClientRequest& request, const std::string& key,
                                                                         std::shared_ptr<HttpHome> home, bool* again) {
  auto stream = std::make_shared<RemoteStream>(reactor_, home_, std::move(home), request);
  auto response = std::make_unique<ClientResponse>();
  Answer answer = co_await send_over_stream(request, stream, std::move(response), again);
  if (!answer) co_return answer;
  const Duration first_byte = (*answer)->timings_.first_byte;
  (*answer)->timings_ = stream->origin().timings;
  (*answer)->timings_.first_byte = first_byte;
  (*answer)->framing_doubtful_ = stream->origin().framing_doubtful;
  if (stream->origin().by_http1) http2_->learn(key, Http2Origins::Speaks::http1);
  co_return answer;
}

Task<Result<std::unique_ptr<ClientResponse>>> HttpClient::send_over_stream(ClientRequest& request,
                                                                           std::shared_ptr<OriginStream> stream,
                                                                           std::unique_ptr<ClientResponse> response,
                                                                           bool* again) {
  response->body_idle_ = request.timeouts.body_idle;
  response->deadline_ = request.deadline;
  response->h2_ = stream;
  Result<void> heads = co_await exchange_stream_heads(request, *response);
  if (heads) co_return response;
  Error error = heads.error();
  if (stream->wants_http1()) http2_->learn(pool_key(request.target), Http2Origins::Speaks::http1_only);
  // The origin may end a kept connection at any time. What it refused it has not looked at; for the rest the method
  // has to allow that it is sent twice. A body that was sent cannot be had again.
  const bool lost = response->timings_.reused && stream->connection_ended() && is_idempotent(request.head->method) &&
                    (error.kind == ErrorKind::closed_early || error.kind == ErrorKind::io);
  if (again != nullptr && !request.body) *again = stream->refused() || stream->wants_http1() || lost;
  co_return error;
}

Task<Result<void>> HttpClient::exchange_stream_heads(ClientRequest& request, ClientResponse& response) {
  const std::shared_ptr<OriginStream> stream = response.h2_;
  const SteadyTime begin = reactor_.sweeper().now();
  request.stream = stream;
  const bool begun = request.target.tunnel
                         ? stream->send_extended_connect(*request.head, "websocket", request.wire_target)
                         : stream->send_request(*request.head, "https", request.wire_target, request.body == nullptr);
  if (!begun) co_return Error{ErrorKind::closed_early, Side::origin, "the connection has just been closed", true};
  const Deadline head_due = request.deadline.sooner_of(Deadline{begin + request.timeouts.head});
  stream->set_read_deadline(request.body ? request.deadline : head_due);
  if (request.body) {
    response.upload_ = std::make_shared<ClientResponse::Upload>(reactor_, request);
    response.upload_->h2 = stream;
    tasks_.spawn(upload_to_stream(response.upload_), "upload");
  }
  for (int informational = 0;;) {
    Result<Http2Block::Response> head = co_await stream->next_head();
    if (!head) {
      Error error = head.error();
      if (error.kind == ErrorKind::closed_early && !request.body) error.retry_safe = true;  // nothing of an answer came
      if (response.upload_ && !response.upload_->running && !response.upload_->result &&
          response.upload_->result.error().side == Side::client)
        error = response.upload_->result.error();
      co_await response.finish();
      co_return error;
    }
    response.h2_head_ = std::move(*head);
    if (!response.h2_head_.head.is_informational()) break;
    if (++informational > kMostInformational) {
      co_await response.finish();
      co_return too_much_information();
    }
    if (request.on_informational) co_await request.on_informational(response.h2_head_.head);
  }
  if (response.h2_head_.head.status == 407) {
    co_await response.finish();
    co_return wants_proxy_login(request.target);
  }
  response.timings_.first_byte = reactor_.sweeper().now() - begin;
  if (response.upload_) response.upload_->response_begun = true;
  response.pause();
  co_return Result<void>{};
}

Task<> HttpClient::upload_to_stream(std::shared_ptr<ClientResponse::Upload> upload) {
  OriginStream& stream = *upload->h2;
  Result<void> result;
  while (!upload->stop) {
    Result<std::string_view> piece = co_await upload->body->read();
    if (upload->stop) break;
    if (!piece) {
      result = piece.error();
      break;
    }
    if (piece->empty()) {
      stream.end(upload->body->trailers());
      break;
    }
    if (stream.put(*piece)) continue;
    result = co_await stream.sent(upload->timeouts.body_idle);
    if (!result) break;
  }
  if (upload->stop && result) result = Error{ErrorKind::cancelled, Side::self, "the upload was given up"};
  if (!result && result.error().side == Side::client && !upload->stop) {
    stream.reset(NGHTTP2_CANCEL);  // without the rest of the request there will be no answer
  } else if (upload->reader_waits && !stream.failed()) {
    const Duration limit = upload->response_begun ? upload->timeouts.body_idle : upload->timeouts.head;
    stream.set_read_deadline(upload->at_most(limit));
  }
  upload->result = std::move(result);
  upload->running = false;
  upload->changed.notify();
}

}  // namespace outrider
