// One connection, plain or TLS, to whomever: a client, an origin, a parent proxy. Reads and writes are coroutines that
// end with a value. Each direction has a deadline of its own (see DeadlineSweeper), because an upload and the response
// beside it are two waits on one connection. After any failure the stream is only good for closing. Belongs to one
// reactor and stays where it is (pending operations point to it).
#pragma once

#include "base/async.hpp"
#include "base/deadline_sweeper.hpp"
#include "base/error.hpp"
#include "base/reactor.hpp"
#include "base/tls_channel.hpp"

#include <boost/asio/ssl/context.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

// What every connection of ours has set; a listening socket passes it on to those it accepts.
void set_stream_options(int socket);

class Stream final : private Watched {
 public:
  Stream(Reactor& reactor, int socket, const tcp::endpoint& peer, Side side);  // takes the socket over
  Stream(Reactor& reactor, TcpSocket socket, Side side);
  ~Stream();

  // A connection that is about to be made; the deadline says how long that may take. Before anything else is done with
  // it: wait_connected().
  static std::shared_ptr<Stream> connect(Reactor& reactor, const tcp::endpoint& to, Side side, Deadline deadline);
  Task<ErrorCode> wait_connected();

  // At least one byte; 0 means that the peer has finished sending (TLS: with close_notify).
  Task<Result<std::size_t>> read_some(std::span<char> buffer);
  // All of it.
  Task<Result<void>> write(std::string_view bytes);
  Task<Result<void>> write(std::array<std::string_view, 3> pieces);  // one system call for all of them
  // The same without waiting, for the hot path: a coroutine would cost more than the call itself.
  // read_now: nothing = there is nothing yet. write_now: false = not all of it, `pieces` now hold the rest for write(),
  // which has to be called even if they are empty (TLS: taken, but not yet sent).
  std::optional<Result<std::size_t>> read_now(std::span<char> buffer);
  // For who looks now and then instead of waiting: what came since the last read_now() is found.
  void look_anew() {
    read_at_once_ = 0;
    socket_.look_anew();
  }
  Result<bool> write_now(std::span<std::string_view> pieces);
  // So many bytes lie ready in our memory and are sent next: the kernel may take more of them at once than it would of
  // a body that is passed on, and need not wake us in between.
  void sends_at_once(std::size_t bytes);
  // Who reads in bulk need not be woken for every packet: the kernel tells only when so many bytes have come, or after
  // a moment (0: whatever comes, at once). More than that must be on its way.
  void gather(std::size_t bytes);
  // Until there is something to read (or the peer closed), without a buffer being held meanwhile.
  Task<Result<void>> wait_readable();
  Task<Result<void>> wait_writable();

  // TLS on top of the open connection. `prepare` sees the SSL object before the first byte (SNI, host check, ALPN).
  // `look_up`, for a server, is awaited when the certificate callback has asked for time.
  using TlsPrepare = std::function<Result<void>(SSL*)>;
  using TlsLookup = std::function<Task<Result<void>>()>;
  Task<Result<void>> handshake(asio::ssl::context& context, TlsChannel::Role role, const TlsPrepare& prepare,
                               const TlsLookup& look_up = {});
  bool is_tls() const { return tls_ != nullptr; }
  const TlsChannel* tls() const { return tls_.get(); }
  TlsChannel* tls() { return tls_.get(); }
  SSL* ssl() { return tls_ ? tls_->ssl() : nullptr; }

  // Bytes that were read too far; the next read_some() returns them first. A TLS server's handshake takes them as its
  // beginning.
  void unread(std::string_view bytes) { pushed_back_.append(bytes); }

  void shutdown_write();  // half-close; TLS: says goodbye first
  void cancel_reads();    // a pending read fails; a pending write goes on
  void close();           // now, whatever is pending
  // The same for a connection whose other half was reset: this peer is to hear that it was no orderly end. (Unless
  // something is still on its way to it, which arrives first.)
  void reset();
  bool is_open() const { return socket_.is_open(); }
  // The next byte, if there is one, without taking it. Before TLS; to be called when wait_readable() has said yes.
  std::string peek(std::size_t most);
  // An idle connection is alive if nothing can be read: neither an end nor bytes that nobody asked for. `for_sure`:
  // asks the kernel, and not only what it has told by itself so far.
  bool idle_alive(bool for_sure);
  // The peer has closed or reset the connection, as far as can be seen without reading on.
  bool has_left();

