#include "base/log.hpp"

#include "base/log_sink.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <mutex>

namespace outrider {
namespace {

struct RoomLevel {
  Room room;
  log::Level level;
};

// "robot=debug"
Parsed<RoomLevel> parse_room_level(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return {std::nullopt, fmt::format("{} is not of the form room=level", quoted(text))};
  }
  const std::string_view room_name = text.substr(0, equals);
  const std::string_view level_name = text.substr(equals + 1);
  const auto room = value_named<Room>(room_name);
  if (!room) {
    const auto names = names_of<Room>();
    return {std::nullopt, fmt::format("{} is not a room, expected one of {}{}", quoted(room_name),
                                      fmt::join(names, ", "), suggestion(room_name, names))};
  }
  const auto level = value_named<log::Level>(level_name);
  if (!level) {
    const auto names = names_of<log::Level>();
    return {std::nullopt, fmt::format("{} is not a level, expected one of {}{}", quoted(level_name),
                                      fmt::join(names, ", "), suggestion(level_name, names))};
  }
  return {RoomLevel{*room, *level}, {}};
}

Refusal check_rooms(const std::vector<std::string>& rooms) {
  for (const std::string& entry : rooms) {
    if (auto parsed = parse_room_level(entry); !parsed.value) return parsed.problem;
  }
  return std::nullopt;
}

}  // namespace

void LogSettings::describe(SectionSchema<LogSettings>& s) {
  s.key("level", &LogSettings::level, "The least important events that are written.", Change::live);
  s.key(
      "rooms", &LogSettings::rooms,
      "Other levels for single parts of the program (base, net, tls, plugins, cache, proxy, robot, webui), for example "
      "[\"robot=debug\", \"net=warn\"].",
      Change::live, check_rooms);
  s.key("format", &LogSettings::format, "Lines of key=value text, or one JSON object per line.", Change::live);
  s.key(
      "file", &LogSettings::file,
      "File to append to; empty means standard error. After the file was moved away (logrotate), SIGHUP opens it anew.",
      Change::needs_restart);  // whoever can change settings on the monitor must not choose files to be written
}

namespace log {

namespace detail {
std::array<std::atomic<Level>, kRoomCount> levels = {Level::info, Level::info, Level::info, Level::info,
                                                     Level::info, Level::info, Level::info, Level::info};
}  // namespace detail

namespace {

// The ring of the newest records. Strings keep their capacity, so a busy ring does not allocate.
class Tail {
 public:
  void add(const Head& head, std::string_view fields) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t number = newest_.load(std::memory_order_relaxed) + 1;
    newest_.store(number, std::memory_order_relaxed);
    if (ring_.size() < kTailLength) {
      ring_.push_back({number, head.time, head.level, head.room, std::string(head.event), std::string(fields)});
      return;
    }
    Record& oldest = ring_[next_];
    next_ = (next_ + 1) % kTailLength;
    oldest.number = number;
    oldest.time = head.time;
    oldest.level = head.level;
    oldest.room = head.room;
    oldest.event.assign(head.event);
    oldest.fields.assign(fields);
  }

  std::vector<Record> copy(std::uint64_t after) const {
    const std::lock_guard lock(mutex_);
    std::vector<Record> records;
    for (std::size_t i = 0; i < ring_.size(); ++i)
      if (const Record& record = ring_[(next_ + i) % ring_.size()]; record.number > after) records.push_back(record);
    return records;
  }

  std::uint64_t newest() const { return newest_.load(std::memory_order_relaxed); }

 private:
  mutable std::mutex mutex_;
  std::vector<Record> ring_;
  std::size_t next_ = 0;                  // the oldest, once the ring is full
  std::atomic<std::uint64_t> newest_{0};  // written with the lock, read without
};

struct Backend {
  std::shared_ptr<OutputSink> sink = std::make_shared<OutputSink>();
  spdlog::logger logger{"outrider", sink};
  Tail tail;
  std::atomic<Format> format{Format::text};

  Backend() { logger.set_level(spdlog::level::trace); }  // levels are ours, per room
};

// Never destroyed: destructors of other statics may still log.
Backend& backend() {
  static Backend& instance = *new Backend;
  return instance;
}

}  // namespace

void detail::write(Level level, Room room, std::string_view event, std::span<const Field> fields) {
  thread_local std::string text;
  thread_local std::string line;
  text.clear();
  line.clear();
  const Head head{std::chrono::system_clock::now(), level, room, event};
  append_fields(text, fields);
  Backend& to = backend();
  if (to.format.load(std::memory_order_relaxed) == Format::json) {
    append_json_line(line, head, fields);
  } else {
    append_text_line(line, head, text);
  }
  to.tail.add(head, text);
  to.logger.log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
}

Result<void> configure(const LogSettings& settings) {
  std::array<Level, kRoomCount> wanted;
  wanted.fill(settings.level);
  for (const std::string& entry : settings.rooms) {
    const auto parsed = parse_room_level(entry);
    if (!parsed.value) return Error(ErrorKind::invalid_argument, Side::self, "log.rooms: " + parsed.problem);
    wanted[static_cast<std::size_t>(parsed.value->room)] = parsed.value->level;
  }
  if (auto opened = backend().sink->open(settings.file); !opened) return opened;
  for (std::size_t i = 0; i < kRoomCount; ++i) detail::levels[i].store(wanted[i], std::memory_order_relaxed);
  backend().format.store(settings.format, std::memory_order_relaxed);
  return {};
}

Result<void> reopen() {
  return backend().sink->reopen();
}
std::vector<Record> tail(std::uint64_t after) {
  return backend().tail.copy(after);
}
std::uint64_t newest() {
  return backend().tail.newest();
}
std::uint64_t lost_lines() {
  return backend().sink->lost_lines();
}

}  // namespace log
}  // namespace outrider
