// One client connection: reads requests one after another (pipelined ones wait their turn), has each answered by a
// Transaction, and decides whether there will be another. While idle it holds neither a buffer nor a timer.
#pragma once

#include "base/body_source.hpp"
#include "base/buffer_pool.hpp"
#include "base/http_codec.hpp"
#include "base/stream.hpp"
#include "proxy/client_side.hpp"
#include "proxy/responder.hpp"

#include <boost/container/static_vector.hpp>

#include <memory>
#include <span>
#include <string>

namespace outrider {

class Session final : public std::enable_shared_from_this<Session>, public IdleConnection, public ClientSide {
 public:
  Session(IoWorker& worker, std::shared_ptr<Stream> client, std::shared_ptr<void> admission_slot);
  // What was a tunnel and has been decrypted. Whoever opened it stays responsible for the connection's place.
  Session(IoWorker& worker, std::shared_ptr<Stream> client, std::shared_ptr<const InterceptedOrigin> intercepted);
  ~Session();

  Task<> run();  // until the connection ends
  void close_idle() override { client_->close(); }

  Stream& connection() override { return *client_; }
  ConnectionLogins& logins() override { return logins_; }
  RequestHead& request() override { return parser_.head(); }
  const BodyFraming& request_framing() const override { return parser_.framing(); }
  bool expects_continue() const override { return parser_.expects_continue(); }
  std::shared_ptr<BodySource> request_body() override;
  std::uint64_t body_bytes() const override { return body_bytes_; }
  bool has_left() override { return client_->has_left(); }

  Task<> write_answer(const Answer& answer) override;
  Task<> send_informational(const ResponseHead& head) override;
  void begin_answer(ResponseHead& head, const BodyFraming& framing) override;
  bool put(std::string_view bytes, bool more) override;
  bool takes_several() const override { return !chunked_; }
  bool put_several(std::string_view bytes, std::span<const std::string_view> along) override;
  bool flush() override;
  bool end(const HeaderMap& trailers) override;
  Task<Result<void>> sent() override;
  void pause() override { client_->no_write_deadline(); }
  void abort() override;
  void close_after_this() override { close_after_ = true; }
  void end_connection() override { close_after_ = true; }

  Task<Result<void>> accept_tunnel(const ResponseHead& head) override;
  Task<> tunnel(OriginTunnel origin, std::uint64_t& bytes_in, std::uint64_t& bytes_out) override;
  std::shared_ptr<Stream> take_connection() override;
  void go_on_inside(std::shared_ptr<const InterceptedOrigin> origin, std::string protocol) override;

 private:
  class RequestBody;
  friend class RequestBody;
  static constexpr std::size_t kPiecesAtOnce = 8;  // in one system call

  void become_idle(bool first);
  bool read_head_now();
  Task<Result<ParseEvent>> read_event(std::string_view* body);
  Task<bool> read_head();
  Task<> answer_bad_request(const Error& error, SteadyTime begin);
  Task<bool> discard_rest_of_request();
  void add_connection_header(ResponseHead& head);
  bool send_now(std::string_view bytes, std::string_view end);
  bool send_pending_now();
  std::span<std::string_view> pending() { return {pending_.data(), pending_.size()}; }
  std::size_t unread_rest();

  std::shared_ptr<void> admission_slot_;  // counts this connection against its client's limit
  std::shared_ptr<Stream> client_;
  RequestParser parser_;
  Buffer buffer_;
  std::string_view unparsed_;
  std::string output_;  // what is to be sent next; its memory serves one request after another
  boost::container::static_vector<std::string_view, kPiecesAtOnce> pending_;  // what could not be sent at once
  std::size_t last_read_ = 0;
  std::size_t unread_ = 0;  // put back into the stream so far
  std::uint64_t body_bytes_ = 0;
  ConnectionLogins logins_;
  const bool counted_;  // among the worker's connections
  bool request_complete_ = true;
  bool close_after_ = false;
  bool chunked_ = false;       // the answer
  bool http2_inside_ = false;  // the tunnel that was opened up speaks HTTP/2
};

}  // namespace outrider
