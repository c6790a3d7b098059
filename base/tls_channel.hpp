// TLS on a socket that never blocks, for base/stream: no coroutine, no waiting, every call says what it is waiting for.
// OpenSSL reads from the socket itself; what it writes is gathered, so that a head and its body, or several records of
// a large one, are one system call. Belongs to one thread.
#pragma once

#include "base/edge_socket.hpp"
#include "base/error.hpp"

#include <openssl/ssl.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

struct TlsStep {
  enum class Kind : std::uint8_t {
    done,         // as much as could be done; `count` bytes were read
    want_read,    // call again when the socket can be read
    want_write,   // call again when the socket can be written
    want_lookup,  // the certificate callback asked for time: call again when it can answer
    ended,        // the peer has said that nothing more will come (close_notify)
    failed,       // see TlsChannel::failure()
  };
  Kind kind = Kind::failed;
  std::size_t count = 0;
};

class TlsChannel {
 public:
  enum class Role : std::uint8_t { client, server };

  // `received`: what was read from the socket before it was known that TLS is spoken on it.
  TlsChannel(SSL_CTX* context, EdgeSocket& socket, Role role, std::string received);
  ~TlsChannel();
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  SSL* ssl() const { return ssl_.get(); }

  TlsStep handshake();
  TlsStep read(std::span<char> buffer);
  // Removes from `pieces` what it has taken. Done: all of it is with the kernel.
  TlsStep write(std::span<std::string_view> pieces);
  // A server's, after a handshake of TLS 1.3: a session ticket goes out with what is written next. Nothing is made, and
  // no packet sent, for a client that asks for nothing.
  void ticket_with_next_write() { ticket_due_ = true; }
  // Says goodbye (close_notify), as far as that is possible without waiting.
  void shutdown();

  // read() has something to say without asking the socket: bytes, or that there will be no more.
  bool has_pending() const { return !received_.empty() || has_ended_ || SSL_has_pending(ssl_.get()) == 1; }
  // What went wrong, after `failed`.
  Error failure(Side side, std::string_view doing) const;
  unsigned long error_code() const { return error_; }  // of OpenSSL's; 0 = the connection broke
  bool peer_closed() const { return peer_closed_; }    // the connection was closed or reset, with or without a goodbye

 private:
  struct Bio;
  struct SslFree {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  TlsStep verdict(int result);
  void make_ticket_if_due();
  bool flush();  // false: the socket takes no more, or has failed
  std::size_t encrypt(std::span<std::string_view> pieces);

  EdgeSocket& socket_;
  std::string received_;
  std::string out_;  // encrypted, not yet sent
  std::size_t sent_ = 0;
  unsigned long error_ = 0;
  int system_error_ = 0;
  bool peer_closed_ = false;
  bool has_ended_ = false;  // reading, one way or the other
  bool broken_ = false;     // the socket cannot be written any more
  bool ticket_due_ = false;
  std::unique_ptr<SSL, SslFree> ssl_;
};

}  // namespace outrider
