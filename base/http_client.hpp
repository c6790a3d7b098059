// HTTP toward origins: takes a connection from the pool or opens one through the egress, sends the request while
// reading the response, and retries once where that is safe. An https origin that chooses HTTP/2 gets one connection
// that all requests share (base/http2_origins), also those of other reactors (base/http2_homes); whoever reads the
// answer does not notice. One per reactor; used by everything that fetches.
#pragma once

#include "base/body_source.hpp"
#include "base/connection_pool.hpp"
#include "base/egress.hpp"
#include "base/http2_homes.hpp"
#include "base/http2_stream.hpp"
#include "base/http_connection.hpp"
#include "base/task_group.hpp"

#include <functional>
#include <memory>
#include <string>

namespace outrider {

class Http2Connection;
class Http2Origins;
class HttpErrand;

struct ClientTimeouts {
  Duration connect = std::chrono::seconds{10};    // resolve, connect, TLS
  Duration head = std::chrono::seconds{60};       // from the end of the request to the head of the response
  Duration body_idle = std::chrono::seconds{60};  // between two pieces of a body
};

struct ClientRequest {
  EgressTarget target;
  const RequestHead* head = nullptr;  // as it goes out: framing and hop-by-hop fields are already right
  std::string wire_target;            // request target: origin-form, or absolute-form for a parent proxy
  std::shared_ptr<BodySource> body;   // nullptr = none
  BodyFraming body_framing;
  ClientTimeouts timeouts;
  Deadline deadline;  // for the whole exchange
  // Called for each informational response; may suspend.
  std::function<Task<>(const ResponseHead&)> on_informational;
  bool errand = false;  // of another reactor: it goes no further
  // Filled in: what is in use, for whoever wants to end the exchange.
  std::weak_ptr<Stream> connection;
  std::weak_ptr<OriginStream> stream;
  void abandon() const;
};

struct ClientTimings {
  Duration wait{};  // for a place in the pool
  Duration dns{};
  Duration connect{};
  Duration tls{};
  Duration first_byte{};  // request sent → response head
  bool reused = false;
  bool retried = false;
};

// A connection to an origin that is no HTTP any more: one of them.
struct OriginTunnel {
  std::shared_ptr<Stream> connection;
  std::shared_ptr<OriginStream> stream;
};

// The answer: its head, and its body as a source. Destroying it early closes the connection, or
// resets its stream of one.
class ClientResponse final : public BodySource {
 public:
  ~ClientResponse() override;

  ResponseHead& head() { return h2_ ? h2_head_.head : connection().parser().head(); }
  const BodyFraming& framing() { return h2_ ? h2_head_.framing : connection().parser().framing(); }
  bool framing_doubtful() { return h2_ ? framing_doubtful_ : connection().parser().framing_doubtful(); }
  const ClientTimings& timings() const { return timings_; }

  Task<Result<std::string_view>> read() override;
  // What has been received already; nothing = read() would have to wait.
  std::optional<Result<std::string_view>> read_now() { return h2_ ? h2_->read_now() : connection().read_body_now(); }
  // In place of the request's: for an answer that others than who asked for it read too.
  void set_deadline(Deadline deadline);
  // Nobody waits for the origin at the moment: its time does not run.
  void pause();
  const HeaderMap& trailers() const override;
  void cancel() override;
  // Ends the exchange: stops an upload that is still running, and gives the connection back if it may be reused. Must
  // be awaited before the request's body source goes away.
  Task<> finish();
  // The same at once; false = an upload is running, use finish().
  bool finish_now();
  bool buffered() const { return h2_ ? h2_->buffered() : connection().buffered(); }  // read() will not have to wait
  bool upload_complete() const;
  bool is_http2() const { return h2_ != nullptr; }
  // After 101 (or a 2xx to CONNECT): what follows, with whatever was read beyond the head.
  OriginTunnel take_tunnel();

