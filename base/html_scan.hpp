// Character classes of HTML's grammar and fast scans for the bytes that end text, names and values. Every scan stays
// inside [at, end). For html_tokenizer and html_charrefs only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace outrider::html_scan {

inline constexpr std::uint8_t kSpace = 1;          // CR, too: the standard makes LF of it before it looks
inline constexpr std::uint8_t kEndsName = 2;       // of a tag: space / >
inline constexpr std::uint8_t kEndsAttribute = 4;  // the name of an attribute: space / > =
inline constexpr std::uint8_t kEndsValue = 8;      // without quotes: space >
inline constexpr std::uint8_t kLetter = 16;

consteval std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> table{};
  for (const char c : {' ', '\t', '\n', '\f', '\r'})
    table[static_cast<unsigned char>(c)] = kSpace | kEndsName | kEndsAttribute | kEndsValue;
  table['/'] = kEndsName | kEndsAttribute;
  table['>'] = kEndsName | kEndsAttribute | kEndsValue;
  table['='] = kEndsAttribute;
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = table[c - 0x20] = kLetter;
  return table;
}
inline constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

inline bool is(char c, std::uint8_t classes) {
  return (kClasses[static_cast<unsigned char>(c)] & classes) != 0;
}

// The first byte of one of the classes, or `end`.
inline const char* find_class(const char* at, const char* end, std::uint8_t classes) {
  while (at != end && !is(*at, classes)) ++at;
  return at;
}
// The same for names, which are short: sixteen bytes at once instead of a loop whose end would be mispredicted.
// `classes` must be kEndsName or kEndsAttribute.
inline const char* find_name_end(const char* at, const char* end, std::uint8_t classes) {
#ifdef __SSE2__
  if (end - at >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i space = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(' ')), block);  // and control characters
    const __m128i close =
        _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('>')), _mm_cmpeq_epi8(block, _mm_set1_epi8('/')));
    const __m128i equal = _mm_cmpeq_epi8(block, _mm_set1_epi8('='));
    const int hits = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(space, close), equal));
    at += hits == 0 ? 16 : std::countr_zero(static_cast<unsigned>(hits));
  }
#endif
  return find_class(at, end, classes);
}
// The first byte of none of them, or `end`.
inline const char* skip_class(const char* at, const char* end, std::uint8_t classes) {
  while (at != end && is(*at, classes)) ++at;
  return at;
}

// The first `wanted`, or `end`. Most runs are shorter than what calling memchr costs, so the loop is here.
inline const char* find_byte(const char* at, const char* end, char wanted) {
#ifdef __SSE2__  // part of every x86-64
  const __m128i pattern = _mm_set1_epi8(wanted);
  for (; end - at >= 16; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const int hits = _mm_movemask_epi8(_mm_cmpeq_epi8(block, pattern));
    if (hits != 0) return at + std::countr_zero(static_cast<unsigned>(hits));
  }
  while (at != end && *at != wanted) ++at;
  return at;
#else
  const void* found = at == end ? nullptr : std::memchr(at, wanted, static_cast<std::size_t>(end - at));
  return found != nullptr ? static_cast<const char*>(found) : end;
#endif
}

// The first byte that may not mean itself ("&", CR, NUL), or `end`.
inline const char* find_undecoded(const char* at, const char* end) {
#ifdef __SSE2__
  for (; end - at >= 16; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i reference = _mm_cmpeq_epi8(block, _mm_set1_epi8('&'));
    const __m128i control =
        _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('\r')), _mm_cmpeq_epi8(block, _mm_setzero_si128()));
    const int hits = _mm_movemask_epi8(_mm_or_si128(reference, control));
    if (hits != 0) return at + std::countr_zero(static_cast<unsigned>(hits));
  }
#endif
  while (at != end && *at != '&' && *at != '\r' && *at != '\0') ++at;
  return at;
}

}  // namespace outrider::html_scan
