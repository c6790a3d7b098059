// Text as far as ASCII goes: classes of characters, case, blanks around it. For what is written by rules (URLs,
// headers, settings, robots.txt), not for what people write: that is ICU's.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace outrider {

constexpr bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_ascii_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr char to_ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
// -1 if `c` is not a hexadecimal digit.
constexpr int hex_value(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const char lower = to_ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
constexpr bool is_ascii_hex_digit(char c) {
  return hex_value(c) >= 0;
}

inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), to_ascii_lower);
  return lower;
}

bool equal_ignoring_case(std::string_view a, std::string_view b);

// Without any of `blanks` at either end.
constexpr std::string_view trim(std::string_view text, std::string_view blanks = " \t") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

}  // namespace outrider
