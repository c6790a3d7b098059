// One request and its answer on an HTTP/2 connection, seen from either end. What was received waits here until somebody
// reads it, and the peer may send more only for what was read (flow control carried through); what is to be sent is
// pulled by the connection when the peer's windows and the socket have room. Belongs to its connection's reactor. When
// the stream or its connection ends, whoever waits is woken with an Error.
#pragma once

#include "base/async_event.hpp"
#include "base/deadline_sweeper.hpp"
#include "base/error.hpp"
#include "base/http2_message.hpp"
#include "base/origin_stream.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

class Http2Connection;

class Http2Stream final : public OriginStream, public std::enable_shared_from_this<Http2Stream>, private Watched {
 public:
  // `side`: who is at the other end.
  Http2Stream(Http2Connection& connection, Side side);
  ~Http2Stream() override = default;

  std::int32_t id() const { return id_; }
  Http2Connection* connection() const { return connection_; }  // nullptr: it has ended
  bool closed() const { return connection_ == nullptr; }       // nothing more comes or goes
  bool failed() const override { return closed() || error_; }  // nothing more can be sent
  const std::optional<Error>& error() const { return error_; }

  // --- received. A server's stream begins with its request; a refused one has an error in its place.
  Result<Http2Block::Request>& request() { return *request_; }
  Task<Result<Http2Block::Response>> next_head() override;  // a client's stream
  std::optional<Result<std::string_view>> read_now() override;
  Task<Result<std::string_view>> read() override;
  bool buffered() const override { return !received_.empty() || receive_ended_; }
  bool receive_ended() const override { return receive_ended_; }
  const HeaderMap& trailers() const override { return trailers_; }
  bool refused() const override { return refused_; }
  bool wants_http1() const override { return wants_http1_; }
  bool connection_ended() const override { return connection_ended_; }

  // --- to be sent
  bool send_request(const RequestHead& head, std::string_view scheme, std::string_view path, bool ends) override;
  bool send_extended_connect(const RequestHead& head, std::string_view protocol, std::string_view path) override;
  bool send_response(const ResponseHead& head, bool ends);
  bool send_informational(const ResponseHead& head);
  bool put(std::string_view bytes) override;
  void end(const HeaderMap& trailers) override;
  Task<Result<void>> sent(Duration patience) override;
  Task<Result<void>> finished(Duration patience);  // as sent(), and everything has gone into the connection

  bool all_sent() const { return all_sent_; }  // the last frame too

  void reset(std::uint32_t code) override;
  void cancel_reads();  // a pending read() fails; sending goes on

  Deadline in(Duration duration) const override { return sweeper_.in(duration); }
  void set_read_deadline(Deadline deadline) override { set_deadlines(deadline, write_deadline_); }

 private:
  friend class Http2Connection;
  friend struct Http2Callbacks;

  static constexpr std::size_t kCopyAtMost = 16 * 1024;  // small pieces are copied, so that their owner need not wait
  static constexpr std::size_t kInformationalAtMost = 16;

  // Called by the connection.
  void ended_by_peer();
  void close(std::uint32_t code);
  void fail(Error error);
  std::size_t unsent() const { return copied_.size() - copied_sent_ + pending_.size(); }
  void take(std::size_t count, std::string& out);  // moves `count` bytes of what is unsent

  bool submit_request(const class Http2Fields& fields, bool ends);
  void resume();
  void release_read();
  void set_deadlines(Deadline read, Deadline write) {
    read_deadline_ = read;
    write_deadline_ = write;
    Watched::set_deadline(read.sooner_of(write));
  }
  void on_deadline() override;
  Error gone() const;

  Http2Connection* connection_;
  DeadlineSweeper& sweeper_;
  AsyncEvent changed_;
  std::int32_t id_ = 0;  // 0: not yet known to the connection
  Side side_;
  Method method_ = Method::get;

  std::optional<Result<Http2Block::Request>> request_;
  std::deque<Http2Block::Response> heads_;
  std::string received_;
  std::string reading_;       // what the last read gave out
  std::uint32_t window_ = 0;  // 0: as all begin
  std::size_t consumed_ = 0;  // since the window became what it is
  HeaderMap trailers_;
  std::optional<Error> error_;

  std::string copied_;
  std::size_t copied_sent_ = 0;
  std::string_view pending_;  // the piece whose owner waits
  HeaderMap send_trailers_;
  Deadline read_deadline_, write_deadline_;
  Duration patience_{};

  bool final_head_ = false;
  bool receive_ended_ = false;
  bool reads_cancelled_ = false;
  bool malformed_ = false;  // we refused what the peer sent
  bool refused_ = false;
  bool wants_http1_ = false;
  bool connection_ended_ = false;
  bool head_sent_ = false;
  bool send_ended_ = false;  // end() was called
  bool all_sent_ = false;    // the last frame has gone into the connection
  bool deferred_ = false;    // nghttp2 waits for resume()
};

}  // namespace outrider
