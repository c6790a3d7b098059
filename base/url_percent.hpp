// Percent-encoding of the URL Standard (https://url.spec.whatwg.org/#percent-encoded-bytes): which bytes each part of a
// URL may hold as they are, and the two directions.
#pragma once

#include "base/ascii.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace outrider {

// The percent-encode sets, one bit each, so that one table answers for all of them.
enum class EncodeSet : std::uint8_t {
  c0_control = 1,
  fragment = 2,
  query = 4,
  special_query = 8,
  path = 16,
  userinfo = 32,
  component = 64,
  form = 128,  // application/x-www-form-urlencoded; the caller turns a space into '+'
};

namespace detail {
constexpr std::array<std::uint8_t, 256> make_encode_table() {
  std::array<std::uint8_t, 256> table{};
  const auto add = [&table](std::string_view characters, unsigned sets) {
    for (char c : characters) table[static_cast<unsigned char>(c)] |= static_cast<std::uint8_t>(sets);
  };
  for (unsigned c = 0; c < 256; ++c)
    if (c < 0x20 || c > 0x7E) table[c] = 0xFF;
  constexpr unsigned kFragment = 2, kQuery = 4, kSpecialQuery = 8, kPath = 16, kUserinfo = 32, kComponent = 64,
                     kForm = 128;
  constexpr unsigned kFromForm = kForm;
  constexpr unsigned kFromComponent = kComponent | kFromForm;
  constexpr unsigned kFromUserinfo = kUserinfo | kFromComponent;
  constexpr unsigned kFromPath = kPath | kFromUserinfo;
  constexpr unsigned kFromQuery = kQuery | kSpecialQuery | kFromPath;
  add(" \"<>`", kFragment);
  add(" \"#<>", kFromQuery);
  add("'", kSpecialQuery);
  add("?^`{}", kFromPath);
  add("/:;=@[\\]|", kFromUserinfo);
  add("$%&+,", kFromComponent);
  add("!'()~", kFromForm);
  return table;
}
inline constexpr std::array<std::uint8_t, 256> kEncodeTable = make_encode_table();
}  // namespace detail

inline bool in_encode_set(char c, EncodeSet set) {
  return (detail::kEncodeTable[static_cast<unsigned char>(c)] & static_cast<std::uint8_t>(set)) != 0;
}

// "%41" at `at`?
constexpr bool is_percent_triplet(std::string_view text, std::size_t at) {
  return at + 2 < text.size() && text[at] == '%' && is_ascii_hex_digit(text[at + 1]) &&
         is_ascii_hex_digit(text[at + 2]);
}

void append_percent_byte(std::string& out, unsigned char byte);  // "%0A": upper-case digits
// Byte by byte, so for UTF-8 text this is the standard's "UTF-8 percent-encode".
void append_percent_encoded(std::string& out, std::string_view text, EncodeSet set);
// A '%' that does not begin a triplet stays as it is.
std::string percent_decode(std::string_view text);

}  // namespace outrider
