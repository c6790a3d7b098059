// HTTP/1.1 toward origins: takes a connection from the pool or opens one through the egress, sends the request while
// reading the response, and retries once where that is safe. One per reactor; used by everything that fetches.
#pragma once

#include "base/body_source.hpp"
#include "base/connection_pool.hpp"
#include "base/egress.hpp"
#include "base/http_connection.hpp"
#include "base/task_group.hpp"

#include <functional>
#include <memory>
#include <string>

namespace outrider {

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
  // Called for each informational response but 100-continue that nobody asked for; may suspend.
  std::function<Task<>(const ResponseHead&)> on_informational;
  // Filled in: the connection that is in use, for whoever wants to end the exchange by closing it.
  std::weak_ptr<Stream> connection;
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

// The answer: its head, and its body as a source. Destroying it early closes the connection.
class ClientResponse final : public BodySource {
 public:
  ~ClientResponse() override;

  ResponseHead& head() { return connection().parser().head(); }
  const BodyFraming& framing() { return connection().parser().framing(); }
  bool framing_doubtful() { return connection().parser().framing_doubtful(); }
  const ClientTimings& timings() const { return timings_; }
  const tcp::endpoint& peer() { return connection().stream().peer(); }

  Task<Result<std::string_view>> read() override;
  // What has been received already; nothing = read() would have to wait.
  std::optional<Result<std::string_view>> read_now() { return connection().read_body_now(); }
  // Nobody waits for the origin at the moment: its time does not run.
  void pause();
  const HeaderMap& trailers() const override;
  void cancel() override;
  // Ends the exchange: stops an upload that is still running, and gives the connection back if it may be reused. Must
  // be awaited before the request's body source goes away.
  Task<> finish();
  // The same at once; false = an upload is running, use finish().
  bool finish_now();
  bool buffered() const { return connection().buffered(); }  // the next read() will not have to wait
  bool upload_complete() const;
  // After 101 (or a 2xx to CONNECT): the connection, with whatever was read beyond the head.
  std::shared_ptr<Stream> take_stream();

 private:
  friend class HttpClient;
  struct Upload;
  HttpConnection& connection() const { return *lease_.connection(); }
  ConnectionPool::Lease lease_;
  std::shared_ptr<Upload> upload_;
  ClientTimings timings_;
  Duration body_idle_{};
  Deadline deadline_;
};

class HttpClient {
 public:
  HttpClient(Reactor& reactor, Egress& egress, std::shared_ptr<ConnectionPool> pool, const HttpLimits& limits);

  // `request` must stay alive until the response's finish() (or until this fails).
  Task<Result<std::unique_ptr<ClientResponse>>> send(ClientRequest& request);

  Egress& egress() { return egress_; }
  ConnectionPool& pool() { return *pool_; }

 private:
  Task<Result<void>> connect(ClientRequest& request, ClientResponse& response);
  Task<Result<void>> exchange_heads(ClientRequest& request, ClientResponse& response);
  Task<> upload(std::shared_ptr<ClientResponse::Upload> upload);

  Reactor& reactor_;
  Egress& egress_;
  std::shared_ptr<ConnectionPool> pool_;
  const HttpLimits limits_;
  TaskGroup uploads_;
};

// What makes two connections interchangeable.
std::string pool_key(const EgressTarget& target);

}  // namespace outrider
