#include "proxy/http2_session.hpp"

#include "proxy/connection_logins.hpp"
#include "proxy/http2_request.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/refused_request.hpp"
#include "proxy/responder.hpp"
#include "proxy/transaction.hpp"

namespace outrider {
namespace {

constexpr std::uint32_t kStreams = 100;  // at the same time; RFC 9113 section 6.5.2 recommends no fewer

Http2Limits limits_of(const ProxyPolicy& policy) {
  Http2Limits limits;
  limits.http = policy.limits;
  limits.streams = kStreams;
  limits.idle = policy.timeouts.keep_alive;
  limits.write_idle = policy.timeouts.body_idle;
  limits.extended_connect = true;
  return limits;
}

class Http2Session final : public IdleConnection, public std::enable_shared_from_this<Http2Session> {
 public:
  Http2Session(IoWorker& worker, std::shared_ptr<const InterceptedOrigin> intercepted)
      : worker_(worker), intercepted_(std::move(intercepted)) {
    worker_.idle_connections.push_back(*this);  // also while it is busy: it knows how to end in an orderly way
  }

  // Stop taking requests: those that are running are answered.
  void close_idle() override {
    IdleConnection::unlink();
    if (connection_) connection_->drain();
  }

  Task<> run(std::shared_ptr<Stream> client) {
    const std::shared_ptr<Http2Session> alive = shared_from_this();
    client_address_ = client->peer().address();
    auto on_request = [session = weak_from_this()](std::shared_ptr<Http2Stream> stream) {
      if (const std::shared_ptr<Http2Session> self = session.lock()) self->begin(std::move(stream));
    };
    connection_ = std::make_shared<Http2Connection>(std::move(client), Http2Connection::Role::server,
                                                    limits_of(*worker_.policy()), std::move(on_request));
    if (worker_.draining) connection_->drain();
    co_await connection_->run(worker_.tasks());
  }

 private:
  void begin(std::shared_ptr<Http2Stream> stream) {
    // A stream that was reset no longer counts for the peer, but what it began may still be running here.
    if (running_ >= 2 * kStreams) {
      stream->reset(NGHTTP2_REFUSED_STREAM);
      return;
    }
    worker_.tasks().spawn(serve(shared_from_this(), std::move(stream)), "http2 request");
  }

  static Task<> serve(std::shared_ptr<Http2Session> session, std::shared_ptr<Http2Stream> stream) {
    const Running running{session->running_};
    if (stream->closed()) co_return;
    if (const std::optional<Error> fault = fault_of(*stream)) {
      co_await session->refuse(*stream, *fault);
      co_return;
    }
    Http2Request request{session->worker_, stream, session->intercepted_, session->logins_};
    {
      Transaction transaction{request};
      co_await transaction.run();
      transaction.record();
    }
    co_await request.finish();
  }

  static std::optional<Error> fault_of(Http2Stream& stream) {
    const Result<Http2Block::Request>& asked = stream.request();
    if (!asked) return asked.error();
    if (!asked->protocol.empty() && asked->protocol != "websocket")
      return Error{ErrorKind::unsupported, Side::client, "this proxy opens no tunnels for that protocol"};
    const bool plain_connect = asked->head.method == Method::connect && asked->protocol.empty();
    if (!plain_connect && asked->scheme != "https")
      return Error{ErrorKind::bad_message, Side::client, "the scheme is not that of the connection"};
    return std::nullopt;
  }

  Task<> refuse(Http2Stream& stream, const Error& error) {
    RefusedRequest refused;
    refused.id = worker_.shared().ids.next();
    ErrorContext context;
    context.exchange_id = refused.id.view();
    context.date = worker_.date().now();
    if (stream.request()) context.method = stream.request()->head.method;
    const Answer answer = answer_error(error, context);
    refused.client = client_address_;
    if (stream.request()) refused.head = &stream.request()->head;
    refused.protocol = "HTTP/2";
    refused.status = answer.head.status;
    refused.bytes_out = answer.body.size();
    refused.error = name_of(error);
    record(worker_.shared(), refused);
    stream.send_response(answer.head, answer.body.empty());
    if (!answer.body.empty()) {
      const Duration patience = worker_.policy()->timeouts.body_idle;
      if (!stream.put(answer.body)) co_await stream.sent(patience);
      stream.end({});
      co_await stream.finished(patience);
    }
    if (!stream.receive_ended()) stream.reset(NGHTTP2_NO_ERROR);
  }

  struct Running {
    explicit Running(std::size_t& all) : count(all) { ++count; }
    ~Running() { --count; }
    std::size_t& count;
  };

  IoWorker& worker_;
  std::shared_ptr<const InterceptedOrigin> intercepted_;
  IpAddress client_address_;
  ConnectionLogins logins_;
  std::shared_ptr<Http2Connection> connection_;
  std::size_t running_ = 0;  // transactions
};

}  // namespace

Task<> serve_http2(IoWorker& worker, std::shared_ptr<Stream> client,
                   std::shared_ptr<const InterceptedOrigin> intercepted) {
  auto session = std::make_shared<Http2Session>(worker, std::move(intercepted));
  co_await session->run(std::move(client));
}

}  // namespace outrider
