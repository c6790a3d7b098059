// UTF-8 validated sixteen bytes at a time, where the processor has SSSE3 (all of x86-64 since 2006, but not its
// baseline). The method is that of Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte" (2021):
// whether two neighbours can stand together is told by three tables of sixteen entries, for the halves of the first
// byte and the upper half of the second; what is wrong has a bit in all three. For utf8.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__x86_64__) && defined(__GNUC__)
#define OUTRIDER_UTF8_SIMD
#include <tmmintrin.h>

namespace outrider::utf8_simd {

inline constexpr char kTooShort = 1 << 0;      // a lead byte, and no continuation
inline constexpr char kTooLong = 1 << 1;       // ASCII, and a continuation
inline constexpr char kOverlong3 = 1 << 2;     // E0 80…9F
inline constexpr char kTooLarge = 1 << 3;      // F4 90 and more
inline constexpr char kSurrogate = 1 << 4;     // ED A0…BF
inline constexpr char kOverlong2 = 1 << 5;     // C0, C1
inline constexpr char kOverlong4 = 1 << 6;     // F0 80…8F
inline constexpr char kTooLarge8 = 1 << 6;     // F5 and more, with 80…8F
inline constexpr char kTwoContinued = '\x80';  // two continuations: right only as third or fourth byte

inline bool supported() {
  static const bool answer = __builtin_cpu_supports("ssse3") != 0;
  return answer;
}

// What is wrong with each byte of `now` and the one before it.
__attribute__((target("ssse3"))) inline __m128i pairs(__m128i now, __m128i before) {
  constexpr char kAny = kTooShort | kTooLong | kTwoContinued;
  constexpr char kLead4 = kAny | kTooLarge | kTooLarge8;
  constexpr char kContinued = kTooLong | kOverlong2 | kTwoContinued;
  const __m128i first_upper =
      _mm_setr_epi8(kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTooLong, kTwoContinued,
                    kTwoContinued, kTwoContinued, kTwoContinued, kTooShort | kOverlong2, kTooShort,
                    kTooShort | kOverlong3 | kSurrogate, kTooShort | kTooLarge | kTooLarge8 | kOverlong4);
  const __m128i first_lower = _mm_setr_epi8(kAny | kOverlong3 | kOverlong2 | kOverlong4, kAny | kOverlong2, kAny, kAny,
                                            kAny | kTooLarge, kLead4, kLead4, kLead4, kLead4, kLead4, kLead4, kLead4,
                                            kLead4, kLead4 | kSurrogate, kLead4, kLead4);
  const __m128i second_upper =
      _mm_setr_epi8(kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort, kTooShort,
                    kContinued | kOverlong3 | kTooLarge8 | kOverlong4, kContinued | kOverlong3 | kTooLarge,
                    kContinued | kSurrogate | kTooLarge, kContinued | kSurrogate | kTooLarge, kTooShort, kTooShort,
                    kTooShort, kTooShort);
  const __m128i half = _mm_set1_epi8(0x0F);
  const __m128i previous = _mm_alignr_epi8(now, before, 15);
  const __m128i a = _mm_shuffle_epi8(first_upper, _mm_and_si128(_mm_srli_epi16(previous, 4), half));
  const __m128i b = _mm_shuffle_epi8(first_lower, _mm_and_si128(previous, half));
  const __m128i c = _mm_shuffle_epi8(second_upper, _mm_and_si128(_mm_srli_epi16(now, 4), half));
  return _mm_and_si128(_mm_and_si128(a, b), c);
}

// Not zero where something is wrong: a third or fourth byte has to be the second continuation in a row, and nothing
// else may be.
__attribute__((target("ssse3"))) inline __m128i faults(__m128i now, __m128i before) {
  const __m128i third = _mm_subs_epu8(_mm_alignr_epi8(now, before, 14), _mm_set1_epi8(0xE0 - 0x80));
  const __m128i fourth = _mm_subs_epu8(_mm_alignr_epi8(now, before, 13), _mm_set1_epi8(0xF0 - 0x80));
  const __m128i must_continue = _mm_and_si128(_mm_or_si128(third, fourth), _mm_set1_epi8(kTwoContinued));
  return _mm_xor_si128(must_continue, pairs(now, before));
}

__attribute__((target("ssse3"))) inline bool is_valid(std::string_view bytes) {
  __m128i wrong = _mm_setzero_si128(), before = _mm_setzero_si128();
  std::size_t at = 0;
  const auto load = [&](std::size_t from) __attribute__((target("ssse3"))) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + from));
  };
  for (; bytes.size() - at >= 64; at += 64) {
    const __m128i a = load(at), b = load(at + 16), c = load(at + 32), d = load(at + 48);
    if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) == 0) {
      wrong = _mm_or_si128(wrong, faults(a, before));  // a character may not have been complete
    } else {
      wrong = _mm_or_si128(wrong, _mm_or_si128(faults(a, before), faults(b, a)));
      wrong = _mm_or_si128(wrong, _mm_or_si128(faults(c, b), faults(d, c)));
    }
    before = d;
  }
  // The rest, with ASCII behind it, which no incomplete character can stand before.
  alignas(16) char rest[64 + 16] = {};
  std::memcpy(rest, bytes.data() + at, bytes.size() - at);
  for (std::size_t i = 0; i < sizeof rest; i += 16) {
    const __m128i now = _mm_load_si128(reinterpret_cast<const __m128i*>(rest + i));
    wrong = _mm_or_si128(wrong, faults(now, before));
    before = now;
  }
  return _mm_movemask_epi8(_mm_cmpeq_epi8(wrong, _mm_setzero_si128())) == 0xFFFF;
}

}  // namespace outrider::utf8_simd
#endif
