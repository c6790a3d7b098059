// An origin server in threads of its own: every connection is handed to a function that does as it likes with it.
#pragma once

#include "tests/support/raw_socket.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace outrider::testing {

class TestOrigin {
 public:
  using Serve = std::function<void(RawSocket&)>;

  explicit TestOrigin(Serve serve);
  // Answers each request with what `answer` makes of its head (and body, if Content-Length or chunked says there is
  // one).
  static Serve answering(std::function<std::string(const std::string& request)> answer);
  ~TestOrigin();
  TestOrigin(const TestOrigin&) = delete;
  TestOrigin& operator=(const TestOrigin&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& path = "/") const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  std::string authority() const { return "127.0.0.1:" + std::to_string(port_); }
  std::size_t connections() const { return connections_; }

 private:
  void accept_loop();
  Serve serve_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> connections_{0};
  std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::vector<int> open_;
  std::thread acceptor_;
};

}  // namespace outrider::testing
