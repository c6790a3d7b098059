// The encodings of the Encoding Standard and the labels by which pages name them:
// https://encoding.spec.whatwg.org/#names-and-labels
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace outrider {

// In the order of the standard's table.
enum class Encoding : std::uint8_t {
  utf_8,
  ibm866,
  iso_8859_2,
  iso_8859_3,
  iso_8859_4,
  iso_8859_5,
  iso_8859_6,
  iso_8859_7,
  iso_8859_8,
  iso_8859_8_i,
  iso_8859_10,
  iso_8859_13,
  iso_8859_14,
  iso_8859_15,
  iso_8859_16,
  koi8_r,
  koi8_u,
  macintosh,
  windows_874,
  windows_1250,
  windows_1251,
  windows_1252,
  windows_1253,
  windows_1254,
  windows_1255,
  windows_1256,
  windows_1257,
  windows_1258,
  x_mac_cyrillic,
  gbk,
  gb18030,
  big5,
  euc_jp,
  iso_2022_jp,
  shift_jis,
  euc_kr,
  replacement,
  utf_16be,
  utf_16le,
  x_user_defined,
};

inline constexpr std::size_t kEncodings = 40;

// The standard's name: "UTF-8", "windows-1252", "Shift_JIS" …
std::string_view to_string(Encoding encoding);

// "Get an encoding" (section 4.2): white space around the label and its case do not matter. Nothing: no such label.
std::optional<Encoding> encoding_for_label(std::string_view label);

}  // namespace outrider
