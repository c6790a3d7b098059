// An https origin on loopback that speaks HTTP/2 or HTTP/1, and a client that reaches it through the proxy in either:
// the same questions and answers in all four combinations.
#pragma once

#include "base/http2_connection.hpp"
#include "base/http_connection.hpp"
#include "tests/support/reactor_fixture.hpp"
#include "tests/support/test_ca.hpp"

#include <boost/asio/ssl/context.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace outrider::testing {

enum class Speaks : std::uint8_t { http1, http2 };

struct SiteRequest {
  std::string method = "GET";
  std::string path = "/";
  HeaderMap headers;
  HeaderMap trailers;
  std::string body;
  bool has_body = false;
};

struct SiteAnswer {
  int status = 200;
  HeaderMap headers;
  HeaderMap trailers;
  std::string body;
  std::vector<int> informational;
  bool endless = false;  // goes on sending until nobody takes it any more
  bool no_body = false;  // HEAD, 304: the head is all there is
  bool failed = false;   // a client's: it did not end as it should
};

class TlsSite {
 public:
  using Reply = std::function<SiteAnswer(const SiteRequest&)>;

  // For "localhost" and 127.0.0.1. WebSockets are echoed; in HTTP/2 only if it says so (RFC 8441).
  TlsSite(const TestCa& ca, Speaks protocol, Reply reply, bool websockets_in_http2 = true);
  ~TlsSite();

  std::uint16_t port() const { return port_; }
  std::size_t connections() const { return connections_; }
  std::size_t requests() const { return requests_; }
  std::size_t websockets() const { return websockets_; }
  std::uint64_t endless_bytes() const { return endless_bytes_; }
  bool endless_ended() const { return endless_ended_; }  // nobody took any more

 private:
  Task<> accept();
  Task<> serve(TcpSocket socket);
  Task<> serve_http1(std::shared_ptr<Stream> stream);
  Task<> answer_stream(std::shared_ptr<Http2Stream> stream);
  Task<Result<void>> send_http1(Stream& stream, const SiteAnswer& answer);

  const Speaks protocol_;
  const bool websockets_in_http2_;
  Reply reply_;
  asio::ssl::context context_{asio::ssl::context::tls_server};
  std::atomic<std::size_t> connections_ = 0, requests_ = 0, websockets_ = 0;
  std::atomic<std::uint64_t> endless_bytes_ = 0;
  std::atomic<bool> endless_ended_ = false;
  Reactor reactor_;
  TcpAcceptor acceptor_;
  std::uint16_t port_;
  TaskGroup tasks_;
  std::thread thread_;
};

// One connection to a site through a proxy that opens up tunnels.
class TlsPeer {
 public:
  TlsPeer(Reactor& reactor, std::uint16_t proxy_port, std::uint16_t site_port, Speaks protocol,
          std::string host = "localhost");
  ~TlsPeer();

  Task<Result<void>> connect();
  Task<SiteAnswer> ask(SiteRequest request);

  Stream& stream() { return *stream_; }
  const std::shared_ptr<Http2Connection>& http2() const { return http2_; }
  std::string authority() const { return host_ + ':' + std::to_string(site_port_); }

  std::string connect_fields;  // of CONNECT, with their ends

 private:
  Task<SiteAnswer> ask_http1(SiteRequest request);
  Task<SiteAnswer> ask_http2(SiteRequest request);
  RequestHead head_of(const SiteRequest& request) const;

  Reactor& reactor_;
  std::uint16_t proxy_port_, site_port_;
  Speaks protocol_;
  std::string host_;
  asio::ssl::context context_{asio::ssl::context::tls_client};
  std::shared_ptr<Stream> stream_;
  std::shared_ptr<Http2Connection> http2_;
  std::unique_ptr<HttpConnection> http1_;
  TaskGroup tasks_;
};

}  // namespace outrider::testing
