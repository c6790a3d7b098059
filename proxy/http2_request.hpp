// One stream of a client's HTTP/2 connection as a Transaction sees it. A WebSocket that is opened by an extended
// CONNECT (RFC 8441) looks like the Upgrade request of HTTP/1 that means the same, and its answer is turned back.
#pragma once

#include "base/http2_connection.hpp"
#include "proxy/client_side.hpp"

#include <memory>
#include <string>

namespace outrider {

class Http2Request final : public ClientSide {
 public:
  // The stream's request is there, and no error.
  Http2Request(IoWorker& worker, std::shared_ptr<Http2Stream> stream,
               std::shared_ptr<const InterceptedOrigin> intercepted, ConnectionLogins& logins);
  ~Http2Request();

  // Behind the transaction: until what it sent has gone, and the stream is over.
  Task<> finish();

  Stream& connection() override { return *connection_; }
  ConnectionLogins& logins() override { return logins_; }
  RequestHead& request() override { return asked_.head; }
  const BodyFraming& request_framing() const override { return asked_.framing; }
  bool expects_continue() const override;
  std::shared_ptr<BodySource> request_body() override;
  std::uint64_t body_bytes() const override;
  bool has_left() override { return stream_->failed(); }

  Task<> write_answer(const Answer& answer) override;
  Task<> send_informational(const ResponseHead& head) override;
  void begin_answer(ResponseHead& head, const BodyFraming& framing) override;
  bool put(std::string_view bytes, bool more) override;
  bool flush() override;
  bool end(const HeaderMap& trailers) override;
  Task<Result<void>> sent() override;
  void pause() override {}  // time runs only while sent() is awaited
  void abort() override;
  void close_after_this() override {}  // the other streams have nothing to do with it
  void end_connection() override;

  Task<Result<void>> accept_tunnel(const ResponseHead& head) override;
  Task<> tunnel(OriginTunnel origin, std::uint64_t& bytes_in, std::uint64_t& bytes_out) override;
  std::shared_ptr<Stream> take_connection() override { return nullptr; }
  void go_on_inside(std::shared_ptr<const InterceptedOrigin>, std::string) override {}  // no tunnel in a tunnel

 private:
  class Body;
  void send_head(bool ends);

  std::shared_ptr<Http2Stream> stream_;
  std::shared_ptr<Stream> connection_;
  Http2Block::Request& asked_;
  ConnectionLogins& logins_;  // of all streams
  std::shared_ptr<Body> body_;
  ResponseHead* head_ = nullptr;  // of the answer that has begun; not yet sent while it is set
  std::string websocket_key_;     // what we asked the origin with; "" = this is no WebSocket
};

}  // namespace outrider
