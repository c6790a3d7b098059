// What happened, as structured events:
//
//   log::info(Room::proxy, "listening", {{"address", address}, {"port", 8282}});
//   2026-11-16T04:42:50.123Z info proxy listening address=127.0.0.1 port=8282
//
// Event and field names are checked by the compiler. An event below its room's level costs one relaxed load; where even
// computing a field is expensive, ask log::enabled() first. No cookies, credentials, bodies or query strings: URLs go
// through log::safe_url(). An error is logged once, where it is handled; a departing client is debug.
// Thread-safe. One output for the process, because there is one stderr; neighbours: log_format, log_sink.
#pragma once

#include "base/config_schema.hpp"
#include "base/error.hpp"
#include "base/log_format.hpp"

#include <array>
#include <atomic>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct LogSettings {
  log::Level level = log::Level::info;
  std::vector<std::string> rooms;
  log::Format format = log::Format::text;
  std::string file;

  static constexpr std::string_view kSection = "log";
  static constexpr std::string_view kComment = "What Outrider writes about its work.";
  static void describe(SectionSchema<LogSettings>& s);
};

namespace log {

// Takes over the settings; callable again at any time (reload). On failure the output stays as it was.
Result<void> configure(const LogSettings& settings);

// Opens the log file anew under its name: after logrotate has moved it away (SIGHUP). A no-op on stderr.
Result<void> reopen();

// The newest records, oldest first. For the health page.
inline constexpr std::size_t kTailLength = 500;
struct Record {
  std::uint64_t number;  // counts up from 1
  WallTime time;
  Level level;
  Room room;
  std::string event;
  std::string fields;  // "address=127.0.0.1 port=8282", escaped as in the text format
};
std::vector<Record> tail(std::uint64_t after = 0);  // only those with a higher number
std::uint64_t newest();                             // number of the last one; 0 = there is none

// Lines that could not be written (disk full, closed pipe) since the start.
std::uint64_t lost_lines();

// The URL without user, password, query and fragment. Works on any text that somebody means as a URL, valid or not.
std::string safe_url(std::string_view url);

namespace detail {
extern std::array<std::atomic<Level>, kRoomCount> levels;
void write(Level level, Room room, std::string_view event, std::span<const Field> fields);
}  // namespace detail

inline bool enabled(Room room, Level level) {
  return level >= detail::levels[static_cast<std::size_t>(room)].load(std::memory_order_relaxed);
}

inline void event(Level level, Room room, EventName name, std::initializer_list<Field> fields = {}) {
  if (enabled(room, level)) detail::write(level, room, name.text(), {fields.begin(), fields.size()});
}
inline void trace(Room room, EventName name, std::initializer_list<Field> fields = {}) {
  event(Level::trace, room, name, fields);
}
inline void debug(Room room, EventName name, std::initializer_list<Field> fields = {}) {
  event(Level::debug, room, name, fields);
}
inline void info(Room room, EventName name, std::initializer_list<Field> fields = {}) {
  event(Level::info, room, name, fields);
}
inline void warn(Room room, EventName name, std::initializer_list<Field> fields = {}) {
  event(Level::warn, room, name, fields);
}
inline void error(Room room, EventName name, std::initializer_list<Field> fields = {}) {
  event(Level::error, room, name, fields);
}

}  // namespace log
}  // namespace outrider
