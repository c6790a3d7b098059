// One connection, plain or TLS, to whomever: a client, an origin, a parent proxy. Reads and writes are coroutines that
// end with a value; a deadline (see DeadlineSweeper) ends whatever is pending. After any failure the stream is only
// good for closing. Belongs to one reactor and stays where it is (pending operations point to it).
#pragma once

#include "base/async.hpp"
#include "base/deadline_sweeper.hpp"
#include "base/error.hpp"
#include "base/reactor.hpp"

#include <boost/asio/ssl/stream.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

class Stream final : private Watched {
 public:
  Stream(Reactor& reactor, TcpSocket socket, Side side);
  ~Stream();

  // At least one byte; 0 means that the peer has finished sending (TLS: with close_notify).
  Task<Result<std::size_t>> read_some(std::span<char> buffer);
  // All of it.
  Task<Result<void>> write(std::string_view bytes);
  Task<Result<void>> write(std::array<std::string_view, 3> pieces);  // one system call for all of them
  // The same without waiting, for the hot path: a coroutine would cost more than the call itself.
  // read_now: nothing = there is nothing yet. write_now: false = not all of it, `pieces` now hold the rest for write().
  // TLS always says that it has to wait.
  std::optional<Result<std::size_t>> read_now(std::span<char> buffer);
  Result<bool> write_now(std::span<std::string_view> pieces);
  // Until there is something to read (or the peer closed), without a buffer being held meanwhile.
  Task<Result<void>> wait_readable();
  Task<Result<void>> wait_writable();

  // TLS on top of the open connection. `prepare` sees the SSL object before the first byte (SNI, host check, ALPN).
  Task<Result<void>> handshake(asio::ssl::context& context, asio::ssl::stream_base::handshake_type type,
                               const std::function<Result<void>(SSL*)>& prepare);
  bool is_tls() const { return tls_ != nullptr; }
  SSL* ssl() { return tls_ ? tls_->native_handle() : nullptr; }

  // Bytes that were read too far; the next read_some() returns them first. Plain connections only.
  void unread(std::string_view bytes) { pushed_back_.append(bytes); }

  void shutdown_write();  // half-close; TLS: only with the whole connection
  void cancel();          // pending operations fail; the stream must then be closed
  void close();           // now, whatever is pending
  bool is_open() const { return socket_.is_open(); }
  // An idle connection is alive if nothing can be read: neither an end nor bytes that nobody asked for.
  bool idle_alive();
  // The peer has closed or reset the connection, as far as can be seen without reading on. Plain connections only.
  bool has_left();

  void set_deadline(Deadline deadline) { Watched::set_deadline(deadline); }
  void expires_in(Duration duration) { Watched::set_deadline(reactor_.sweeper().in(duration)); }
  void no_deadline() { Watched::set_deadline(Deadline::never()); }
  bool timed_out() const { return timed_out_; }
  // To say why before closing: a read that came too late does not forbid one more write.
  void forgive_timeout() { timed_out_ = false; }

  Reactor& reactor() { return reactor_; }
  TcpSocket& socket() { return socket_; }
  Side side() const { return side_; }
  const tcp::endpoint& peer() const { return peer_; }
  void count_in(std::uint64_t bytes) { bytes_in_ += bytes; }  // moved past us by splice()
  void count_out(std::uint64_t bytes) { bytes_out_ += bytes; }
  bool has_pushed_back() const { return !pushed_back_.empty(); }
  std::uint64_t bytes_in() const { return bytes_in_; }
  std::uint64_t bytes_out() const { return bytes_out_; }

 private:
  void on_deadline() override;
  ErrorCode expired() const;
  bool tls_pending() const;
  Error failure(const ErrorCode& code, std::string_view doing) const;

  using TlsStream = asio::ssl::stream<TcpSocket&>;
  Reactor& reactor_;
  TcpSocket socket_;
  std::unique_ptr<TlsStream> tls_;
  tcp::endpoint peer_;
  std::string pushed_back_;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  Side side_;
  bool timed_out_ = false;
};

}  // namespace outrider
