// Read buffers that are held only while there is something to read. Each thread keeps a short free list, newest first,
// so that a busy reactor works in memory that is still in the CPU's cache and an idle connection holds none.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace outrider {

class Buffer {
 public:
  static constexpr std::size_t kSmall = 16 * 1024;   // heads and ordinary bodies
  static constexpr std::size_t kLarge = 128 * 1024;  // bulk transfer: fewer system calls

  Buffer() = default;
  ~Buffer() { release(); }
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      release();
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }

  void acquire(std::size_t size = kSmall);  // kSmall or kLarge; keeps what it has if that is the same size
  void release();
  bool held() const { return data_ != nullptr; }
  char* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<char> span() const { return {data_, size_}; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace outrider
