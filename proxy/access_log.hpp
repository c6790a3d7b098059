// The access log: one line per finished exchange, off unless configured. I/O threads only append to a bounded buffer; a
// thread of its own writes the file. What does not fit is counted, never waited for.
#pragma once

#include "base/config_schema.hpp"
#include "base/error.hpp"
#include "proxy/exchange_record.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace outrider {

enum class AccessLogFormat : std::uint8_t { off, common, combined, json };

constexpr auto enum_names(AccessLogFormat) {
  return std::to_array<std::pair<AccessLogFormat, std::string_view>>({{AccessLogFormat::off, "off"},
                                                                      {AccessLogFormat::common, "common"},
                                                                      {AccessLogFormat::combined, "combined"},
                                                                      {AccessLogFormat::json, "json"}});
}

struct AccessLogSettings {
  AccessLogFormat format = AccessLogFormat::off;
  std::string file;
  bool with_query = false;

  static constexpr std::string_view kSection = "access_log";
  static constexpr std::string_view kComment =
      "One line for every finished request. Off by default: on a personal machine it is a diary of what was read.";
  static void describe(SectionSchema<AccessLogSettings>& s);
};

// Appends one line with its line break. Exported for tests and tools; AccessLog::write is the usual way.
void append_log_line(std::string& out, const ExchangeRecord& record, AccessLogFormat format, bool with_query);

class AccessLog {
 public:
  AccessLog();
  ~AccessLog();  // as stop(), if that was forgotten
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  // Begins to write, or changes to new settings; if the file cannot be opened all stays as it was. Also what log
  // rotation needs: the same settings open the file anew. What was written before the call is in the old file when it
  // returns, what comes after it goes to the new one. Blocks for that; for the thread that loads the configuration.
  Result<void> apply(const AccessLogSettings& settings);

  // Any thread. Ask wanted() before building a record.
  bool wanted() const { return format_.load(std::memory_order_relaxed) != AccessLogFormat::off; }
  bool wants_query() const { return with_query_.load(std::memory_order_relaxed); }
  void write(const ExchangeRecord& record);

  void stop();  // writes what is waiting and closes the file

  std::uint64_t written() const { return written_.load(std::memory_order_relaxed); }  // lines
  std::uint64_t dropped() const {
    return dropped_.load(std::memory_order_relaxed);
  }  // lines: no room, or the disk failed

  static constexpr std::size_t kMostWaiting = 4 * 1024 * 1024;  // bytes
  static constexpr std::size_t kWakeAt = 64 * 1024;             // bytes: written at once instead of after kFlushEvery
  static constexpr std::chrono::milliseconds kFlushEvery{500};

 private:
  class File;
  void start(std::unique_ptr<File> file);
  void halt();  // the writer writes what is waiting and ends
  void run(File& file);
  void write_out(File& file, std::string_view lines);

  std::atomic<AccessLogFormat> format_{AccessLogFormat::off};
  std::atomic<bool> with_query_{false};
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> dropped_{0};

  std::mutex mutex_;  // guards what follows; held to append or to swap, never for I/O
  std::condition_variable changed_;
  std::string waiting_;  // whole lines
  bool halting_ = false;

  std::mutex control_mutex_;  // one apply() or stop() at a time; guards what follows
  std::unique_ptr<File> file_;
  std::thread writer_;
};

}  // namespace outrider
