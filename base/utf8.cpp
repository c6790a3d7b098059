#include "base/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace outrider {

bool is_ascii(std::string_view bytes) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    if (word & 0x8080808080808080U) return false;
  }
  for (; left > 0; ++at, --left)
    if (static_cast<unsigned char>(*at) >= 0x80) return false;
  return true;
}

std::optional<char32_t> decode_code_point(std::string_view bytes, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(bytes[at++]);
  if (lead < 0x80) return lead;
  if (lead < 0xC2 || lead > 0xF4) return std::nullopt;

  // Narrower bounds of the first continuation byte exclude overlong forms, surrogates and what lies beyond U+10FFFF.
  const int needed = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  unsigned lower = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned upper = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t code_point = lead & (0x3FU >> needed);
  for (int i = 0; i < needed; ++i) {
    if (at >= bytes.size()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if (byte < lower || byte > upper) return std::nullopt;  // this byte is looked at again
    lower = 0x80;
    upper = 0xBF;
    code_point = (code_point << 6) | (byte & 0x3FU);
    ++at;
  }
  return code_point;
}

char32_t next_code_point(std::string_view bytes, std::size_t& at) {
  return decode_code_point(bytes, at).value_or(kReplacementCharacter);
}

bool is_valid_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();)
    if (!decode_code_point(bytes, at)) return false;
  return true;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::string replace_invalid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) append_utf8(out, next_code_point(bytes, at));
  return out;
}

std::u32string to_utf32(std::string_view bytes) {
  std::u32string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) out.push_back(next_code_point(bytes, at));
  return out;
}

}  // namespace outrider
