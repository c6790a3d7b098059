// A socket that never blocks, and what is known of its readiness: a read that took less than it could, or a write that
// the kernel refused, need not be tried again before the kernel says so (base/readiness). Saves the system calls that
// would only have said "not yet".
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <span>

namespace outrider {

class EdgeSocket {
 public:
  // Nobody watches it: every call is tried.
  explicit EdgeSocket(int descriptor) : descriptor_(descriptor) {}
  EdgeSocket(const EdgeSocket&) = delete;
  EdgeSocket& operator=(const EdgeSocket&) = delete;

  int native_handle() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

  // As recv(MSG_DONTWAIT) and sendmsg(MSG_DONTWAIT | MSG_NOSIGNAL): −1 and errno.
  ssize_t receive(std::span<char> buffer);
  ssize_t send(const msghdr& message);
  // Bytes, or the end, that can be read now, without taking them: asks the kernel if that is not known.
  bool has_something();
  // As recv(MSG_PEEK).
  ssize_t peek(std::span<char> buffer) const;

  // What somebody found out who used the descriptor itself (splice).
  void nothing_to_read() { may_read_ = !watched_; }
  void no_room() { may_write_ = !watched_; }
  // The next receive() asks the kernel, whatever it has told so far. What it tells comes only while somebody waits.
  void look_anew() { may_read_ = true; }
  bool may_read() const { return may_read_; }
  bool may_write() const { return may_write_; }
  bool hung_up() const { return hung_up_; }  // the peer has finished or something went wrong, as the kernel has told

 protected:
  ~EdgeSocket() = default;

  int descriptor_;
  bool watched_ = false;
  bool may_read_ = true;
  bool may_write_ = true;
  bool hung_up_ = false;  // the end has come: there will be no further edge
};

// One that nobody watches, and whose descriptor somebody else closes.
class UnwatchedSocket final : public EdgeSocket {
 public:
  using EdgeSocket::EdgeSocket;
  void forget() { descriptor_ = -1; }  // the number may be somebody else's from now on
};

}  // namespace outrider
