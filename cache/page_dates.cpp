#include "cache/page_dates.hpp"

#include "base/html_name.hpp"
#include "cache/page_text.hpp"

#include <array>
#include <chrono>

namespace outrider {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Reads from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<int> digits(std::size_t at_least, std::size_t at_most) {
    std::size_t count = 0;
    int value = 0;
    while (count < at_most && count < rest_.size() && is_digit(rest_[count]))
      value = value * 10 + (rest_[count++] - '0');
    if (count < at_least) return std::nullopt;
    rest_.remove_prefix(count);
    return value;
  }
  bool skip(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_spaces() {
    while (!rest_.empty() && is_html_space(rest_.front())) rest_.remove_prefix(1);
  }
  std::string_view letters() {
    std::size_t count = 0;
    while (count < rest_.size() && ((rest_[count] | 0x20) >= 'a' && (rest_[count] | 0x20) <= 'z')) ++count;
    const std::string_view word = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return word;
  }
  bool at_end() const { return rest_.empty(); }
  char front() const { return rest_.empty() ? '\0' : rest_.front(); }

 private:
  std::string_view rest_;
};

std::optional<WallTime> day(int year, int month, int day_of_month) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day_of_month)}};
  if (!date.ok() || year < 1990 || year > 2100) return std::nullopt;
  return WallTime{std::chrono::sys_days{date}};
}

// "+02:00", "-0700", "+09", "Z", "GMT", "EST"; of names only those that everybody agrees on.
seconds zone(Reader& in) {
  in.skip_spaces();
  const char sign = in.front();
  if (sign != '+' && sign != '-') return seconds{0};
  in.skip(sign);
  const auto h = in.digits(2, 2);
  in.skip(':');
  const auto m = in.digits(2, 2);
  if (!h || *h > 14 || m.value_or(0) > 59) return seconds{0};
  const seconds offset = hours{*h} + minutes{m.value_or(0)};
  return sign == '+' ? offset : -offset;
}

// "T12:30:15.25+02:00" or " 12:30" or nothing. A time that is none leaves the date alone.
seconds time_of_day(Reader& in) {
  if (!in.skip('T') && !in.skip('t')) in.skip_spaces();
  const auto h = in.digits(1, 2);
  if (!h || *h > 23) return seconds{0};
  const bool colon = in.skip(':');
  const auto m = in.digits(2, 2);
  if (!m || *m > 59) return seconds{0};
  int s = 0;
  if (!colon || in.skip(':')) {
    s = in.digits(2, 2).value_or(0);
    if (s > 60) s = 0;
    if (in.skip('.') || in.skip(',')) in.digits(1, 9);
  }
  return hours{*h} + minutes{*m} + seconds{s} - zone(in);
}

std::optional<int> month_named(std::string_view word) {
  constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                     "jul", "aug", "sep", "oct", "nov", "dec"};
  if (word.size() < 3) return std::nullopt;
  for (std::size_t i = 0; i < kMonths.size(); ++i)
    if (same_html_name(word.substr(0, 3), kMonths[i])) return static_cast<int>(i) + 1;
  return std::nullopt;
}

// "2024-05-17…", "20240517T…", "2024/05/17", "2024.5.17"
std::optional<WallTime> iso(std::string_view text) {
  Reader in{text};
  const auto year = in.digits(4, 4);
  if (!year) return std::nullopt;
  const char separator = in.front();
  const bool separated = separator == '-' || separator == '/' || separator == '.';
  if (separated) in.skip(separator);
  const auto month = in.digits(separated ? 1 : 2, 2);
  if (!month || (separated && !in.skip(separator))) return std::nullopt;
  const auto day_of_month = in.digits(separated ? 1 : 2, 2);
  if (!day_of_month || is_digit(in.front())) return std::nullopt;
  const auto date = day(*year, *month, *day_of_month);
  if (!date) return std::nullopt;
  return *date + time_of_day(in);
}

// "Fri, 17 May 2024 10:00:00 +0200", "17 May 2024", "May 17, 2024"
std::optional<WallTime> with_month_name(std::string_view text) {
  Reader in{text};
  std::optional<int> month;
  std::optional<int> day_of_month;
  for (int i = 0; i < 3 && !(month && day_of_month); ++i) {
    if (const std::string_view word = in.letters(); !word.empty()) {
      if (!month) month = month_named(word);
    } else {
      day_of_month = in.digits(1, 2);
      if (!day_of_month) return std::nullopt;
    }
    in.skip(',');
    in.skip('.');
    in.skip('-');
    in.skip_spaces();
  }
  const auto year = in.digits(4, 4);
  if (!year || !month || !day_of_month) return std::nullopt;
  const auto date = day(*year, *month, *day_of_month);
  if (!date) return std::nullopt;
  in.skip(',');
  return *date + time_of_day(in);
}

}  // namespace

std::optional<WallTime> parse_page_date(std::string_view text) {
  text = trim_html_space(text);
  if (text.size() < 8 || text.size() > 64) return std::nullopt;
  if (const auto date = iso(text)) return date;
  return with_month_name(text);
}

}  // namespace outrider
