// One end of a tunnel: a connection of its own, or a stream of an HTTP/2 connection.
#pragma once

#include "base/buffer_pool.hpp"
#include "base/http2_stream.hpp"
#include "base/stream.hpp"

#include <memory>
#include <string_view>

namespace outrider {

class TunnelEnd {
 public:
  static std::unique_ptr<TunnelEnd> of(std::shared_ptr<Stream> connection);
  static std::unique_ptr<TunnelEnd> of(std::shared_ptr<OriginStream> stream);
  static std::unique_ptr<TunnelEnd> of(std::shared_ptr<Http2Stream> client);
  virtual ~TunnelEnd() = default;

  // What comes next, valid until the next call; empty = the end. No memory is held while there is nothing.
  virtual Task<Result<std::string_view>> read() = 0;
  virtual Task<Result<void>> write(std::string_view bytes, Duration patience) = 0;
  virtual void set_deadline(Deadline deadline) = 0;
  virtual void end() = 0;  // we have nothing more to say
  // … and it is on its way. False: it never will be.
  virtual Task<bool> delivered(Duration patience) = 0;
  virtual void close() = 0;
  virtual void fail() = 0;  // what was said is not all that there was
  virtual bool failed() const = 0;
  // Many just close their connection, without the goodbye of TLS, and not everybody understands its half-close.
  virtual bool is_tls_connection() const { return false; }
};

}  // namespace outrider
