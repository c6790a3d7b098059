// How far the bytes are ASCII: most of every page is, whatever its encoding.
#pragma once

#include <bit>
#include <cstddef>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace outrider {

// The position of the first byte from `at` on that is not ASCII, or the size.
inline std::size_t skip_ascii(std::string_view bytes, std::size_t at) {
#ifdef __SSE2__
  for (; bytes.size() - at >= 64; at += 64) {
    const auto* block = reinterpret_cast<const __m128i*>(bytes.data() + at);
    const __m128i a = _mm_loadu_si128(block), b = _mm_loadu_si128(block + 1);
    const __m128i c = _mm_loadu_si128(block + 2), d = _mm_loadu_si128(block + 3);
    if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) != 0) break;
  }
  for (; bytes.size() - at >= 16; at += 16) {
    const auto high =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at))));
    if (high != 0) return at + static_cast<std::size_t>(std::countr_zero(high));
  }
#endif
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
  return at;
}

}  // namespace outrider
