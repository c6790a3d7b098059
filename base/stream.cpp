#include "base/stream.hpp"

#include <fmt/format.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <boost/asio/post.hpp>

#include <cerrno>
#include <utility>

namespace outrider {
namespace {

constexpr int kUnsentAtMost = 512 * 1024;
constexpr int kUnsentAtOnce = 1536 * 1024;
constexpr int kReadSlowly = 64 * 1024;  // in the time allowed; less, and the reader has stopped
constexpr Duration kGatherAtMost = std::chrono::milliseconds{100};
constexpr std::size_t kReadAtOnce = 64 * 1024;  // from one peer that never lets us wait; then others have their turn

tcp::endpoint endpoint_of(int socket, int (*ask)(int, sockaddr*, socklen_t*)) {
  tcp::endpoint endpoint{boost::asio::ip::address_v6{}, 0};  // room for either family
  auto size = static_cast<socklen_t>(endpoint.capacity());
  if (ask(socket, endpoint.data(), &size) != 0) return {};
  endpoint.resize(size);
  return endpoint;
}

}  // namespace

void set_stream_options(int socket) {
  // A reader that takes its time is told apart from one that has stopped: the kernel reports room as soon as little is
  // unsent, not only when a large part of its buffer has drained.
  ::setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentAtMost, sizeof kUnsentAtMost);
  const int on = 1;  // we write whole messages; waiting for more only adds latency
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Stream::Stream(Reactor& reactor, int socket, const tcp::endpoint& peer, Side side)
    : reactor_(reactor), socket_(reactor.readiness(), socket), peer_(peer), side_(side) {
  if (side != Side::client) set_stream_options(socket);  // clients inherit them from their listener
  reactor_.sweeper().watch(*this);
}

Stream::Stream(Reactor& reactor, TcpSocket socket, Side side) : Stream(reactor, Taken{socket}, side) {}

Stream::Taken::Taken(TcpSocket& from) {
  if (!from.is_open()) return;
  from.native_non_blocking(true);
  socket = from.release();
  peer = endpoint_of(socket, ::getpeername);
}

std::shared_ptr<Stream> Stream::connect(Reactor& reactor, const tcp::endpoint& to, Side side, Deadline deadline) {
  const int socket = ::socket(to.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const bool begun =
      socket >= 0 && (::connect(socket, to.data(), static_cast<socklen_t>(to.size())) == 0 || errno == EINPROGRESS);
  const int reason = begun ? 0 : errno;
  auto stream = std::make_shared<Stream>(reactor, socket, to, side);
  stream->set_deadline(deadline);
  stream->connect_error_ = reason;
  if (begun) stream->socket_.no_room();  // that there is some is how we hear that it is connected
  return stream;
}

Task<ErrorCode> Stream::wait_connected() {
  if (connect_error_ != 0) co_return ErrorCode{connect_error_, boost::system::system_category()};
  if (timed_out()) co_return asio::error::timed_out;
  auto [code] = co_await socket_.async_wait(ReadySocket::Direction::write, as_result);
  if (timed_out()) co_return asio::error::timed_out;
  if (code) co_return code;
  if (!socket_.hung_up()) co_return ErrorCode{};
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket_.native_handle(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  co_return ErrorCode{error, boost::system::system_category()};
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

Task<Result<void>> Stream::wait_for(ReadySocket::Direction direction, std::string_view doing) {
  if (direction == ReadySocket::Direction::write && !taken_then_) taken_then_ = taken();
  auto [code] = co_await socket_.async_wait(direction, as_result);
  const bool late = direction == ReadySocket::Direction::read ? read_late_ : write_late_;
  if (late || code) co_return failure(code, doing, late);
  co_return Result<void>{};
}

Task<Result<std::size_t>> Stream::read_some(std::span<char> buffer) {
  if (!pushed_back_.empty()) {
    const std::size_t count = std::min(buffer.size(), pushed_back_.size());
    pushed_back_.copy(buffer.data(), count);
    pushed_back_.erase(0, count);
    co_return count;
  }
  for (;;) {
    if (read_late_) co_return failure({}, "reading", true);
    if (read_at_once_ >= kReadAtOnce) {
      read_at_once_ = 0;
      co_await asio::post(reactor_.executor(), asio::deferred);
      continue;  // somebody may have closed it meanwhile
    }
    if (std::optional<Result<std::size_t>> got = read_now(buffer)) co_return std::move(*got);
    auto [code] = co_await socket_.async_wait(ReadySocket::Direction::read, as_result);
    read_at_once_ = 0;
    if (code) co_return failure(code, "reading", read_late_);
  }
}

std::optional<Result<std::size_t>> Stream::read_now(std::span<char> buffer) {
  if (read_late_ || !pushed_back_.empty() || read_at_once_ >= kReadAtOnce) return std::nullopt;
  if (tls_) {
    const TlsStep step = tls_->read(buffer);
    bytes_in_ += step.count;
    read_at_once_ += step.count;
    if (step.kind == TlsStep::Kind::failed) return tls_->failure(side_, "reading");
    if (step.kind == TlsStep::Kind::done || step.kind == TlsStep::Kind::ended) return step.count;
    return std::nullopt;
  }
  const ssize_t got = socket_.receive(buffer);
  if (got >= 0) {
    bytes_in_ += static_cast<std::size_t>(got);
    read_at_once_ += static_cast<std::size_t>(got);
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
  for (;;) {
    while (!pieces.empty() && pieces.front().empty()) pieces = pieces.subspan(1);
    if (pieces.empty()) return true;
    const Sent sent = send_some(pieces);
    if (sent.count < 0) {
      if (errno == EAGAIN || errno == EINTR) return false;
      return failure(ErrorCode{errno, boost::system::system_category()}, "writing", false);
    }
    bytes_out_ += static_cast<std::size_t>(sent.count);
    auto rest = static_cast<std::size_t>(sent.count);
    const bool all = rest == sent.wanted;
    for (std::string_view& piece : pieces) {
      const std::size_t done = std::min(rest, piece.size());
      piece.remove_prefix(done);
      rest -= done;
      if (rest == 0) break;
    }
    if (!all) return false;
  }
}

Stream::Sent Stream::send_some(std::span<const std::string_view> pieces) {
  std::array<iovec, 8> vectors{};
  msghdr message{};
  message.msg_iov = vectors.data();
  Sent sent;
  for (const std::string_view piece : pieces.first(std::min(pieces.size(), vectors.size()))) {
    vectors[message.msg_iovlen++] = {const_cast<char*>(piece.data()), piece.size()};
    sent.wanted += piece.size();
  }
  sent.count = socket_.send(message);
  return sent;
}

void Stream::sends_at_once(std::size_t bytes) {
  if (sends_at_once_ || bytes <= kUnsentAtMost) return;
  sends_at_once_ = true;
  ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentAtOnce, sizeof kUnsentAtOnce);
}

void Stream::gather(std::size_t bytes) {
  if (bytes == 0 && gathers_ == 0) return;
  gathers_until_ = bytes == 0 ? Deadline::never() : reactor_.sweeper().in(kGatherAtMost);
  set_deadlines(read_deadline_, write_deadline_);
  if (bytes == gathers_) return;
  gathers_ = bytes;
  const int low = std::max(static_cast<int>(bytes), 1);  // what is there already is told at once if it is enough
  ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVLOWAT, &low, sizeof low);
}

Task<Result<void>> Stream::write(std::array<std::string_view, 3> pieces) {
  for (;;) {
    Result<bool> at_once = write_now(pieces);
    if (!at_once) co_return at_once.error();
    if (*at_once) co_return Result<void>{};
    Result<void> ready = co_await wait_for(ReadySocket::Direction::write, "writing");
    if (!ready) co_return ready.error();
  }
}

Task<Result<void>> Stream::write(std::string_view bytes) {
  const std::array<std::string_view, 3> pieces{bytes, {}, {}};
  return write(pieces);
}

Task<Result<void>> Stream::wait_readable() {
  if (read_late_) co_return failure({}, "waiting", true);
  if (!pushed_back_.empty() || tls_pending() || socket_.has_something()) co_return Result<void>{};
  auto [code] = co_await socket_.async_wait(ReadySocket::Direction::read, as_result);
  read_at_once_ = 0;
  if (code) co_return failure(code, "waiting", read_late_);
  co_return Result<void>{};
}

Task<Result<void>> Stream::wait_writable() {
  if (write_late_) co_return failure({}, "waiting", true);
  if (socket_.may_write()) co_return Result<void>{};
  co_return co_await wait_for(ReadySocket::Direction::write, "waiting");
}

Task<Result<void>> Stream::handshake(asio::ssl::context& context, TlsChannel::Role role, const TlsPrepare& prepare,
                                     const TlsLookup& look_up) {
  // What a server says before the handshake is not part of it, and would be taken for decrypted bytes.
  if (role == TlsChannel::Role::client && !pushed_back_.empty())
    co_return Error{ErrorKind::tls_failed, side_, "the other side spoke before the TLS handshake"};
  tls_ = std::make_unique<TlsChannel>(context.native_handle(), socket_, role, std::exchange(pushed_back_, {}));
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
      const bool reading = step.kind == TlsStep::Kind::want_read;
      ready =
          co_await wait_for(reading ? ReadySocket::Direction::read : ReadySocket::Direction::write, "TLS handshake");
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
  ::shutdown(socket_.native_handle(), SHUT_WR);
}

void Stream::cancel_reads() {
  socket_.cancel(ReadySocket::Direction::read);
}

void Stream::close() {
  if (tls_) {
    // Without this OpenSSL takes the end of the connection for a failure and makes the session unusable for resumption.
    if (SSL_is_init_finished(tls_->ssl()) == 1)
      SSL_set_shutdown(tls_->ssl(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  }
  socket_.close();
}

void Stream::reset() {
  if (socket_.is_open() && !tls_ && in_kernel() == 0) {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  close();
}

tcp::endpoint Stream::local_endpoint() const {
  return endpoint_of(socket_.native_handle(), ::getsockname);
}

// Received and not yet read: decrypted or not.
bool Stream::tls_pending() const {
  return tls_ && tls_->has_pending();
}

std::string Stream::peek(std::size_t most) {
  if (!pushed_back_.empty()) return pushed_back_.substr(0, most);
  std::string bytes(most, '\0');
  const ssize_t got = socket_.peek(bytes);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

bool Stream::idle_alive(bool for_sure) {
  if (!socket_.is_open() || timed_out() || !pushed_back_.empty() || tls_pending()) return false;
  char byte = 0;
  if (!for_sure) return !socket_.has_something();
  return socket_.peek({&byte, 1}) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
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
  const ssize_t got = socket_.peek({&byte, 1});
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

int Stream::in_kernel() const {
  int bytes = 0;
  return ::ioctl(socket_.native_handle(), SIOCOUTQ, &bytes) == 0 ? bytes : -1;
}

// The kernel tells of room when much has been taken. Less than that may have been, and the reader has not stopped.
bool Stream::is_read_slowly() {
  if (!taken_then_ || write_patience_ == Duration::zero()) return false;
  const std::int64_t before = *std::exchange(taken_then_, taken());
  return *taken_then_ - before >= kReadSlowly;
}

void Stream::on_deadline() {
  const SteadyTime now = reactor_.sweeper().now();
  if (write_deadline_.at() <= now && is_read_slowly()) write_deadline_ = reactor_.sweeper().in(write_patience_);
  Deadline read = read_deadline_, write = write_deadline_;
  if (gathers_until_.at() <= now) gather(0);
  if (read.at() > now && write.at() > now) return set_deadlines(read, write);
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
