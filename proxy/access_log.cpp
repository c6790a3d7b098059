#include "proxy/access_log.hpp"

#include "base/log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace outrider {
namespace {

std::uint64_t count_lines(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string why(int code) {
  return std::system_category().message(code);
}

}  // namespace

void AccessLogSettings::describe(SectionSchema<AccessLogSettings>& s) {
  s.key("format", &AccessLogSettings::format,
        "off; common or combined (as web servers write them, followed by cache verdict, milliseconds and exchange id); "
        "json (one object per line, with all timings).",
        Change::live);
  s.key("file", &AccessLogSettings::file,
        "Where the lines go: an absolute path, or \"-\" for standard output. Created for its owner only (mode 0600); "
        "opened anew "
        "by SIGHUP, for log rotation.",
        Change::needs_restart, [](const std::string& path) -> Refusal {
          if (path.empty() || path == "-" || path.starts_with('/')) return std::nullopt;
          return "must be an absolute path, or \"-\" for standard output";
        });
  s.key("with_query", &AccessLogSettings::with_query,
        "Whether query strings are logged. They often contain what people searched for, and sometimes secrets.",
        Change::live);
  s.check([](const AccessLogSettings& settings) -> Refusal {
    if (settings.format == AccessLogFormat::off || !settings.file.empty()) return std::nullopt;
    return "access_log.file must be set when access_log.format is not \"off\"";
  });
}

// Only the writer's thread uses it once it is open.
class AccessLog::File {
 public:
  static Result<std::unique_ptr<File>> open(const std::string& path) {
    // O_NONBLOCK: a pipe that nobody reads must not stop us for ever; it means nothing for ordinary files.
    const int fd = path == "-"
                       ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                       : ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (fd < 0)
      return Error{ErrorKind::io, Side::self, fmt::format("cannot open the access log {}: {}", path, why(errno))};
    return std::make_unique<File>(fd, path);
  }

  File(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Returns how many bytes were written; less than all on failure, with errno set.
  std::size_t write(std::string_view bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = ::write(fd_, bytes.data() + done, bytes.size() - done);
      if (count > 0) {
        done += static_cast<std::size_t>(count);
      } else if (count < 0 && errno == EAGAIN) {
        pollfd ready{fd_, POLLOUT, 0};
        constexpr int kPatience = 1000;  // milliseconds; then the lines are dropped, so that stop() is bounded
        if (::poll(&ready, 1, kPatience) == 0) {
          errno = EAGAIN;
          break;
        }
      } else if (count == 0 || errno != EINTR) {
        break;
      }
    }
    return done;
  }

  const std::string& path() const { return path_; }
  bool torn = false;     // the last byte in the file is not a line break
  bool failing = false;  // logged already

 private:
  const int fd_;
  const std::string path_;
};

AccessLog::AccessLog() = default;  // here, where File is complete

AccessLog::~AccessLog() {
  stop();
}

Result<void> AccessLog::apply(const AccessLogSettings& settings) {
  if (settings.format == AccessLogFormat::off) {
    stop();
    return {};
  }
  Result<std::unique_ptr<File>> file = File::open(settings.file);
  if (!file) return file.error();
  const std::lock_guard control{control_mutex_};
  halt();
  with_query_.store(settings.with_query, std::memory_order_relaxed);
  format_.store(settings.format, std::memory_order_relaxed);
  start(std::move(*file));
  return {};
}

void AccessLog::write(const ExchangeRecord& record) {
  const AccessLogFormat format = format_.load(std::memory_order_relaxed);
  if (format == AccessLogFormat::off) return;
  thread_local std::string line;
  line.clear();
  append_log_line(line, record, format, wants_query());
  bool wake = false;
  {
    const std::lock_guard lock{mutex_};
    const std::size_t before = waiting_.size();
    if (before + line.size() > kMostWaiting) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    waiting_ += line;
    wake = before == 0 || (before < kWakeAt && waiting_.size() >= kWakeAt);
  }
  if (wake) changed_.notify_one();
}

void AccessLog::stop() {
  const std::lock_guard control{control_mutex_};
  format_.store(AccessLogFormat::off, std::memory_order_relaxed);
  halt();
  const std::lock_guard lock{mutex_};
  dropped_.fetch_add(count_lines(waiting_), std::memory_order_relaxed);  // came while the writer ended
  waiting_.clear();
}

void AccessLog::start(std::unique_ptr<File> file) {
  file_ = std::move(file);
  // Signals belong to the threads that wait for them, and a closed pipe is an error here, not the end of the process.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  writer_ = std::thread{[this] { run(*file_); }};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void AccessLog::halt() {
  if (!writer_.joinable()) return;
  {
    const std::lock_guard lock{mutex_};
    halting_ = true;
  }
  changed_.notify_one();
  writer_.join();
  file_.reset();
  const std::lock_guard lock{mutex_};
  halting_ = false;
}

void AccessLog::run(File& file) {
  std::string lines;
  std::unique_lock lock{mutex_};
  for (bool last = false; !last;) {
    changed_.wait(lock, [this] { return halting_ || !waiting_.empty(); });
    // Gathers for a while: one write for many lines.
    changed_.wait_for(lock, kFlushEvery, [this] { return halting_ || waiting_.size() >= kWakeAt; });
    last = halting_;  // what comes from now on is for the next writer: under traffic there would be no end
    lines.swap(waiting_);
    lock.unlock();
    write_out(file, lines);
    lines.clear();
    if (lines.capacity() > 4 * kWakeAt) lines.shrink_to_fit();  // after a burst
    lock.lock();
  }
}

void AccessLog::write_out(File& file, std::string_view lines) {
  if (file.torn && file.write("\n") == 1) file.torn = false;
  const std::size_t done = file.torn ? 0 : file.write(lines);
  const int code = errno;
  written_.fetch_add(count_lines(lines.substr(0, done)), std::memory_order_relaxed);
  dropped_.fetch_add(count_lines(lines.substr(done)), std::memory_order_relaxed);
  if (done > 0) file.torn = lines[done - 1] != '\n';
  const bool failed = done < lines.size();
  if (failed && !file.failing)  // once, not for every line
    log::error(Room::proxy, "access_log_failed", {{"file", file.path()}, {"error", why(code)}});
  file.failing = failed;
}

}  // namespace outrider
