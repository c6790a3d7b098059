// The real program on a free port with a fresh data directory, stopped when the object goes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace outrider::testing {

class RunningOutrider {
 public:
  // Further arguments of `outrider serve`, e.g. {"--set", "timeouts.request_head=200ms"}. Throws if it does not start.
  explicit RunningOutrider(const std::vector<std::string>& arguments = {});
  ~RunningOutrider();
  RunningOutrider(const RunningOutrider&) = delete;
  RunningOutrider& operator=(const RunningOutrider&) = delete;

  std::uint16_t port() const { return port_; }
  pid_t pid() const { return pid_; }
  const std::string& directory() const { return directory_; }
  std::string output() const;  // what it has written so far
  bool alive() const;
  int stop();  // SIGTERM; returns the exit code, or -signal
  // Starts it again after stop(), with the same data and the same arguments, or with others; on another port.
  void start_again();
  void start_again(std::vector<std::string> arguments);
  std::filesystem::path data() const { return std::filesystem::path{directory_} / "data"; }
  void signal(int number) const;
  std::size_t resident_kilobytes() const;
  // A sanitizer's allocator keeps what was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool kMemoryCanBeJudged = false;
#else
  static constexpr bool kMemoryCanBeJudged = true;
#endif

 private:
  void start();

  std::string directory_;
  std::vector<std::string> arguments_;
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace outrider::testing
