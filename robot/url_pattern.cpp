#include "robot/url_pattern.hpp"

#include "base/ascii.hpp"
#include "robot/prefetch_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace outrider {
namespace {

constexpr auto kSessionNames =
    std::to_array<std::string_view>({"phpsessid", "jsessionid", "sid", "sessionid", "session_id", "session", "sess",
                                     "aspsessionid", "cfid", "cftoken", "oscsid", "zenid", "s_id", "osid", "xtcsid"});

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string_view name_of(std::string_view parameter) {
  return parameter.substr(0, parameter.find('='));
}
std::string_view value_of(std::string_view parameter) {
  const std::size_t equals = parameter.find('=');
  return equals == std::string_view::npos ? std::string_view{} : parameter.substr(equals + 1);
}
bool is_session_name(std::string_view name) {
  return std::find(kSessionNames.begin(), kSessionNames.end(), ascii_lower(name)) != kSessionNames.end();
}

void append_segment_pattern(std::string& out, std::string_view segment) {
  if (looks_like_token(segment)) {
    out += '$';
    return;
  }
  for (std::size_t i = 0; i < segment.size(); ++i) {
    const bool is_digit = is_ascii_digit(segment[i]);
    if (!is_digit) out += segment[i];
    if (is_digit && (i == 0 || !is_ascii_digit(segment[i - 1]))) out += '#';
  }
}

std::optional<int> number(std::string_view text, std::size_t least, std::size_t most) {
  int value = 0;
  if (text.size() < least || text.size() > most) return std::nullopt;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Numbers in URLs are mostly not dates: the parts have to be in range, and a year alone with a month needs a word that
// speaks of calendars.
std::optional<int> year_of_date(const std::vector<std::string_view>& parts, bool is_calendar) {
  if (parts.size() < 2) return std::nullopt;
  const auto year = number(parts[0], 4, 4);
  const auto month = number(parts[1], 1, 2);
  if (!year || !month || *year < 1500 || *year > 2500 || *month < 1 || *month > 12) return std::nullopt;
  const auto day = parts.size() > 2 ? number(parts[2].substr(0, 2), 1, 2) : std::nullopt;
  return is_calendar || (day && *day >= 1 && *day <= 31) ? year : std::nullopt;
}

// "2026-11-16", "2026-11", "20261116"
std::optional<int> year_of_text(std::string_view text, bool is_calendar) {
  if (text.size() == 8 && number(text, 8, 8)) {
    return year_of_date({text.substr(0, 4), text.substr(4, 2), text.substr(6, 2)}, is_calendar);
  }
  return year_of_date(split(text, "-/."), is_calendar);
}

bool speaks_of_calendars(std::string_view text) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"cal", "event", "date", "datum", "month", "day", "week", "agenda", "termin", "schedule", "kalend", "program"});
  const std::string folded = ascii_lower(text);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return folded.find(word) != std::string::npos; });
}

}  // namespace

std::vector<std::string_view> path_segments(std::string_view path) {
  return split(path, "/");
}

std::string url_pattern(const Url& url) {
  std::string pattern(url.host());
  for (std::string_view segment : path_segments(url.pathname())) {
    pattern += '/';
    append_segment_pattern(pattern, segment);
  }
  if (url.pathname().ends_with('/')) pattern += '/';
  auto parameters = split(url.query().value_or(std::string_view{}), "&;");
  std::vector<std::string_view> names;
  for (std::string_view parameter : parameters) names.push_back(name_of(parameter));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  char before = '?';
  for (std::string_view name : names) {
    pattern += before;
    append_segment_pattern(pattern, name);
    before = '&';
  }
  return pattern;
}

std::optional<std::string> without_session_id(const Url& url) {
  const std::string_view path = url.pathname();
  if (!url.query() && path.find(';') == path.npos && path.find("/(S(") == path.npos) return std::nullopt;  // most
  bool found = false;
  std::string out = fmt::format("{}//{}", url.protocol(), url.host());
  for (std::string_view segment : path_segments(url.pathname())) {
    if (segment.starts_with("(S(") && segment.ends_with("))")) {  // ASP.NET
      found = true;
      continue;
    }
    const std::size_t semicolon = segment.find(';');
    if (semicolon != std::string_view::npos && is_session_name(name_of(segment.substr(semicolon + 1)))) {
      found = true;
      segment = segment.substr(0, semicolon);
    }
    out += '/';
    out += segment;
  }
  char before = '?';
  for (std::string_view parameter : split(url.query().value_or(std::string_view{}), "&;")) {
    if (is_session_name(name_of(parameter)) && value_of(parameter).size() >= 8) {
      found = true;
      continue;
    }
    out += before;
    out += parameter;
    before = '&';
  }
  return found ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<int> calendar_year(const Url& url) {
  const bool is_calendar = speaks_of_calendars(url.pathname());
  const auto segments = path_segments(url.pathname());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto last = segments.begin() + static_cast<std::ptrdiff_t>(std::min(i + 3, segments.size()));
    if (const auto year = year_of_date({segments.begin() + static_cast<std::ptrdiff_t>(i), last}, is_calendar))
      return year;
    if (const auto year = year_of_text(segments[i], is_calendar)) return year;
  }
  for (std::string_view parameter : split(url.query().value_or(std::string_view{}), "&;")) {
    const std::string name = ascii_lower(name_of(parameter));
    if (name == "year" || name == "yr" || name == "jahr" || name == "annee") {
      if (const auto year = number(value_of(parameter), 4, 5)) return year;
    }
    if (speaks_of_calendars(name)) {
      if (const auto year = year_of_text(value_of(parameter), true)) return year;
    }
  }
  return std::nullopt;
}

}  // namespace outrider
