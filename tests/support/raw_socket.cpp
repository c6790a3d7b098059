#include "tests/support/raw_socket.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace outrider::testing {

RawSocket::~RawSocket() {
  close();
}

RawSocket::RawSocket(RawSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), buffered_(std::move(other.buffered_)) {}

RawSocket& RawSocket::operator=(RawSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(buffered_, other.buffered_);
  return *this;
}

RawSocket RawSocket::connect(std::uint16_t port, const char* host, const char* from) {
  RawSocket socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (from != nullptr) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    ::inet_pton(AF_INET, from, &own.sin_addr);
    if (::bind(socket.descriptor_, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0)
      throw std::runtime_error(std::string{"bind: "} + std::strerror(errno));
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, host, &address.sin_addr);
  if (::connect(socket.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error(std::string{"connect: "} + std::strerror(errno));
  const int on = 1;
  ::setsockopt(socket.descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

bool RawSocket::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawSocket::finish_sending() {
  ::shutdown(descriptor_, SHUT_WR);
}

void RawSocket::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void RawSocket::reset() {
  const linger abort{1, 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
  close();
}

std::string RawSocket::read_some(std::chrono::milliseconds limit) {
  if (!buffered_.empty()) return std::exchange(buffered_, {});
  pollfd wait{descriptor_, POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(limit.count())) <= 0) return {};
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
  return got <= 0 ? std::string{} : std::string(buffer.data(), static_cast<std::size_t>(got));
}

std::string RawSocket::read_all(std::chrono::milliseconds limit) {
  std::string all;
  for (;;) {
    const std::string piece = read_some(limit);
    if (piece.empty()) return all;
    all += piece;
  }
}

std::string RawSocket::read_message(bool head_only) {
  std::string text;
  const auto need = [&](auto&& enough) {
    while (!enough()) {
      const std::string piece = read_some();
      if (piece.empty()) return false;
      text += piece;
    }
    return true;
  };
  if (!need([&] { return text.find("\r\n\r\n") != std::string::npos; })) return text;
  const std::size_t head = text.find("\r\n\r\n") + 4;
  std::size_t end = head;
  std::string lower = text.substr(0, head);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!head_only) {
    if (const std::size_t length = lower.find("\r\ncontent-length:"); length != std::string::npos) {
      end = head + std::stoul(lower.substr(length + 17));
      need([&] { return text.size() >= end; });
    } else if (lower.find("\r\ntransfer-encoding: chunked") != std::string::npos) {
      need([&] { return text.find("0\r\n\r\n", head) != std::string::npos; });
      end = text.find("0\r\n\r\n", head) + 5;
    }
  }
  if (text.size() > end) buffered_ = text.substr(end);
  return text.substr(0, end);
}

bool RawSocket::closed_by_peer(std::chrono::milliseconds limit) {
  pollfd wait{descriptor_, POLLIN, 0};
  if (!buffered_.empty() || ::poll(&wait, 1, static_cast<int>(limit.count())) <= 0) return false;
  char byte = 0;
  return ::recv(descriptor_, &byte, 1, 0) <= 0;
}

}  // namespace outrider::testing
