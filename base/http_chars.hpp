// Character classes of RFC 9110 and fast scans over them. Shared by the guard, the validator and the list helpers.
#pragma once

#include "base/ascii.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace outrider {

namespace char_class {
inline constexpr std::uint8_t kToken = 1;   // tchar, RFC 9110 section 5.6.2
inline constexpr std::uint8_t kTarget = 2;  // visible ASCII except '#': what a request target may hold
inline constexpr std::uint8_t kHost = 4;    // unreserved of RFC 3986: what a host name is written with
inline constexpr std::uint8_t kHex = 8;
inline constexpr std::uint8_t kDigit = 16;

consteval std::array<std::uint8_t, 256> make_table() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned c = 0x21; c < 0x7f; ++c)
    if (c != '#') table[c] |= kTarget;
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] |= kToken | kHost;
  for (unsigned c = 'A'; c <= 'Z'; ++c) table[c] |= kToken | kHost;
  for (unsigned c = '0'; c <= '9'; ++c) table[c] |= kToken | kHost | kHex | kDigit;
  for (unsigned c = 'a'; c <= 'f'; ++c) table[c] |= kHex;
  for (unsigned c = 'A'; c <= 'F'; ++c) table[c] |= kHex;
  for (char c : std::string_view{"!#$%&'*+-.^_`|~"}) table[static_cast<unsigned char>(c)] |= kToken;
  for (char c : std::string_view{"-._~"}) table[static_cast<unsigned char>(c)] |= kHost;
  return table;
}
inline constexpr std::array<std::uint8_t, 256> kTable = make_table();
}  // namespace char_class

constexpr bool has_class(char c, std::uint8_t classes) {
  return (char_class::kTable[static_cast<unsigned char>(c)] & classes) != 0;
}
constexpr bool is_tchar(char c) {
  return has_class(c, char_class::kToken);
}
constexpr bool is_digit(char c) {
  return has_class(c, char_class::kDigit);
}
constexpr bool is_ows(char c) {
  return c == ' ' || c == '\t';
}

#ifdef __SSE2__  // part of every x86-64
// A bit for each of the sixteen bytes at `at` that is in [low, high].
inline unsigned range_bits(__m128i bytes, char low, char high) {
  const __m128i moved = _mm_sub_epi8(bytes, _mm_set1_epi8(low));
  const __m128i width = _mm_set1_epi8(static_cast<char>(high - low));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(moved, width), moved)));
}
#endif

// The first byte in [at, end) outside `classes`.
inline const char* skip_http_class(const char* at, const char* end, std::uint8_t classes) {
  while (at != end && has_class(*at, classes)) ++at;
  return at;
}

// The first byte in [at, end) that is not a tchar. Most names are letters and hyphens, which go by sixteen.
inline const char* skip_token(const char* at, const char* end) {
#ifdef __SSE2__
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const unsigned other = ~(range_bits(folded, 'a', 'z') | range_bits(bytes, '-', '.')) & 0xffff;
    if (other == 0) continue;
    at += std::countr_zero(other);
    if (*at == ':') return at;
    break;
  }
#endif
  return skip_http_class(at, end, char_class::kToken);
}

// The first byte in [at, end) that a request target may not hold.
inline const char* skip_target(const char* at, const char* end) {
#ifdef __SSE2__
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const unsigned other = (~range_bits(bytes, '\x21', '\x7e') | range_bits(bytes, '#', '#')) & 0xffff;
    if (other != 0) return at + std::countr_zero(other);
  }
#endif
  return skip_http_class(at, end, char_class::kTarget);
}

constexpr bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

// The first control byte (tab included) in [at, end). Field values are most of a head, so they go by sixteen or eight.
inline const char* skip_text(const char* at, const char* end) {
#ifdef __SSE2__
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const unsigned found = range_bits(bytes, '\x00', '\x1f') | range_bits(bytes, '\x7f', '\x7f');
    if (found != 0) return at + std::countr_zero(found);
  }
#else
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  for (; end - at >= 8; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    const std::uint64_t del = word ^ (kOnes * 0x7f);
    if (((((word - kOnes * 0x20) & ~word) | ((del - kOnes) & ~del)) & kHigh) != 0) break;
  }
#endif
  while (at != end && !is_control(*at)) ++at;
  return at;
}

inline bool holds_control(std::string_view text) {
  const char* end = text.data() + text.size();
  return skip_text(text.data(), end) != end;
}

constexpr std::string_view trim_ows(std::string_view text) {
  while (!text.empty() && is_ows(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_ows(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace outrider
