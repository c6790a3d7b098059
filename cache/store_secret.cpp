#include "cache/store_secret.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

namespace outrider {

bool StoreSecret::read() {
  std::ifstream in(path_);
  SipKey read;
  if (!(in >> std::hex >> read.low >> read.high)) return false;
  key_ = read;
  return kept_ = true;
}

bool StoreSecret::write() {
  const std::string text = fmt::format("{:x} {:x}\n", key_.low, key_.high);
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  kept_ = ::write(fd, text.data(), text.size()) == std::ssize(text) && ::fsync(fd) == 0;
  ::close(fd);
  return kept_;
}

bool StoreSecret::remove() {
  std::error_code failed;
  std::filesystem::remove(path_, failed);
  if (!failed) kept_ = false;
  return !failed;
}

}  // namespace outrider
