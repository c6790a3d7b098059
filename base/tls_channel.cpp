#include "base/tls_channel.hpp"

#include "base/spare_text.hpp"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

namespace outrider {
namespace {

constexpr std::size_t kRecord = 16 * 1024;              // RFC 8446 section 5.1: a record holds at most this much
constexpr std::size_t kBulkRead = 4 * (kRecord + 256);  // what is in them fits into the large buffer of a reader
constexpr std::size_t kGatherAtMost = 128 * 1024;       // encrypted bytes that wait for their system call

constexpr std::size_t kUnsentAtMost = 4 * kGatherAtMost;

}  // namespace

// What OpenSSL knows of the socket.
struct TlsChannel::Bio {
  static int write(BIO* bio, const char* data, int size) {
    auto& channel = *static_cast<TlsChannel*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    // Our own writes stop long before; this is a peer that asks for new keys again and again and does not read.
    if (channel.out_.size() > kUnsentAtMost) return -1;
    channel.out_.append(data, static_cast<std::size_t>(size));
    return size;
  }
  static int read(BIO* bio, char* data, int size) {
    auto& channel = *static_cast<TlsChannel*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (!channel.received_.empty()) {
      const std::size_t count = std::min(channel.received_.size(), static_cast<std::size_t>(size));
      channel.received_.copy(data, count);
      channel.received_.erase(0, count);
      return static_cast<int>(count);
    }
    const ssize_t got = channel.socket_.receive({data, static_cast<std::size_t>(size)});
    if (got > 0) return static_cast<int>(got);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      BIO_set_retry_read(bio);
      return -1;
    }
    channel.peer_closed_ = true;
    if (got < 0) channel.system_error_ = errno;
    if (got < 0) channel.broken_ = true;  // a last alert would reach nobody
    return got < 0 ? -1 : 0;
  }
  static long control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_FLUSH) return 1;
    if (command == BIO_CTRL_EOF) {
      const auto& channel = *static_cast<const TlsChannel*>(BIO_get_data(bio));
      return channel.peer_closed_ && channel.system_error_ == 0 ? 1 : 0;
    }
    return 0;
  }
  static BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {
      BIO_METHOD* fresh = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "outrider socket");
      BIO_meth_set_write(fresh, write);
      BIO_meth_set_read(fresh, read);
      BIO_meth_set_ctrl(fresh, control);
      return fresh;
    }();
    return made;
  }
};

TlsChannel::TlsChannel(SSL_CTX* context, EdgeSocket& socket, Role role, std::string received)
    : socket_(socket), received_(std::move(received)), ssl_(SSL_new(context)) {
  BIO* bio = ssl_ ? BIO_new(Bio::method()) : nullptr;
  if (bio == nullptr) throw std::bad_alloc{};
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_read_ahead(ssl_.get(), 1);  // one system call for a record, not one for its head and one for the rest
  SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS);
  SSL_set_options(ssl_.get(), SSL_OP_NO_RENEGOTIATION);  // a write never has to wait for something to read
  if (role == Role::server) {
    SSL_set_accept_state(ssl_.get());
  } else {
    SSL_set_connect_state(ssl_.get());
  }
}

TlsChannel::~TlsChannel() = default;

TlsStep TlsChannel::verdict(int result) {
  using Kind = TlsStep::Kind;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {Kind::want_read};
    case SSL_ERROR_WANT_WRITE:
      return {Kind::want_write};
    case SSL_ERROR_WANT_X509_LOOKUP:
      return {Kind::want_lookup};
    case SSL_ERROR_ZERO_RETURN:
      return {Kind::ended};
    default:
      if (error_ == 0) error_ = ERR_peek_error();  // a second call does not know any more
      ERR_clear_error();
      return {Kind::failed};
  }
}

TlsStep TlsChannel::handshake() {
  const int result = SSL_do_handshake(ssl_.get());
  TlsStep step{TlsStep::Kind::done};
  if (result != 1) step = verdict(result);
  // Whatever OpenSSL has to say goes out first, and be it an alert.
  if (!flush() && step.kind != TlsStep::Kind::failed)
    step.kind = broken_ ? TlsStep::Kind::failed : TlsStep::Kind::want_write;
  return step;
}

