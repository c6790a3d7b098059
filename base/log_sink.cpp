#include "base/log_sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace outrider::log {
namespace {

Result<int> open_file(const std::string& path) {
  // O_NONBLOCK: a FIFO that nobody reads loses lines instead of stopping the whole program. No effect on files.
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
  if (fd >= 0) return fd;
  return Error(ErrorKind::io, Side::self,
               fmt::format("cannot open the log file {}: {}", path, std::generic_category().message(errno)));
}

}  // namespace

OutputSink::~OutputSink() {
  if (fd_ != 2) ::close(fd_);
}

Result<void> OutputSink::open(const std::string& path) {
  int fd = 2;
  if (!path.empty()) {
    const Result<int> opened = open_file(path);
    if (!opened) return opened.error();
    fd = *opened;
  }
  switch_to(fd, path);
  return {};
}

Result<void> OutputSink::reopen() {
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    path = path_;
  }
  return open(path);
}

void OutputSink::switch_to(int fd, const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (fd_ != 2) ::close(fd_);
  fd_ = fd;
  path_ = path;
}

// The line as it is, without spdlog's pattern: log_format has already written time, level and room.
void OutputSink::sink_it_(const spdlog::details::log_msg& message) {
  line_.clear();
  if (torn_) line_ += '\n';
  line_.append(message.payload.data(), message.payload.size());
  line_ += '\n';
  std::string_view rest = line_;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      torn_ = torn_ || rest.size() < line_.size();
      return;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  torn_ = false;
}

}  // namespace outrider::log