 private:
  friend class HttpClient;
  struct Upload;
  HttpConnection& connection() const { return *lease_.connection(); }
  ConnectionPool::Lease lease_;
  std::shared_ptr<OriginStream> h2_;  // in place of a leased connection
  Http2Block::Response h2_head_;
  bool framing_doubtful_ = false;
  std::shared_ptr<Upload> upload_;
  ClientTimings timings_;
  Duration body_idle_{};
  Deadline deadline_;
};

class HttpClient {
 public:
  // `homes`: where reactors find each other's HTTP/2 connections; nullptr: this one is alone. `takes_in`: the requests
  // of others may be sent from here.
  HttpClient(Reactor& reactor, Egress& egress, std::shared_ptr<ConnectionPool> pool, const HttpLimits& limits,
             Http2Homes* homes = nullptr, bool takes_in = false);
  ~HttpClient();

  // `request` must stay alive until the response's finish() (or until this fails).
  Task<Result<std::unique_ptr<ClientResponse>>> send(ClientRequest& request);

  // A request to this https origin will come in a moment: begins to connect, if there is no connection yet.
  void prepare(EgressTarget target, Deadline deadline);

  void run(std::shared_ptr<HttpErrand> errand);  // of another reactor

  Egress& egress() { return egress_; }
  ConnectionPool& pool() { return *pool_; }
  Http2Origins& http2() { return *http2_; }
  void close_idle();
  void leave_homes();  // nobody else's requests any more

 private:
  using Answer = Result<std::unique_ptr<ClientResponse>>;
  // `again`: set where the request has certainly not been acted upon and may be sent once more; nullptr = nobody asks.
  Task<Answer> send_over_http1(ClientRequest& request, bool* again);
  Task<Result<std::shared_ptr<Http2Connection>>> connect(ClientRequest& request, ClientResponse& response,
                                                         const std::string& key);
  Task<Result<void>> exchange_heads(ClientRequest& request, ClientResponse& response);
  Task<> upload(std::shared_ptr<ClientResponse::Upload> upload);

  // http_client_http2.cpp
  Task<Answer> send_over_either(ClientRequest& request);
  Task<Result<std::shared_ptr<Http2Connection>>> find_or_wait(const ClientRequest& request, const std::string& key);
  bool may_be_shared(const std::string& key) const;
  Task<Result<std::shared_ptr<HttpHome>>> find_home(const ClientRequest& request, const std::string& key);
  Task<Answer> send_over_stream(ClientRequest& request, std::shared_ptr<OriginStream> stream,
                                std::unique_ptr<ClientResponse> response, bool* again);
  Task<Answer> send_elsewhere(ClientRequest& request, const std::string& key, std::shared_ptr<HttpHome> home,
                              bool* again);
  Task<Result<void>> exchange_stream_heads(ClientRequest& request, ClientResponse& response);
  Task<> upload_to_stream(std::shared_ptr<ClientResponse::Upload> upload);

  // http_client_websocket.cpp
  Task<Answer> send_websocket(ClientRequest& request);
  Task<Answer> open_websocket(ClientRequest& request, std::shared_ptr<OriginStream> stream, bool* again);
  Task<Result<std::shared_ptr<Http2Connection>>> connect_over_http2(ClientRequest& request, const std::string& key);

  Reactor& reactor_;
  Egress& egress_;
  std::shared_ptr<ConnectionPool> pool_;
  const HttpLimits limits_;
  Http2Homes* const homes_;
  const bool takes_in_;
  const std::shared_ptr<HttpHome> home_;
  std::shared_ptr<Http2Origins> http2_;
  TaskGroup tasks_;  // uploads, and what is sent for others
};

// May the origin choose HTTP/2? Not where the connection is to be used for something else afterwards (Upgrade; for
// WebSockets see http_client_websocket.cpp).
inline bool may_use_http2(const EgressTarget& target) {
  return target.tls && !target.tunnel;
}

// Informational answers before the real one: whoever sends more of them has something else in mind.
constexpr int kMostInformational = 32;
Error too_much_information();
// 407: the login would be between us and whoever wants it. The client would take it for our own wish (RFC 9110 section
// 15.5.8).
Error wants_proxy_login(const EgressTarget& target);

// What makes two connections interchangeable.
std::string pool_key(const EgressTarget& target);

}  // namespace outrider
