#include "base/utf8.hpp"

#include "base/ascii_run.hpp"
#include "base/utf8_simd.hpp"

#include <cstdint>

namespace outrider {

namespace {

[[maybe_unused]] constexpr std::size_t kWorthSimd = 64;

// The length of the well-formed sequence of two to four bytes at `at`, or 0; four bytes can be read there. All bits
// that are fixed are compared at once; then what would be overlong, a surrogate or beyond U+10FFFF.
std::size_t sequence_at(const char* at) {
  const auto* byte = reinterpret_cast<const unsigned char*>(at);
  const std::uint32_t word =
      byte[0] | std::uint32_t{byte[1]} << 8 | std::uint32_t{byte[2]} << 16 | std::uint32_t{byte[3]} << 24;
  if ((word & 0xC0E0) == 0x80C0) return (word & 0x1E) != 0 ? 2 : 0;
  if ((word & 0xC0C0F0) == 0x8080E0) {
    const std::uint32_t telling = word & 0x200F;
    return telling != 0 && telling != 0x200D ? 3 : 0;
  }
  if ((word & 0xC0C0C0F8) == 0x808080F0) {
    const std::uint32_t telling = word & 0x3007;
    return telling != 0 && ((telling & 7) < 4 || telling == 4) ? 4 : 0;
  }
  return 0;
}

// How far the bytes from `at` on are well-formed.
std::size_t skip_valid(std::string_view bytes, std::size_t at) {
  while ((at = skip_ascii(bytes, at)) < bytes.size()) {
    while (bytes.size() - at >= 4) {
      const std::size_t length = sequence_at(bytes.data() + at);
      if (length == 0) break;
      at += length;
    }
    if (at >= bytes.size()) break;
    if (static_cast<unsigned char>(bytes[at]) < 0x80) continue;
    std::size_t next = at;
    if (!decode_code_point(bytes, next)) return at;
    at = next;
  }
  return at;
}

}  // namespace

bool is_ascii(std::string_view bytes) {
  return skip_ascii(bytes, 0) == bytes.size();
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
#ifdef OUTRIDER_UTF8_SIMD
  if (bytes.size() >= kWorthSimd && utf8_simd::supported()) return utf8_simd::is_valid(bytes);
#endif
  return skip_valid(bytes, 0) == bytes.size();
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
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = skip_valid(bytes, at);
    out.append(bytes, at, end - at);
    at = end;
    if (at < bytes.size()) append_utf8(out, next_code_point(bytes, at));
  }
  return out;
}

std::u32string to_utf32(std::string_view bytes) {
  std::u32string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) out.push_back(next_code_point(bytes, at));
  return out;
}

}  // namespace outrider
