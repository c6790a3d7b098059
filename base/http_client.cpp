#include "base/http_client.hpp"

#include "base/connection_login.hpp"
#include "base/http2_origins.hpp"
#include "base/http_client_upload.hpp"
#include "base/http_errand.hpp"
#include "base/http_writer.hpp"

#include <fmt/format.h>

namespace outrider {

ClientResponse::~ClientResponse() {
  if (upload_ && upload_->running) {  // only when unwound: finish() was not reached
    upload_->stop = true;
    lease_.drop_connection();
  }
  if (h2_ && !h2_->receive_ended()) h2_->reset(NGHTTP2_CANCEL);
}

void ClientRequest::abandon() const {
  if (const std::shared_ptr<Stream> origin = connection.lock()) origin->close();
  if (const std::shared_ptr<OriginStream> origin = stream.lock()) origin->reset(NGHTTP2_CANCEL);
}

bool ClientResponse::upload_complete() const {
  return !upload_ || (!upload_->running && upload_->result);
}

Task<Result<std::string_view>> ClientResponse::read() {
  if (h2_) {
    if (upload_ && upload_->running) {
      upload_->reader_waits = true;
    } else {
      h2_->set_read_deadline(deadline_.sooner_of(h2_->in(body_idle_)));
    }
    return h2_->read();
  }
  HttpConnection& origin = connection();
  if (upload_ && upload_->running) {
    upload_->reader_waits = true;  // the origin's time begins when it has the whole request
  } else {
    origin.stream().set_read_deadline(deadline_.sooner_of(origin.stream().reactor().sweeper().in(body_idle_)));
  }
  return origin.read_body();
}

void ClientResponse::set_deadline(Deadline deadline) {
  deadline_ = deadline;
  pause();
}

void ClientResponse::pause() {
  if (upload_) upload_->reader_waits = false;
  if (h2_) return h2_->set_read_deadline(deadline_);
  connection().stream().set_read_deadline(deadline_);
}

const HeaderMap& ClientResponse::trailers() const {
  return h2_ ? h2_->trailers() : connection().parser().trailers();
}

void ClientResponse::cancel() {
  if (h2_) return h2_->reset(NGHTTP2_CANCEL);
  connection().stream().close();
}

Task<> ClientResponse::finish() {
  if (upload_ && upload_->running) {
    upload_->stop = true;
    upload_->body->cancel();
    cancel();
    while (upload_->running) co_await upload_->changed.wait();
  }
  finish_now();
}

bool ClientResponse::finish_now() {
  if (upload_ && upload_->running) return false;
  if (h2_) {
    if (!h2_->receive_ended() || !upload_complete()) h2_->reset(NGHTTP2_CANCEL);
    return true;
  }
  // An answer that came before the whole request was sent leaves the connection in a state nobody can trust.
  if (!upload_complete()) lease_.drop_connection();
  // Nobody reads the body of an answer that has none: that it is complete is found out here.
  if (lease_.connection() != nullptr && framing().kind == BodyFraming::Kind::none) (void)connection().read_body_now();
  lease_.give_back();
  return true;
}

OriginTunnel ClientResponse::take_tunnel() {
  OriginTunnel tunnel;
  if (h2_) {
    tunnel.stream = std::move(h2_);
    tunnel.stream->set_read_deadline(Deadline::never());
  } else {
    tunnel.connection = lease_.take()->take_stream();
    tunnel.connection->no_deadline();
  }
  return tunnel;
}

std::string pool_key(const EgressTarget& target) {
  const bool through_parent = target.parent && !through_tunnel(target);
  std::string key;
  if (through_parent) {  // plain requests of all hosts share the connections to their parent
    key.append("parent ").append(target.parent->name());
  } else {
    key.reserve(target.host.size() + 48);
    const fmt::format_int port{target.port};
    key.append(target.tls ? "tls " : "tcp ").append(target.host).append(":").append(port.data(), port.size());
    if (target.parent) key.append(" via ").append(target.parent->name());
  }
  if (!target.apart.empty()) key.append(" apart ").append(target.apart);
  return key;
}

HttpClient::HttpClient(Reactor& reactor, Egress& egress, std::shared_ptr<ConnectionPool> pool, const HttpLimits& limits,
                       Http2Homes* homes, bool takes_in)
    : reactor_(reactor),
      egress_(egress),
      pool_(std::move(pool)),
      limits_(limits),
      homes_(homes),
      takes_in_(takes_in),
      home_(std::make_shared<HttpHome>(reactor, *this)),
      http2_(std::make_shared<Http2Origins>(reactor, limits, pool_->limits().idle, homes, home_)),
      tasks_(reactor.executor()) {
  if (homes_ != nullptr && takes_in_) homes_->add(home_);
}

HttpClient::~HttpClient() {
  leave_homes();
  home_->close();
}

void HttpClient::leave_homes() {
  if (homes_ != nullptr) homes_->remove(home_);
}

void HttpClient::run(std::shared_ptr<HttpErrand> errand) {
  tasks_.spawn(HttpErrand::run(std::move(errand), *this, reactor_.executor()), "request of another reactor");
}

void HttpClient::close_idle() {
  pool_->close_idle();
  http2_->close_idle();
}

Task<Result<std::unique_ptr<ClientResponse>>> HttpClient::send(ClientRequest& request) {
  if (may_use_http2(request.target)) return send_over_either(request);
  if (request.target.tls && asks_for_websocket(*request.head)) return send_websocket(request);
  return send_over_http1(request, nullptr);
}

// Not nullptr: the origin has chosen HTTP/2.
Task<Result<std::shared_ptr<Http2Connection>>> HttpClient::connect(ClientRequest& request, ClientResponse& response,
                                                                   const std::string& key) {
  HttpOffer offer{http2_, request.target, key};
  const Deadline deadline = request.deadline.sooner_of(reactor_.sweeper().in(request.timeouts.connect));
  Result<EgressConnection> opened = co_await egress_.connect(request.target, deadline);
  if (!opened) {
    offer.failed(opened.error());
    co_return opened.error();
  }
  response.timings_.dns = opened->dns;
  response.timings_.connect = opened->connect;
  response.timings_.tls = opened->tls;
  response.timings_.reused = false;
  std::shared_ptr<Http2Connection> shared = offer.taken(opened->protocol, opened->stream);
  if (!shared) response.lease_.set(std::make_unique<HttpConnection>(std::move(opened->stream), limits_));
  co_return shared;
}

Task<Result<std::unique_ptr<ClientResponse>>> HttpClient::send_over_http1(ClientRequest& request, bool* again) {
  // A connection to a parent is shared by all destinations, so the destination is judged here and not only when the
  // connection is made. (The parent resolves names; an address we can judge ourselves.)
  if (request.target.parent) {
    ErrorCode name;
    const IpAddress literal = asio::ip::make_address(request.target.host, name);
    if (!name) {
      if (Result<void> verdict = request.target.policy->check(literal, request.target.port); !verdict)
        co_return verdict.error();
    }
  }
  auto response = std::make_unique<ClientResponse>();
  response->body_idle_ = request.timeouts.body_idle;
  response->deadline_ = request.deadline;
  const std::string key = pool_key(request.target);
  const bool repeatable = is_idempotent(request.head->method) && !request.body;
  if (!pool_->try_acquire(key, response->lease_, repeatable)) {
    const SteadyTime begin = reactor_.sweeper().now();
    const Deadline deadline = request.deadline.sooner_of(reactor_.sweeper().in(request.timeouts.connect));
    Result<ConnectionPool::Lease> lease = co_await pool_->acquire(key, deadline);
    if (!lease) co_return lease.error();
    response->lease_ = std::move(*lease);
    response->timings_.wait = reactor_.sweeper().now() - begin;
  }
  // Whoever opened a kept connection may have been allowed more than we are.
  if (HttpConnection* kept = response->lease_.connection(); kept != nullptr && !request.target.parent) {
    const tcp::endpoint& peer = kept->stream().peer();
    if (!request.target.policy->check(peer.address(), peer.port())) response->lease_.drop_connection();
  }
  response->timings_.reused = response->lease_.connection() != nullptr;
  for (;;) {
    if (response->lease_.connection() == nullptr) {
      Result<std::shared_ptr<Http2Connection>> connected = co_await connect(request, *response, key);
      if (!connected) co_return connected.error();
      if (*connected) {
        response->lease_.give_back();  // only the permission to connect
        std::shared_ptr<OriginStream> stream = (*connected)->open();
        co_return co_await send_over_stream(request, std::move(stream), std::move(response), again);
      }
    }
    Result<void> heads = co_await exchange_heads(request, *response);
    if (heads) co_return response;
    // The origin may close a kept connection at any time. Sending again is safe only if the method says so, nothing of
    // the answer has been seen, and the body can be had again, which a stream cannot.
    Error error = heads.error();
    const bool once_more = response->timings_.reused && error.retry_safe && repeatable && !response->timings_.retried;
    if (!once_more) co_return error;
    response->timings_.retried = true;
    response->lease_.drop_connection();
  }
}

Task<Result<void>> HttpClient::exchange_heads(ClientRequest& request, ClientResponse& response) {
  HttpConnection& origin = *response.lease_.connection();
  Stream& stream = origin.stream();
  const SteadyTime begin = reactor_.sweeper().now();
  std::string wire;
  wire.reserve(1024);
  write_request_head(wire, *request.head, request.wire_target);
  const Deadline head_due = request.deadline.sooner_of(Deadline{begin + request.timeouts.head});
  stream.set_read_deadline(request.body ? request.deadline : head_due);
  origin.begin(request.head->method);
  request.connection = origin.shared_stream();
  std::array<std::string_view, 3> pieces{wire, {}, {}};
  Result<bool> at_once = stream.write_now(pieces);
  Result<void> sent;
  if (!at_once) {
    sent = at_once.error();
  } else if (!*at_once) {
    stream.set_write_deadline(head_due);
    sent = co_await stream.write(pieces);
    stream.no_write_deadline();
  }
  if (!sent) {
    Error error = sent.error();
    error.retry_safe = error.kind == ErrorKind::closed_early;
    co_return error;
  }
  if (request.body) {
    response.upload_ = std::make_shared<ClientResponse::Upload>(reactor_, request);
    response.upload_->stream = origin.shared_stream();
    tasks_.spawn(upload(response.upload_), "upload");
  }
  std::optional<Result<ResponseHead*>> head;
  if (Result<void> ready = co_await stream.wait_readable(); ready) head = origin.read_head_now();
  for (int informational = 0;; head.reset()) {
    if (!head) {
      Result<ResponseHead*> waited = co_await origin.read_head();
      head.emplace(std::move(waited));
    }
    if (!*head) {
      Error error = head->error();
      // What the upload ran into explains more than the read that failed because of it.
      if (response.upload_ && !response.upload_->running && !response.upload_->result &&
          response.upload_->result.error().side == Side::client)
        error = response.upload_->result.error();
      co_await response.finish();
      co_return error;
    }
    const ResponseHead& received = ***head;
    if (!received.is_informational() || received.status == 101) break;
    if (++informational > kMostInformational) {
      co_await response.finish();
      co_return too_much_information();
    }
    if (request.on_informational) co_await request.on_informational(received);
  }
  if (response.head().status == 407) {
    co_await response.finish();
    co_return wants_proxy_login(request.target);
  }
  // It is somebody's now, or is about to be. Others must not get it, unless they are the same somebody.
  if (request.target.apart.empty() &&
      (logs_in_connection(request.head->headers) ||
       (response.head().status == 401 && offers_connection_login(response.head().headers))))
    origin.never_reuse();
  response.timings_.first_byte = reactor_.sweeper().now() - begin;
  if (response.upload_) response.upload_->response_begun = true;
  response.pause();
  co_return Result<void>{};
}

Task<> HttpClient::upload(std::shared_ptr<ClientResponse::Upload> upload) {
  const bool chunked = upload->framing.kind == BodyFraming::Kind::chunked;
  Result<void> result;
  while (!upload->stop) {
    upload->stream->set_write_deadline(upload->deadline);  // the client's side has its own while we wait for it
    Result<std::string_view> piece = co_await upload->body->read();
    if (upload->stop) break;
    if (!piece) {
      result = piece.error();
      break;
    }
    upload->stream->set_write_deadline(upload->at_most(upload->timeouts.body_idle));
    upload->scratch.clear();
    if (piece->empty()) {
      if (chunked) {
        write_last_chunk(upload->scratch, upload->body->trailers());
        result = co_await upload->stream->write(upload->scratch);
      }
      break;
    }
    if (chunked) {
      write_chunk_start(upload->scratch, piece->size());
      const std::array<std::string_view, 3> pieces{upload->scratch, *piece, "\r\n"};
      result = co_await upload->stream->write(pieces);
    } else {
      result = co_await upload->stream->write(*piece);
    }
    if (!result) break;
  }
  if (upload->stop && result) result = Error{ErrorKind::cancelled, Side::self, "the upload was given up"};
  upload->stream->no_write_deadline();
  if (!result && result.error().side == Side::client && !upload->stop) {
    upload->stream->close();  // without the rest of the request there will be no answer: the reader need not wait
  } else if (upload->reader_waits) {
    // An origin that stops reading may still have sent its answer: the reader finds out.
    const Duration limit = upload->response_begun ? upload->timeouts.body_idle : upload->timeouts.head;
    upload->stream->set_read_deadline(upload->at_most(limit));
  }
  upload->result = std::move(result);
  upload->running = false;
  upload->changed.notify();
}

Error wants_proxy_login(const EgressTarget& target) {
  if (target.parent && !through_tunnel(target))
    return Error{ErrorKind::parent_refused, Side::parent,
                 fmt::format("the parent proxy {} answered 407: it wants a login", target.parent->name())};
  return Error{ErrorKind::bad_message, Side::origin, "the origin answered 407 as if it were the client's proxy"};
}

Error too_much_information() {
  return Error{ErrorKind::bad_message, Side::origin, "informational answers without end"};
}

}  // namespace outrider
