// An open file, closed when it goes.
#pragma once

#include <unistd.h>

#include <utility>

namespace outrider {

class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

}  // namespace outrider
