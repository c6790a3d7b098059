// Names of elements as one number, so that they can be compared and switched on without looking at case or length. A
// name of up to eight bytes (nearly every element) is its own number: its bytes in lower case. Of a longer name the
// number is a hash, with the highest bit set. Nobody gains by a collision: it makes an unknown element of a page behave
// like another one.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace outrider {

using HtmlNameKey = std::uint64_t;

constexpr char html_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

constexpr bool same_html_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (html_lower(a[i]) != html_lower(b[i])) return false;
  return true;
}

constexpr HtmlNameKey html_name_hash(std::string_view name) {
  HtmlNameKey hash = 0xCBF29CE484222325;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(html_lower(c))) * 0x100000001B3;
  return hash | 1ULL << 63;
}

namespace html_name_detail {

template <class Word>
HtmlNameKey load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Up to eight bytes, the first one lowest. Two loads that overlap instead of a loop: its end would be mispredicted.
constexpr HtmlNameKey pack(std::string_view name) {
  if (std::is_constant_evaluated()) {
    HtmlNameKey packed = 0;
    for (std::size_t i = name.size(); i-- > 0;) packed = packed << 8 | static_cast<unsigned char>(name[i]);
    return packed;
  }
  const std::size_t size = name.size();
  const char* const bytes = name.data();
  if (size >= 4) return load<std::uint32_t>(bytes) | load<std::uint32_t>(bytes + size - 4) << 8 * (size - 4);
  if (size >= 2) return load<std::uint16_t>(bytes) | load<std::uint16_t>(bytes + size - 2) << 8 * (size - 2);
  return size == 1 ? load<std::uint8_t>(bytes) : 0;
}

// Eight characters at once: adding makes the highest bit of a byte say whether it is at least A, or beyond Z.
constexpr HtmlNameKey lower(HtmlNameKey packed) {
  constexpr HtmlNameKey kEach = 0x0101010101010101;
  const HtmlNameKey low_bits = packed & 0x7F * kEach;
  const HtmlNameKey from_a = low_bits + (0x80 - 'A') * kEach;
  const HtmlNameKey beyond_z = low_bits + (0x7F - 'Z') * kEach;
  const HtmlNameKey upper_case = (from_a ^ beyond_z) & ~packed & 0x80 * kEach;
  return packed | upper_case >> 2;
}

}  // namespace html_name_detail

// In any case: html_name_key("TITLE") == html_name_key("title").
constexpr HtmlNameKey html_name_key(std::string_view name) {
  if (name.size() > 8) return html_name_hash(name);
  const HtmlNameKey key = html_name_detail::lower(html_name_detail::pack(name));
  return key >> 63 == 0 ? key : html_name_hash(name);
}

// The same under a short name, for those who switch over many of them: `using html_names::key;`.
namespace html_names {
constexpr HtmlNameKey key(std::string_view name) {
  return html_name_key(name);
}
}  // namespace html_names

}  // namespace outrider
