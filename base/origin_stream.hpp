// What the client needs of one request's stream to an origin, wherever its HTTP/2 connection lives: on this reactor
// (Http2Stream) or on another one (RemoteStream). Used on the reactor of whoever asked.
#pragma once

#include "base/async.hpp"
#include "base/clock.hpp"
#include "base/http2_message.hpp"

#include <optional>
#include <string_view>

namespace outrider {

class OriginStream {
 public:
  virtual ~OriginStream() = default;

  // --- to be sent. Heads first; false: the stream has ended already.
  virtual bool send_request(const RequestHead& head, std::string_view scheme, std::string_view path, bool ends) = 0;
  // RFC 8441: a stream that becomes a connection of its own. Only if the peer has announced that it knows this.
  virtual bool send_extended_connect(const RequestHead& head, std::string_view protocol, std::string_view path) = 0;
  // True: taken. False: `bytes` must stay where they are until sent() has been awaited.
  virtual bool put(std::string_view bytes) = 0;
  virtual void end(const HeaderMap& trailers) = 0;
  // Until all that was put has been taken; `patience` is for each step forward.
  virtual Task<Result<void>> sent(Duration patience) = 0;
  virtual bool failed() const = 0;  // nothing more can be sent

  // --- received. The next head, informational ones first.
  virtual Task<Result<Http2Block::Response>> next_head() = 0;
  // The next piece of the body, valid until the next call; empty = the end. read_now(): nothing = it has to wait.
  virtual std::optional<Result<std::string_view>> read_now() = 0;
  virtual Task<Result<std::string_view>> read() = 0;
  virtual bool buffered() const = 0;
  virtual bool receive_ended() const = 0;
  virtual const HeaderMap& trailers() const = 0;

  // The peer has certainly not looked at the request: it may be sent again, whatever its method (RFC 9113 section 8.7).
  virtual bool refused() const = 0;
  virtual bool wants_http1() const = 0;       // HTTP_1_1_REQUIRED
  virtual bool connection_ended() const = 0;  // and the stream with it

  virtual void reset(std::uint32_t code) = 0;  // both directions, now
  virtual Deadline in(Duration duration) const = 0;
  // Until when read() and next_head() may wait. Too late resets the stream.
  virtual void set_read_deadline(Deadline deadline) = 0;
};

}  // namespace outrider
