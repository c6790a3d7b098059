#include "cache/store_secret.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>

namespace outrider {

StoreSecret::Read StoreSecret::read() {
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? Read::missing : Read::failed;
  std::array<char, 256> text{};
  const ssize_t length = ::read(fd, text.data(), text.size());
  const int reason = errno;
  ::close(fd);
  errno = reason;
  if (length < 0) return reason == EISDIR ? Read::missing : Read::failed;
  std::istringstream in(std::string(text.data(), static_cast<std::size_t>(length)));
  SipKey read;
  if (!(in >> std::hex >> read.low >> read.high)) return Read::missing;
  key_ = read;
  kept_ = true;
  return Read::fine;
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
