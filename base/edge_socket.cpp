#include "base/edge_socket.hpp"

#include <cerrno>

namespace outrider {

ssize_t EdgeSocket::receive(std::span<char> buffer) {
  if (!may_read_) {
    errno = EAGAIN;
    return -1;
  }
  const ssize_t got = ::recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got < 0) {
    if (errno == EAGAIN) nothing_to_read();
  } else if (static_cast<std::size_t>(got) < buffer.size() && !hung_up_) {
    nothing_to_read();  // all that there was; behind it may be the end, of which we have been told if so
  }
  return got;
}

ssize_t EdgeSocket::send(const msghdr& message) {
  if (!may_write_) {
    errno = EAGAIN;
    return -1;
  }
  const ssize_t sent = ::sendmsg(descriptor_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno == EAGAIN) no_room();
  return sent;
}

bool EdgeSocket::has_something() {
  if (!may_read_ || hung_up_) return may_read_;  // the end at least; a look at it would take a reset away
  char byte = 0;
  if (::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN) return true;
  nothing_to_read();
  return false;
}

ssize_t EdgeSocket::peek(std::span<char> buffer) const {
  return ::recv(descriptor_, buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
}

}  // namespace outrider
