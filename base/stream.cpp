#include "base/stream.hpp"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <boost/asio/write.hpp>
#include <cerrno>

namespace outrider {
namespace {

constexpr int kUnsentAtMost = 128 * 1024;

}  // namespace

void set_stream_options(int socket) {
  // A reader that takes its time is told apart from one that has stopped: the kernel reports room as soon as little is
  // unsent, not only when a large part of its buffer has drained.
  ::setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentAtMost, sizeof kUnsentAtMost);
  const int on = 1;  // we write whole messages; waiting for more only adds latency
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Stream::Stream(Reactor& reactor, TcpSocket socket, Side side)
    : reactor_(reactor), socket_(std::move(socket)), side_(side) {
  ErrorCode ignored;
  peer_ = socket_.remote_endpoint(ignored);
  if (side != Side::client) set_stream_options(socket_.native_handle());  // clients inherit them from their listener
  reactor_.sweeper().watch(*this);
}

Stream::~Stream() {
  close();
}

// A deadline may pass while nothing is pending here: the next operation must then fail instead of waiting for ever.
// Hence each begins by asking whether it is late.
Error Stream::failure(const ErrorCode& code, std::string_view doing, bool late) const {
  if (late) return Error{ErrorKind::timeout, side_, fmt::format("{}: no progress in the time allowed", doing)};
  return from_system(code, side_, doing);
}

Task<Result<std::size_t>> Stream::read_some(std::span<char> buffer) {
  if (!pushed_back_.empty()) {
    const std::size_t count = std::min(buffer.size(), pushed_back_.size());
    pushed_back_.copy(buffer.data(), count);
    pushed_back_.erase(0, count);
    co_return count;
  }
  if (read_late_) co_return failure({}, "reading", true);
  const asio::mutable_buffer target{buffer.data(), buffer.size()};
  ErrorCode code;
  std::size_t count = 0;
  if (tls_) {
    std::tie(code, count) = co_await tls_->async_read_some(target, as_result);
  } else {
    std::tie(code, count) = co_await socket_.async_read_some(target, as_result);
  }
  bytes_in_ += count;
  if (!code) co_return count;
  if (code == asio::error::eof) co_return std::size_t{0};
  co_return failure(code, "reading", read_late_);
}

std::optional<Result<std::size_t>> Stream::read_now(std::span<char> buffer) {
  if (tls_ || read_late_ || !pushed_back_.empty()) return std::nullopt;
  const ssize_t got = ::recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got >= 0) {
    bytes_in_ += static_cast<std::size_t>(got);
    return static_cast<std::size_t>(got);
  }
  if (errno == EAGAIN || errno == EINTR) return std::nullopt;
  return failure(ErrorCode{errno, boost::system::system_category()}, "reading", false);
}

Result<bool> Stream::write_now(std::span<std::string_view> pieces) {
  if (tls_) return false;
  if (write_late_) return failure({}, "writing", true);
  std::array<iovec, 8> vectors{};
  msghdr message{};
  message.msg_iov = vectors.data();
  for (const std::string_view piece : pieces.first(std::min(pieces.size(), vectors.size())))
    vectors[message.msg_iovlen++] = {const_cast<char*>(piece.data()), piece.size()};
  const ssize_t sent = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) {
    if (errno == EAGAIN || errno == EINTR) return false;
    return failure(ErrorCode{errno, boost::system::system_category()}, "writing", false);
  }
  bytes_out_ += static_cast<std::size_t>(sent);
  std::size_t rest = static_cast<std::size_t>(sent);
  bool all = true;
  for (std::string_view& piece : pieces) {
    const std::size_t done = std::min(rest, piece.size());
    piece.remove_prefix(done);
    rest -= done;
    all = all && piece.empty();
  }
  return all;
}

Task<Result<void>> Stream::write(std::array<std::string_view, 3> pieces) {
  for (;;) {
    Result<bool> at_once = write_now(pieces);
    if (!at_once) co_return at_once.error();
    if (*at_once) co_return Result<void>{};
    if (tls_) break;
    auto [code] = co_await socket_.async_wait(TcpSocket::wait_write, as_result);
    // Asio cancels both directions of a socket at once: cancel_reads() was not about us.
    const bool meant_for_reads = code == asio::error::operation_aborted && is_open() && !write_late_;
    if (code && !meant_for_reads) co_return failure(code, "writing", write_late_);
  }
  const std::array<asio::const_buffer, 3> buffers{asio::buffer(pieces[0]), asio::buffer(pieces[1]),
                                                  asio::buffer(pieces[2])};
  auto [code, count] = co_await asio::async_write(*tls_, buffers, as_result);
  bytes_out_ += count;
  if (code) co_return failure(code, "writing", write_late_);
  co_return Result<void>{};
}

