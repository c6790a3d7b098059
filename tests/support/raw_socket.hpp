// Blocking sockets for tests that care about every byte.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace outrider::testing {

class RawSocket {
 public:
  explicit RawSocket(int descriptor) : descriptor_(descriptor) {}
  ~RawSocket();
  RawSocket(RawSocket&& other) noexcept;
  RawSocket& operator=(RawSocket&& other) noexcept;

  // `from`: the address to come from, one of this machine's.
  static RawSocket connect(std::uint16_t port, const char* host = "127.0.0.1", const char* from = nullptr);

  bool send(std::string_view bytes);
  void finish_sending();
  void close();
  void reset();  // closes with RST
  // One read; "" = closed or nothing came in time.
  std::string read_some(std::chrono::milliseconds limit = std::chrono::seconds{10});
  // Until the peer closes (or nothing comes for `limit`).
  std::string read_all(std::chrono::milliseconds limit = std::chrono::seconds{10});
  // One HTTP message with a head and, if it says so by Content-Length or chunked coding, a body.
  std::string read_message(bool head_only = false);
  bool closed_by_peer(std::chrono::milliseconds limit = std::chrono::seconds{10});
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string buffered_;
};

}  // namespace outrider::testing