  // Until when a read or a wait for something to read may take; the same for writes. A deadline that passes closes the
  // connection, but for a client that sends too slowly: its reads fail, and it can still be told why.
  void set_read_deadline(Deadline deadline) { set_deadlines(deadline, write_deadline_); }
  void set_write_deadline(Deadline deadline) {
    set_deadlines(read_deadline_, deadline);
    write_patience_ = {};
  }
  void read_expires_in(Duration duration) { set_read_deadline(reactor_.sweeper().in(duration)); }
  // Begins anew as long as the reader takes some of what the kernel has for it.
  void write_expires_in(Duration duration) {
    set_write_deadline(reactor_.sweeper().in(duration));
    write_patience_ = duration;
    taken_then_.reset();
  }
  void no_read_deadline() { set_read_deadline(Deadline::never()); }
  void no_write_deadline() { set_write_deadline(Deadline::never()); }
  // Both directions: a handshake, a tunnel.
  void set_deadline(Deadline deadline) { set_deadlines(deadline, deadline); }
  void no_deadline() { set_deadline(Deadline::never()); }
  bool timed_out() const { return read_late_ || write_late_; }
  // To read on for a moment before closing, although a read came too late.
  void forgive_timeout() { read_late_ = false; }

  Reactor& reactor() { return reactor_; }
  EdgeSocket& socket() { return socket_; }
  tcp::endpoint local_endpoint() const;
  Side side() const { return side_; }
  void set_side(Side side) { side_ = side; }  // as long as nothing was sent
  const tcp::endpoint& peer() const { return peer_; }
  void count_in(std::uint64_t bytes) { bytes_in_ += bytes; }  // moved past us by splice()
  void count_out(std::uint64_t bytes) { bytes_out_ += bytes; }
  bool has_pushed_back() const { return !pushed_back_.empty(); }
  std::uint64_t bytes_in() const { return bytes_in_; }
  std::uint64_t bytes_out() const { return bytes_out_; }

 private:
  struct Taken {  // from Asio
    explicit Taken(TcpSocket& socket);
    tcp::endpoint peer;
    int socket = -1;
  };
  Stream(Reactor& reactor, const Taken& taken, Side side) : Stream(reactor, taken.socket, taken.peer, side) {}

  // One entry for the sweeper: the soonest.
  void set_deadlines(Deadline read, Deadline write) {
    read_deadline_ = read;
    write_deadline_ = write;
    Watched::set_deadline(read.sooner_of(write).sooner_of(gathers_until_));
  }
  void on_deadline() override;
  bool tls_pending() const;
  int in_kernel() const;  // bytes that the peer has not acknowledged
  std::int64_t taken() const { return static_cast<std::int64_t>(bytes_out_) - in_kernel(); }
  bool is_read_slowly();
  // `late`: the deadline of the direction that failed has passed.
  Error failure(const ErrorCode& code, std::string_view doing, bool late) const;

  struct Sent {
    ssize_t count = 0;  // −1: see errno
    std::size_t wanted = 0;
  };
  Sent send_some(std::span<const std::string_view> pieces);
  Task<Result<void>> wait_for(ReadySocket::Direction direction, std::string_view doing);

  Reactor& reactor_;
  ReadySocket socket_;
  std::unique_ptr<TlsChannel> tls_;
  tcp::endpoint peer_;
  std::string pushed_back_;
  std::uint64_t bytes_in_ = 0;
  std::size_t read_at_once_ = 0;  // since something else had its turn
  std::uint64_t bytes_out_ = 0;
  Deadline read_deadline_;
  Deadline write_deadline_;
  Duration write_patience_{};
  Deadline gathers_until_;
  std::size_t gathers_ = 0;
  int connect_error_ = 0;
  std::optional<std::int64_t> taken_then_;  // when we began to wait for room
  bool sends_at_once_ = false;
  Side side_;
  bool read_late_ = false;
  bool write_late_ = false;
};

}  // namespace outrider