TlsStep TlsChannel::read(std::span<char> buffer) {
  TlsStep step{TlsStep::Kind::done};
  // Who reads in large pieces gets several records with one system call. (The buffer is allocated when it is needed,
  // and given back when it is empty.)
  SSL_set_default_read_buffer_len(ssl_.get(), buffer.size() > kRecord ? kBulkRead : 0);
  do {
    std::size_t got = 0;
    const int result = SSL_read_ex(ssl_.get(), buffer.data() + step.count, buffer.size() - step.count, &got);
    if (result == 1) {
      step.count += got;
      continue;
    }
    // What came before the end or the failure is delivered; the next call finds the same again.
    const TlsStep other = verdict(result);
    has_ended_ = other.kind == TlsStep::Kind::ended || other.kind == TlsStep::Kind::failed;
    if (step.count == 0) step = other;
    break;
  } while (step.count < buffer.size() && has_pending());
  if (!out_.empty()) flush();  // an answer to a change of keys; if it cannot go now, it goes with the next write
  return step;
}

// One record. The pieces it takes are removed.
std::size_t TlsChannel::encrypt(std::span<std::string_view> pieces) {
  while (!pieces.empty() && pieces.front().empty()) pieces = pieces.subspan(1);
  if (pieces.empty()) return 0;
  std::array<char, kRecord> gathered;
  std::string_view record = pieces.front().substr(0, kRecord);
  if (record.size() < kRecord && pieces.size() > 1) {
    std::size_t size = 0;
    for (const std::string_view piece : pieces) size += piece.copy(gathered.data() + size, kRecord - size);
    record = {gathered.data(), size};
  }
  std::size_t taken = 0;
  if (SSL_write_ex(ssl_.get(), record.data(), record.size(), &taken) != 1) return 0;
  std::size_t rest = taken;
  for (std::string_view& piece : pieces) {
    const std::size_t done = std::min(rest, piece.size());
    piece.remove_prefix(done);
    rest -= done;
  }
  return taken;
}

// OpenSSL makes it within the next call, whichever that is, and puts it before what that writes.
void TlsChannel::make_ticket_if_due() {
  if (!ticket_due_) return;
  ticket_due_ = false;
  if (SSL_new_session_ticket(ssl_.get()) != 1) ERR_clear_error();  // TLS 1.2 has given its own
}

TlsStep TlsChannel::write(std::span<std::string_view> pieces) {
  using Kind = TlsStep::Kind;
  TlsStep step{Kind::done};
  make_ticket_if_due();
  const auto is_left = [](std::string_view piece) { return !piece.empty(); };
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  if (size > kRecord) {
    lend_room(out_);
    out_.reserve(out_.size() + std::min(size + size / 256, kGatherAtMost) + kRecord);
  }
  for (;;) {
    const bool left = std::any_of(pieces.begin(), pieces.end(), is_left);
    if (!left || out_.size() >= kGatherAtMost) {
      if (!flush()) {
        step.kind = broken_ ? Kind::failed : Kind::want_write;
        return step;
      }
      if (!left) return step;
    }
    const std::size_t taken = encrypt(pieces);
    if (taken == 0) {
      error_ = ERR_peek_error();
      ERR_clear_error();
      step.kind = Kind::failed;
      return step;
    }
    step.count += taken;
  }
}

bool TlsChannel::flush() {
  if (broken_) return false;
  while (sent_ < out_.size()) {
    iovec rest{out_.data() + sent_, out_.size() - sent_};
    msghdr message{};
    message.msg_iov = &rest;
    message.msg_iovlen = 1;
    const ssize_t sent = socket_.send(message);
    if (sent >= 0) {
      sent_ += static_cast<std::size_t>(sent);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      system_error_ = errno;
      broken_ = peer_closed_ = true;
    }
    return false;
  }
  sent_ = 0;
  // An idle connection holds no memory for what it might say.
  return_room(out_);
  if (out_.capacity() > 1024) std::string{}.swap(out_);
  return true;
}

void TlsChannel::shutdown() {
  if (SSL_is_init_finished(ssl_.get()) != 1) return;
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
  if (socket_.is_open()) flush();
}

Error TlsChannel::failure(Side side, std::string_view doing) const {
  if (peer_closed_) {
    const char* how = system_error_ == 0 ? "the connection was closed" : std::strerror(system_error_);
    return Error{ErrorKind::closed_early, side, fmt::format("{}: {}", doing, how)};
  }
  const char* reason = error_ == 0 ? nullptr : ERR_reason_error_string(error_);
  return Error{ErrorKind::tls_failed, side,
               fmt::format("{}: {}", doing, reason == nullptr ? "unknown reason" : reason)};
}

}  // namespace outrider
