// https://encoding.spec.whatwg.org/#utf-8-decoder
#include "base/utf8.hpp"

#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(Utf8, EveryCodePoint_RoundTrips) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, c);
    std::size_t at = 0;
    ASSERT_EQ(next_code_point(bytes, at), c);
    ASSERT_EQ(at, bytes.size());
    ASSERT_TRUE(is_valid_utf8(bytes));
    ASSERT_EQ(is_ascii(bytes), c < 0x80);
  }
}

TEST(Utf8, IllFormedSequences_YieldOneReplacementPerMaximalSubpart) {
  const std::pair<std::string_view, std::u32string_view> cases[] = {
      {"\x80", U"\uFFFD"},                                // continuation without lead
      {"\xC0\x80", U"\uFFFD\uFFFD"},                      // overlong
      {"\xE0\x80\x80", U"\uFFFD\uFFFD\uFFFD"},            // overlong
      {"\xED\xA0\x80", U"\uFFFD\uFFFD\uFFFD"},            // surrogate
      {"\xF4\x90\x80\x80", U"\uFFFD\uFFFD\uFFFD\uFFFD"},  // beyond U+10FFFF
      {"\xE4\xB8", U"\uFFFD"},                            // truncated
      {"\xE4\xB8x", U"\uFFFDx"},
      {"\xF0\x9F\x98", U"\uFFFD"},
      {"\xE4\xE4\xB8\xAD", U"\uFFFD\u4E2D"},
      {"\xFF"
       "a\xFE",
       U"\uFFFD"
       U"a\uFFFD"},
  };
  for (const auto& [bytes, expected] : cases) {
    EXPECT_FALSE(is_valid_utf8(test::ExactBuffer(bytes)));
    EXPECT_EQ(to_utf32(test::ExactBuffer(bytes)), expected);
    EXPECT_TRUE(is_valid_utf8(replace_invalid_utf8(test::ExactBuffer(bytes))));
  }
  EXPECT_TRUE(is_valid_utf8("\xEF\xBF\xBD"));
}

// Validation takes several bytes at once; it must agree with decoding them one by one.
TEST(Utf8, Validation_AgreesWithDecoding) {
  const unsigned samples[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
                              0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xFF};
  for (unsigned first = 0x80; first <= 0xFF; ++first)
    for (unsigned second = 0; second <= 0xFF; ++second)
      for (const unsigned third : samples)
        for (const unsigned fourth : {0x41U, 0x80U, 0xBFU, 0xC2U}) {
          const std::string sequence{static_cast<char>(first), static_cast<char>(second), static_cast<char>(third),
                                     static_cast<char>(fourth)};
          bool valid = true;
          for (std::size_t at = 0; at < sequence.size();) valid = decode_code_point(sequence, at).has_value() && valid;
          ASSERT_EQ(is_valid_utf8(sequence), valid) << first << ' ' << second << ' ' << third << ' ' << fourth;
          ASSERT_EQ(is_valid_utf8("text " + sequence + " text"), valid);
          // Long enough for the vectors, at each place in one and across two.
          const std::string begin(48 + (first + second + third) % 40, 'a');
          ASSERT_EQ(is_valid_utf8(begin + sequence + "text"), valid) << begin.size();
          ASSERT_EQ(is_valid_utf8(begin + begin + sequence), valid) << begin.size();
          ASSERT_EQ(to_utf32(sequence), to_utf32(replace_invalid_utf8(sequence)));
        }
}

TEST(Utf8, IsAscii_SeesEveryPosition) {
  for (std::size_t size = 1; size < 140; ++size)
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      ASSERT_TRUE(is_ascii(test::ExactBuffer(text)));
      text[at] = '\x80';
      ASSERT_FALSE(is_ascii(test::ExactBuffer(text))) << size << " " << at;
    }
  EXPECT_TRUE(is_ascii(""));
}

}  // namespace
}  // namespace outrider
