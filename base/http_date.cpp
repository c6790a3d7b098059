#include "base/http_date.hpp"

#include "base/http_chars.hpp"

#include <array>

namespace outrider {
namespace {

using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Moment {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

// Takes what it is asked for from the front of the text; after the first disagreement everything fails.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  Reader& word(std::string_view expected) {
    ok_ = ok_ && rest_.starts_with(expected);
    if (ok_) rest_.remove_prefix(expected.size());
    return *this;
  }
  template <std::size_t N>
  int one_of(const std::array<std::string_view, N>& words) {  // 0 for the first
    for (std::size_t i = 0; ok_ && i < N; ++i) {
      if (!rest_.starts_with(words[i])) continue;
      rest_.remove_prefix(words[i].size());
      return static_cast<int>(i);
    }
    ok_ = false;
    return 0;
  }
  int number(std::size_t digits) {
    int value = 0;
    ok_ = ok_ && rest_.size() >= digits;
    for (std::size_t i = 0; ok_ && i < digits; ++i) {
      ok_ = is_digit(rest_[i]);
      value = value * 10 + (rest_[i] - '0');
    }
    if (ok_) rest_.remove_prefix(digits);
    return value;
  }
  bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool finished() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

void read_time(Reader& in, Moment& m) {
  m.hour = in.number(2);
  m.minute = in.word(":").number(2);
  m.second = in.word(":").number(2);
}

// "Sun, 06 Nov 1994 08:49:37 GMT": nearly every date on the web, so its places are looked at directly.
bool read_imf_fixdate(std::string_view text, Moment& m) {
  constexpr std::string_view kShape = "aaa, 00 aaa 0000 00:00:00 GMT";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const char shape = kShape[i];
    if (shape == '0' ? !is_digit(text[i]) : shape != 'a' && text[i] != shape) return false;
  }
  const auto word = [&](std::size_t at) { return (text[at] << 16) | (text[at + 1] << 8) | text[at + 2]; };
  const auto find = [](const auto& names, int packed) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (((names[i][0] << 16) | (names[i][1] << 8) | names[i][2]) == packed) return static_cast<int>(i);
    return -1;
  };
  const auto two = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  m.month = find(kMonths, word(8)) + 1;
  if (m.month == 0 || find(kDays, word(0)) < 0) return false;
  m.day = two(5);
  m.year = two(12) * 100 + two(14);
  m.hour = two(17);
  m.minute = two(20);
  m.second = two(23);
  return true;
}
bool read_rfc850(std::string_view text, Moment& m) {
  Reader in{text};
  in.one_of(kLongDays);
  m.day = in.word(", ").number(2);
  m.month = in.word("-").one_of(kMonths) + 1;
  m.year = in.word("-").number(2);
  in.word(" ");
  read_time(in, m);
  return in.word(" GMT").finished();
}

bool read_asctime(std::string_view text, Moment& m) {
  Reader in{text};
  in.one_of(kDays);
  m.month = in.word(" ").one_of(kMonths) + 1;
  in.word(" ");
  m.day = in.next_is(' ') ? in.word(" ").number(1) : in.number(2);
  in.word(" ");
  read_time(in, m);
  m.year = in.word(" ").number(4);
  return in.finished();
}

std::optional<sys_seconds> to_seconds(const Moment& m) {
  const std::chrono::year_month_day date{std::chrono::year{m.year}, std::chrono::month{static_cast<unsigned>(m.month)},
                                         std::chrono::day{static_cast<unsigned>(m.day)}};
  if (!date.ok() || m.hour > 23 || m.minute > 59 || m.second > 60) return std::nullopt;  // 60: a leap second
  return sys_days{date} + seconds{m.hour * 3600 + m.minute * 60 + m.second};
}

// RFC 9110 section 5.6.7: more than 50 years in the future means the most recent year in the past with these digits.
std::optional<sys_seconds> with_century(Moment m, WallTime now) {
  const auto today = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date{today};
  const int this_year = static_cast<int>(date.year());
  const auto limit = std::chrono::floor<seconds>(now) + std::chrono::days{18262};  // 50 years
  for (int century = this_year / 100 + 1; century >= this_year / 100 - 1; --century) {
    Moment candidate = m;
    candidate.year = century * 100 + m.year;
    const auto time = to_seconds(candidate);
    if (time && *time <= limit) return time;
  }
  return std::nullopt;
}

WallTime clamp(sys_seconds time) {
  constexpr auto kFirst = std::chrono::ceil<seconds>(WallTime::min());
  constexpr auto kLast = std::chrono::floor<seconds>(WallTime::max());
  return std::min(std::max(time, sys_seconds{kFirst}), sys_seconds{kLast});
}

}  // namespace

std::optional<WallTime> parse_http_date(std::string_view text, WallTime now) {
  Moment m;
  std::optional<sys_seconds> time;
  if (read_imf_fixdate(text, m) || read_asctime(text, m)) {
    time = to_seconds(m);
  } else if (read_rfc850(text, m)) {
    time = with_century(m, now);
  }
  if (!time) return std::nullopt;
  return clamp(*time);
}

void append_http_date(std::string& out, WallTime time) {
  const auto whole = std::chrono::floor<seconds>(time);
  const auto midnight = std::chrono::floor<std::chrono::days>(whole);
  const std::chrono::year_month_day date{midnight};
  const auto of_day = static_cast<unsigned>((whole - midnight).count());
  const auto two = [&out](unsigned n) {
    out += static_cast<char>('0' + n / 10 % 10);
    out += static_cast<char>('0' + n % 10);
  };
  out += kDays[std::chrono::weekday{midnight}.c_encoding()];
  out += ", ";
  two(static_cast<unsigned>(date.day()));
  out += ' ';
  out += kMonths[static_cast<unsigned>(date.month()) - 1];
  out += ' ';
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
  two(year / 100);
  two(year % 100);
  out += ' ';
  two(of_day / 3600);
  out += ':';
  two(of_day / 60 % 60);
  out += ':';
  two(of_day % 60);
  out += " GMT";
}

std::string format_http_date(WallTime time) {
  std::string text;
  append_http_date(text, time);
  return text;
}

}  // namespace outrider
