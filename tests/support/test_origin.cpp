#include "tests/support/test_origin.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace outrider::testing {

TestOrigin::TestOrigin(Serve serve) : serve_(std::move(serve)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::listen(listener_, 1024);
  socklen_t length = sizeof address;
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread{[this] { accept_loop(); }};
}

TestOrigin::~TestOrigin() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const int descriptor : open_) ::shutdown(descriptor, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
}

void TestOrigin::accept_loop() {
  for (;;) {
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return;
    ++connections_;
    const std::lock_guard lock(mutex_);
    open_.push_back(descriptor);
    threads_.emplace_back([this, descriptor] {
      RawSocket socket{descriptor};
      serve_(socket);
      const std::lock_guard inner(mutex_);
      std::erase(open_, descriptor);
      socket.close();
    });
  }
}

TestOrigin::Serve TestOrigin::answering(std::function<std::string(const std::string&)> answer) {
  return [answer = std::move(answer)](RawSocket& socket) {
    for (;;) {
      const std::string request = socket.read_message();
      if (request.empty()) return;
      if (!socket.send(answer(request))) return;
    }
  };
}

}  // namespace outrider::testing
