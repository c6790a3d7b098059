#include "webui/paging.hpp"

#include <fmt/format.h>

#include <charconv>

namespace outrider::webui {
namespace {

Error wrong(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::client, std::move(detail)};
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + count, value);
  if (error != std::errc{} || end != text.data() + at + count || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::optional<std::uint64_t>> number_in(const ApiRequest& request, std::string_view name, std::uint64_t most) {
  const auto text = request.parameter(name);
  if (!text) return std::optional<std::uint64_t>{};
  const auto value = parse_number(*text);
  if (!value || *value > most) return wrong(fmt::format("\"{}\" must be a number from 0 to {}", name, most));
  return value;
}

Result<Page> page_of(const ApiRequest& request, std::size_t usual, std::size_t most) {
  const auto limit = number_in(request, "limit", most);
  if (!limit) return limit.error();
  if (*limit && **limit == 0) return wrong("\"limit\" must be at least 1");
  Page page;
  page.limit = *limit ? static_cast<std::size_t>(**limit) : usual;
  page.cursor = request.parameter("cursor").value_or("");
  return page;
}

std::optional<WallTime> parse_time(std::string_view text) {
  namespace chrono = std::chrono;
  if (text.size() < 5 || text[4] != '-') {
    const auto seconds = parse_number(text);
    if (!seconds || *seconds > 7'258'118'400U) return std::nullopt;  // 2200; a clock of nanoseconds ends in 2262
    return WallTime{chrono::seconds{*seconds}};
  }
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  if (!year || !month || !day || text[7] != '-') return std::nullopt;
  const chrono::year_month_day date{chrono::year{*year}, chrono::month{static_cast<unsigned>(*month)},
                                    chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *year < 1970 || *year > 2200) return std::nullopt;
  WallTime time{chrono::sys_days{date}};
  if (text.size() == 10) return time;
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  if (text.size() < 20 || text[10] != 'T' || text[13] != ':' || text[16] != ':' || !text.ends_with('Z') || !hour ||
      !minute || !second || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  return time + chrono::hours{*hour} + chrono::minutes{*minute} + chrono::seconds{*second};
}

Result<std::optional<WallTime>> time_in(const ApiRequest& request, std::string_view name) {
  const auto text = request.parameter(name);
  if (!text) return std::optional<WallTime>{};
  const auto time = parse_time(*text);
  if (!time) return wrong(fmt::format("\"{}\" must be a time such as 2026-11-16T15:04:05Z or 2026-11-16", name));
  return time;
}

std::string shown(WallTime time) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(ms);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{ms - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

json::value shown_or_null(WallTime time) {
  if (time == WallTime{}) return nullptr;
  return json::value_from(shown(time));
}

}  // namespace outrider::webui
