#include "proxy/cli/output.hpp"

#include "base/escape.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace outrider::cli {
namespace {

constexpr std::size_t kBufferSize = 64 * 1024;

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

void complain(std::string_view message) {
  write_all(STDERR_FILENO,
            fmt::format("outrider: {}\n", one_line(message)));  // nobody is left to hear of a failure here
}

void write_error_stream(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

void secure_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // Read-only for standard output: writing fails, as it would have done. open() takes the lowest number, which is fd.
    (void)!::open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
}

void Output::write(std::string_view text) {
  if (closed()) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) flush();
}

void Output::flush() {
  if (!closed()) error_ = write_all(STDOUT_FILENO, buffer_);
  buffer_.clear();
}

int Output::finish(int code) {
  flush();
  if (!closed() || error_ == EPIPE) return code;
  complain(fmt::format("cannot write to standard output: {}", std::generic_category().message(error_)));
  return code == kSuccess ? kFailure : code;
}

}  // namespace outrider::cli