Task<Result<void>> Stream::write(std::string_view bytes) {
  const std::array<std::string_view, 3> pieces{bytes, {}, {}};
  return write(pieces);
}

Task<Result<void>> Stream::wait_readable() {
  if (read_late_) co_return failure({}, "waiting", true);
  if (!pushed_back_.empty() || tls_pending()) co_return Result<void>{};
  auto [code] = co_await socket_.async_wait(TcpSocket::wait_read, as_result);
  if (code) co_return failure(code, "waiting", read_late_);
  co_return Result<void>{};
}

Task<Result<void>> Stream::wait_writable() {
  if (write_late_) co_return failure({}, "waiting", true);
  auto [code] = co_await socket_.async_wait(TcpSocket::wait_write, as_result);
  if (code) co_return failure(code, "waiting", write_late_);
  co_return Result<void>{};
}

Task<Result<void>> Stream::handshake(asio::ssl::context& context, asio::ssl::stream_base::handshake_type type,
                                     const std::function<Result<void>(SSL*)>& prepare) {
  // Bytes that came before the handshake are not part of it: they would be taken for decrypted ones.
  if (!pushed_back_.empty())
    co_return Error{ErrorKind::tls_failed, side_, "the other side spoke before the TLS handshake"};
  tls_ = std::make_unique<TlsStream>(socket_, context);
  if (prepare) {
    Result<void> prepared = prepare(tls_->native_handle());
    if (!prepared) co_return prepared.error();
  }
  auto [code] = co_await tls_->async_handshake(type, as_result);
  if (!code) co_return Result<void>{};
  Error error = failure(code, "TLS handshake", timed_out());
  const long verdict = SSL_get_verify_result(tls_->native_handle());
  if (!timed_out() && verdict != X509_V_OK)
    error = Error{ErrorKind::tls_untrusted, side_, X509_verify_cert_error_string(verdict)};
  else if (error.kind == ErrorKind::closed_early || error.kind == ErrorKind::io)
    error.kind = ErrorKind::tls_failed;
  co_return error;
}

void Stream::shutdown_write() {
  if (tls_) return;
  ErrorCode ignored;
  socket_.shutdown(TcpSocket::shutdown_send, ignored);
}

void Stream::cancel_reads() {
  ErrorCode ignored;
  socket_.cancel(ignored);
}

void Stream::close() {
  // Without this OpenSSL takes the end of the connection for a failure and makes the session unusable for resumption.
  if (tls_ && SSL_is_init_finished(tls_->native_handle()) == 1)
    SSL_set_shutdown(tls_->native_handle(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  ErrorCode ignored;
  socket_.close(ignored);
}

// Decrypted already, or received by Asio and not yet decrypted.
bool Stream::tls_pending() const {
  if (!tls_) return false;
  SSL* ssl = tls_->native_handle();
  return SSL_has_pending(ssl) == 1 || BIO_ctrl_pending(SSL_get_rbio(ssl)) > 0;
}

bool Stream::idle_alive() {
  if (!socket_.is_open() || timed_out() || !pushed_back_.empty() || tls_pending()) return false;
  char byte = 0;
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

bool Stream::has_left() {
  if (!socket_.is_open()) return true;
  if (tls_ || !pushed_back_.empty()) return false;
  char byte = 0;
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void Stream::on_deadline() {
  const SteadyTime now = reactor_.sweeper().now();
  Deadline read = read_deadline_, write = write_deadline_;
  if (read.at() <= now) {
    read_late_ = true;
    read = Deadline::never();
  }
  if (write.at() <= now) {
    write_late_ = true;
    write = Deadline::never();
  }
  set_deadlines(read, write);
  if (side_ == Side::client && !write_late_ && !tls_) {
    cancel_reads();
    return;
  }
  // A cancellation reaches only what is pending this very moment. An operation of several steps (everything in TLS)
  // that is between two of them would go on and wait without a deadline; on a closed socket its next step fails.
  read_late_ = write_late_ = true;
  close();
}

}  // namespace outrider
