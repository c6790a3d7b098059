#include "base/stream.hpp"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <utility>

namespace outrider {
namespace {

constexpr int kUnsentAtMost = 128 * 1024;
constexpr std::size_t kReadByAsio = 16 * 1024;  // at most

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

// Until the socket is ready.
Task<Result<void>> Stream::wait_for(TlsStep::Kind wanted, bool reading) {
  const bool& late = reading ? read_late_ : write_late_;
  const auto direction = wanted == TlsStep::Kind::want_write ? TcpSocket::wait_write : TcpSocket::wait_read;
  auto [code] = co_await socket_.async_wait(direction, as_result);
  // Asio cancels both directions of a socket at once: cancel_reads() was not about a write.
  const bool meant_for_reads = code == asio::error::operation_aborted && !reading && is_open() && !late;
  if (late || (code && !meant_for_reads)) co_return failure(code, reading ? "reading" : "writing", late);
  co_return Result<void>{};
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
  while (tls_) {
    // Asio waits for a read more cheaply than for readiness, which costs a system call of its own; little is copied.
    if (buffer.size() <= kReadByAsio && !tls_->has_pending()) {
      auto [code, count] = co_await socket_.async_read_some(target, as_result);
      if (read_late_ || (code && code != asio::error::eof)) co_return failure(code, "reading", read_late_);
      tls_->receive({buffer.data(), count});
    }
    const TlsStep step = tls_->read(buffer);
    bytes_in_ += step.count;
    if (step.kind == TlsStep::Kind::done) co_return step.count;
    if (step.kind == TlsStep::Kind::ended) co_return std::size_t{0};
    if (step.kind == TlsStep::Kind::failed) co_return tls_->failure(side_, "reading");
    if (buffer.size() <= kReadByAsio && !tls_->has_pending()) continue;
    Result<void> ready = co_await wait_for(step.kind, true);
    if (!ready) co_return ready.error();
  }
  auto [code, count] = co_await socket_.async_read_some(target, as_result);
  bytes_in_ += count;
  if (!code) co_return count;
  if (code == asio::error::eof) co_return std::size_t{0};
  co_return failure(code, "reading", read_late_);
}

std::optional<Result<std::size_t>> Stream::read_now(std::span<char> buffer) {
  if (read_late_ || !pushed_back_.empty()) return std::nullopt;
  if (tls_) {
    const TlsStep step = tls_->read(buffer);
    bytes_in_ += step.count;
    if (step.kind == TlsStep::Kind::failed) return tls_->failure(side_, "reading");
    if (step.kind == TlsStep::Kind::done || step.kind == TlsStep::Kind::ended) return step.count;
    return std::nullopt;
  }
  const ssize_t got = ::recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got >= 0) {
    bytes_in_ += static_cast<std::size_t>(got);
    return static_cast<std::size_t>(got);
  }
  if (errno == EAGAIN || errno == EINTR) return std::nullopt;
  return failure(ErrorCode{errno, boost::system::system_category()}, "reading", false);
}

Result<bool> Stream::write_now(std::span<std::string_view> pieces) {
  if (write_late_) return failure({}, "writing", true);
  if (tls_) {
    const TlsStep step = tls_->write(pieces);
    bytes_out_ += step.count;
    if (step.kind == TlsStep::Kind::failed) return tls_->failure(side_, "writing");
    return step.kind == TlsStep::Kind::done;
  }
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
    Result<void> ready = co_await wait_for(TlsStep::Kind::want_write, false);
    if (!ready) co_return ready.error();
  }
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

Task<Result<void>> Stream::handshake(asio::ssl::context& context, TlsChannel::Role role, const TlsPrepare& prepare,
                                     const TlsLookup& look_up) {
  // What a server says before the handshake is not part of it, and would be taken for decrypted bytes.
  if (role == TlsChannel::Role::client && !pushed_back_.empty())
    co_return Error{ErrorKind::tls_failed, side_, "the other side spoke before the TLS handshake"};
  tls_ = std::make_unique<TlsChannel>(context.native_handle(), socket_.native_handle(), role,
                                      std::exchange(pushed_back_, {}));
  if (prepare) {
    Result<void> prepared = prepare(tls_->ssl());
    if (!prepared) co_return prepared.error();
  }
  for (;;) {
    if (timed_out()) co_return failure({}, "TLS handshake", true);
    const TlsStep step = tls_->handshake();
    if (step.kind == TlsStep::Kind::done) co_return Result<void>{};
    Result<void> ready;
    if (step.kind == TlsStep::Kind::want_lookup && look_up) {
      ready = co_await look_up();
    } else if (step.kind == TlsStep::Kind::want_read || step.kind == TlsStep::Kind::want_write) {
      ready = co_await wait_for(step.kind, step.kind == TlsStep::Kind::want_read);
    } else {
      const long verdict = SSL_get_verify_result(tls_->ssl());
      if (verdict != X509_V_OK)
        co_return Error{ErrorKind::tls_untrusted, side_, X509_verify_cert_error_string(verdict)};
      Error error = tls_->failure(side_, "TLS handshake");
      error.kind = ErrorKind::tls_failed;
      co_return error;
    }
    if (!ready) co_return ready.error();
  }
}

void Stream::shutdown_write() {
  if (tls_ && socket_.is_open()) tls_->shutdown();
  ErrorCode ignored;
  socket_.shutdown(TcpSocket::shutdown_send, ignored);
}

void Stream::cancel_reads() {
  ErrorCode ignored;
  socket_.cancel(ignored);
}

void Stream::close() {
  if (tls_) {
    // Without this OpenSSL takes the end of the connection for a failure and makes the session unusable for resumption.
    if (SSL_is_init_finished(tls_->ssl()) == 1)
      SSL_set_shutdown(tls_->ssl(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    tls_->forget_socket();
  }
  ErrorCode ignored;
  socket_.close(ignored);
}

// Received and not yet read: decrypted or not.
bool Stream::tls_pending() const {
  return tls_ && tls_->has_pending();
}

std::string Stream::peek(std::size_t most) {
  if (!pushed_back_.empty()) return pushed_back_.substr(0, most);
  std::string bytes(most, '\0');
  const ssize_t got = ::recv(socket_.native_handle(), bytes.data(), most, MSG_PEEK | MSG_DONTWAIT);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

bool Stream::idle_alive() {
  if (!socket_.is_open() || timed_out() || !pushed_back_.empty() || tls_pending()) return false;
  char byte = 0;
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

bool Stream::has_left() {
  if (!socket_.is_open()) return true;
  if (!pushed_back_.empty()) return false;
  if (tls_) {
    // A goodbye stands before the end, so peeking would not see it; TLS knows no half-closed connections.
    tcp_info info{};
    socklen_t size = sizeof info;
    const bool known = ::getsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
    return known && info.tcpi_state != TCP_ESTABLISHED;
  }
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
  if (side_ == Side::client && !write_late_) {
    cancel_reads();
    return;
  }
  read_late_ = write_late_ = true;
  close();
}

}  // namespace outrider
