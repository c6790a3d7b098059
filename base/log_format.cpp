#include "base/log_format.hpp"

#include "base/config_convert.hpp"
#include "base/escape.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <iterator>

namespace outrider::log {
namespace {

// What may stand without quotes: no space, no quote, no "=", nothing that is not visible ASCII.
bool is_bare(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~' || c == '"' || c == '=' || c == '\\') return false;
  }
  return !text.empty();
}

void append_cut_mark(std::string& out, std::size_t missing) {
  fmt::format_to(std::back_inserter(out), "…(+{} bytes)", missing);
}

void append_text_value(std::string& out, std::string_view value) {
  const std::string_view kept = utf8_prefix(value, kLongestValue);
  if (kept.size() == value.size() && is_bare(value)) {
    out += value;
    return;
  }
  out += '"';
  append_escaped(out, kept);
  if (kept.size() < value.size()) append_cut_mark(out, value.size() - kept.size());
  out += '"';
}

void append_json_value(std::string& out, std::string_view value) {
  const std::string_view kept = utf8_prefix(value, kLongestValue);
  append_json_string(out, kept);
  if (kept.size() == value.size()) return;
  out.pop_back();
  append_cut_mark(out, value.size() - kept.size());
  out += '"';
}

void append_json_value(std::string& out, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  } else {
    out += "null";  // RFC 8259 has no NaN
  }
}

}  // namespace

void append_fields(std::string& out, std::span<const Field> fields) {
  bool first = true;
  for (const Field& field : fields) {
    if (!first) out += ' ';
    first = false;
    out += field.name.text();
    out += '=';
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string_view>) {
            append_text_value(out, value);
          } else {
            fmt::format_to(std::back_inserter(out), "{}", value);
          }
        },
        field.value);
  }
}

void append_time(std::string& out, WallTime time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<milliseconds>(time - day));
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                 clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

void append_text_line(std::string& out, const Head& head, std::string_view fields) {
  append_time(out, head.time);
  for (const std::string_view part : {name_of(head.level), name_of(head.room), head.event, fields}) {
    if (part.empty()) continue;
    out += ' ';
    out += part;
  }
}

void append_json_line(std::string& out, const Head& head, std::span<const Field> fields) {
  out += R"({"time":")";
  append_time(out, head.time);
  fmt::format_to(std::back_inserter(out), R"(","level":"{}","room":"{}","event":"{}")", name_of(head.level),
                 name_of(head.room), head.event);
  for (const Field& field : fields) {
    out += ",\"";
    out += field.name.text();
    out += "\":";
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, double>) {
            append_json_value(out, value);
          } else {
            fmt::format_to(std::back_inserter(out), "{}", value);
          }
        },
        field.value);
  }
  out += '}';
}

}  // namespace outrider::log
