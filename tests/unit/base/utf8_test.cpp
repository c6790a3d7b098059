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

TEST(Utf8, IsAscii_SeesEveryPosition) {
  for (std::size_t size = 1; size < 40; ++size)
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
