#include "base/charset_decoders.hpp"

#include "base/ascii_run.hpp"
#include "base/charset_index.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace outrider {
namespace {

// A character ready to be copied: as many bytes as it may have, and how many it has.
struct Utf8Character {
  std::array<char, 3> bytes{};
  std::uint8_t size = 0;
};

std::array<Utf8Character, 128> as_utf8(const SingleByteIndex& index) {
  std::array<Utf8Character, 128> characters;
  std::string text;
  for (std::size_t i = 0; i < index.size(); ++i) {
    text.clear();
    append_utf8(text, index[i] != 0 ? index[i] : kReplacementCharacter);
    std::copy(text.begin(), text.end(), characters[i].bytes.begin());
    characters[i].size = static_cast<std::uint8_t>(text.size());
  }
  return characters;
}

void append_single_byte(std::string& out, const SingleByteIndex& index, std::string_view bytes) {
  const std::array<Utf8Character, 128> characters = as_utf8(index);
  out.reserve(out.size() + bytes.size() + bytes.size() / 2);
  std::array<char, 3 * 1024> block;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = skip_ascii(bytes, at);
    out.append(bytes, at, end - at);
    at = end;
    // Words alternate with spaces: single ASCII bytes are not worth another scan.
    char* to = block.data();
    for (const std::size_t stop = std::min(bytes.size(), at + block.size() / 3); at < stop; ++at) {
      const auto byte = static_cast<unsigned char>(bytes[at]);
      if (byte < 0x80) {
        *to++ = bytes[at];
        continue;
      }
      const Utf8Character& character = characters[byte - 0x80U];
      std::memcpy(to, character.bytes.data(), character.bytes.size());
      to += character.size;
    }
    out.append(block.data(), static_cast<std::size_t>(to - block.data()));
  }
}

void append_user_defined(std::string& out, std::string_view bytes) {  // section 14.5
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(out, byte < 0x80 ? char32_t{byte} : char32_t{0xF780} + byte - 0x80);
  }
}

void append_utf16(std::string& out, std::string_view bytes, bool big_endian) {  // section 14.2
  out.reserve(out.size() + bytes.size());
  const auto unit_at = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<char32_t>(big_endian ? first << 8 | second : second << 8 | first);
  };
  const auto is_trail = [](char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; };
  std::size_t at = 0;
  for (; at + 2 <= bytes.size(); at += 2) {
    const char32_t unit = unit_at(at);
    if (unit < 0xD800 || unit > 0xDFFF) {
      append_utf8(out, unit);
    } else if (is_trail(unit)) {
      append_utf8(out, kReplacementCharacter);
    } else if (at + 4 > bytes.size()) {  // half a character, with half a unit behind it or not
      append_utf8(out, kReplacementCharacter);
      return;
    } else if (const char32_t trail = unit_at(at + 2); is_trail(trail)) {
      append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (trail - 0xDC00));
      at += 2;
    } else {
      append_utf8(out, kReplacementCharacter);
    }
  }
  if (at < bytes.size()) append_utf8(out, kReplacementCharacter);
}

}  // namespace

void append_decoded(std::string& out, Encoding encoding, std::string_view bytes) {
  switch (encoding) {
    case Encoding::utf_8:
      if (is_valid_utf8(bytes)) {
        out += bytes;
      } else {
        out += replace_invalid_utf8(bytes);
      }
      return;
    case Encoding::gbk:
    case Encoding::gb18030:
      return append_gb18030(out, bytes);
    case Encoding::big5:
      return append_big5(out, bytes);
    case Encoding::euc_jp:
      return append_euc_jp(out, bytes);
    case Encoding::iso_2022_jp:
      return append_iso_2022_jp(out, bytes);
    case Encoding::shift_jis:
      return append_shift_jis(out, bytes);
    case Encoding::euc_kr:
      return append_euc_kr(out, bytes);
    case Encoding::replacement:  // section 14.1: what is dangerous to decode at all
      if (!bytes.empty()) append_utf8(out, kReplacementCharacter);
      return;
    case Encoding::utf_16be:
      return append_utf16(out, bytes, true);
    case Encoding::utf_16le:
      return append_utf16(out, bytes, false);
    case Encoding::x_user_defined:
      return append_user_defined(out, bytes);
    default:
      return append_single_byte(out, single_byte_index(encoding), bytes);
  }
}

}  // namespace outrider
