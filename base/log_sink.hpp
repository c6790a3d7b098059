// Where log lines go: an spdlog sink on a file descriptor that can be reopened, with 0600 files. Inside of base/log.
#pragma once

#include "base/error.hpp"

#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace outrider::log {

class OutputSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  OutputSink() = default;
  ~OutputSink() override;

  // Appends to `path`, or to stderr if it is empty. On failure nothing changes.
  Result<void> open(const std::string& path);
  Result<void> reopen();
  std::uint64_t lost_lines() const { return lost_.load(std::memory_order_relaxed); }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}  // every line is one write(2)
  void switch_to(int fd, const std::string& path);

  std::string path_;
  int fd_ = 2;  // stderr is not ours to close
  std::string line_;
  bool torn_ = false;  // the last line was written in part only
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace outrider::log
