// Names of elements and attributes as one number, so that they can be compared and switched on without looking at case
// or length. Five bits a character: names of up to twelve letters and digits 1 to 6 (every common element) are numbered
// without collision; of any other name it is a hash, with the highest bit set. Nobody gains by a collision: it makes an
// unknown element of a page behave like another one.
#pragma once

#include <cstdint>
#include <string_view>

namespace outrider {

using HtmlNameKey = std::uint64_t;

inline constexpr HtmlNameKey kHashedHtmlName = 1ULL << 63;

constexpr char html_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

constexpr HtmlNameKey html_name_hash(std::string_view name) {
  HtmlNameKey hash = 0xCBF29CE484222325;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(html_lower(c))) * 0x100000001B3;
  return hash | kHashedHtmlName;
}

// In any case: html_name_key("TITLE") == html_name_key("title").
constexpr HtmlNameKey html_name_key(std::string_view name) {
  if (name.size() > 12 || name.empty()) return html_name_hash(name);
  HtmlNameKey key = 0;
  for (const char c : name) {
    // Letters are 6 to 31 and digits 0 to 5: a number can begin with the code 0 only if the name begins with a digit.
    const auto letter = static_cast<unsigned char>((c | 0x20) - 'a');
    const auto digit = static_cast<unsigned char>(c - '1');
    if (letter < 26 && (c & 0x40) != 0)
      key = key << 5 | (letter + 6U);
    else if (digit < 6 && key != 0)
      key = key << 5 | digit;
    else
      return html_name_hash(name);
  }
  return key;
}

constexpr bool same_html_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (html_lower(a[i]) != html_lower(b[i])) return false;
  return true;
}

}  // namespace outrider
