// A log event as a value, and the two ways to write it down: a line of key=value text, or a JSON object. Pure
// functions.
#pragma once

#include "base/clock.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace outrider {

// Who speaks. Levels can be set for each of them.
enum class Room : std::uint8_t { base, net, tls, plugins, cache, proxy, robot, webui };
inline constexpr std::size_t kRoomCount = 8;

constexpr auto enum_names(Room) {
  return std::to_array<std::pair<Room, std::string_view>>({{Room::base, "base"},
                                                           {Room::net, "net"},
                                                           {Room::tls, "tls"},
                                                           {Room::plugins, "plugins"},
                                                           {Room::cache, "cache"},
                                                           {Room::proxy, "proxy"},
                                                           {Room::robot, "robot"},
                                                           {Room::webui, "webui"}});
}

namespace log {

enum class Level : std::uint8_t { trace, debug, info, warn, error, off };
enum class Format : std::uint8_t { text, json };

constexpr auto enum_names(Level) {
  return std::to_array<std::pair<Level, std::string_view>>({{Level::trace, "trace"},
                                                            {Level::debug, "debug"},
                                                            {Level::info, "info"},
                                                            {Level::warn, "warn"},
                                                            {Level::error, "error"},
                                                            {Level::off, "off"}});
}
constexpr auto enum_names(Format) {
  return std::to_array<std::pair<Format, std::string_view>>({{Format::text, "text"}, {Format::json, "json"}});
}

// A literal [a-z_]+ ("listening"). Anything else does not compile.
class EventName {
 public:
  consteval EventName(const char* text) : text_(text) {  // NOLINT: implicit on purpose
    if (text_.empty()) throw "an event needs a name";
    for (const char c : text_) {
      if (!((c >= 'a' && c <= 'z') || c == '_')) throw "an event name is [a-z_]+";
    }
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// A literal [a-z][a-z0-9_]* that is not one of the names every line has.
class FieldName {
 public:
  consteval FieldName(const char* text) : text_(text) {  // NOLINT: implicit on purpose
    if (text_.empty() || text_.front() < 'a' || text_.front() > 'z') throw "a field name begins with a letter";
    for (const char c : text_) {
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) throw "a field name is [a-z][a-z0-9_]*";
    }
    if (text_ == "time" || text_ == "level" || text_ == "room" || text_ == "event") throw "this field name is taken";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Refers to text, does not copy it: a Field lives only for the call that it is an argument of.
using FieldValue = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

struct Field {
  FieldName name;
  FieldValue value;

  template <class T>
  Field(FieldName n, const T& v) : name(n), value(convert(v)) {}

 private:
  template <class T>
  static FieldValue convert(const T& v) {
    if constexpr (std::same_as<T, bool>) {
      return v;
    } else if constexpr (std::signed_integral<T>) {
      return static_cast<std::int64_t>(v);
    } else if constexpr (std::unsigned_integral<T>) {
      return static_cast<std::uint64_t>(v);
    } else if constexpr (std::floating_point<T>) {
      return static_cast<double>(v);
    } else {
      return std::string_view(v);
    }
  }
};

// Longer values are cut, so that no peer decides how much we write.
inline constexpr std::size_t kLongestValue = 1024;

// "address=127.0.0.1 title=\"two words\"", without a space in front.
void append_fields(std::string& out, std::span<const Field> fields);

// "2026-11-16T04:42:50.123Z"
void append_time(std::string& out, WallTime time);

struct Head {
  WallTime time;
  Level level;
  Room room;
  std::string_view event;
};
// One line each, without its newline. `fields` of the text form are those of append_fields.
void append_text_line(std::string& out, const Head& head, std::string_view fields);
void append_json_line(std::string& out, const Head& head, std::span<const Field> fields);

}  // namespace log
}  // namespace outrider
