// Character properties of Unicode 17.0: ICU's, and what ICU does not know yet.
#include "base/unicode17.hpp"

#include "base/unicode17_tables.hpp"

#include <gtest/gtest.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include <random>

namespace outrider::unicode17 {
namespace {

std::u32string nfc_of_icu(std::u32string_view text) {
  std::u16string units;
  for (char32_t c : text) {
    UChar pair[2];
    int32_t length = 0;
    U16_APPEND_UNSAFE(pair, length, c);
    units.append(pair, static_cast<std::size_t>(length));
  }
  UErrorCode error = U_ZERO_ERROR;
  std::u16string normalized(units.size() * 4 + 16, u'\0');
  const int32_t size = unorm2_normalize(unorm2_getNFCInstance(&error), units.data(), static_cast<int32_t>(units.size()),
                                        normalized.data(), static_cast<int32_t>(normalized.size()), &error);
  EXPECT_TRUE(U_SUCCESS(error));
  std::u32string out;
  for (int32_t i = 0; i < size;) {
    UChar32 c;
    U16_NEXT(normalized.data(), i, size, c);
    out.push_back(static_cast<char32_t>(c));
  }
  return out;
}

TEST(Unicode17, Nfc_AgreesWithIcuWhereIcuKnows) {  // Unicode Standard section 3.11, chapter 3.12 for Hangul
  const std::u32string alphabet =
      U"aeo\u0041\u0300\u0301\u0307\u0308\u0323\u0327\u0338\u0345\u1100\u1161\u11A8\uAC00\u03B1\u0313\u0915\u093C\u0958"
      U"\u09C7\u09BE"
      U"\u05D0\u05BC\u3046\u3099\U0001D15E\u0F71\u0F72\u0F74\u212B\u2126\uFB1D\u0B47\u0B56\U00011131\U00011127=<";
  std::mt19937 random(17);
  for (int i = 0; i < 20'000; ++i) {
    std::u32string text;
    for (std::size_t length = random() % 12; length > 0; --length) text.push_back(alphabet[random() % alphabet.size()]);
    ASSERT_EQ(to_nfc(text), nfc_of_icu(text));
  }
}

TEST(Unicode17, Nfc_OfNewCharacters) {  // UnicodeData.txt 16.0 and 17.0
  EXPECT_EQ(to_nfc(U"\U00016D67\U00016D67"), U"\U00016D68");
  EXPECT_EQ(to_nfc(U"\U00016D63\U00016D67\U00016D67"), U"\U00016D6A");  // in two steps
  EXPECT_EQ(to_nfc(U"\U0001611E\U0001611E\U00016120"), U"\U00016128");
  EXPECT_EQ(to_nfc(U"\U000105D2\u0323\u0307"), U"\U000105C9\u0323");  // the mark between does not block
  EXPECT_EQ(to_nfc(U"a\u1ADD\u1ACF"), U"a\u1ADD\u1ACF");
  EXPECT_EQ(to_nfc(U"a\u1ACF\u1ADD"), U"a\u1ADD\u1ACF");  // 220 before 230
}

TEST(Unicode17, Tables_AreSorted) {
  const auto is_sorted = [](const auto& rows) {
    for (std::size_t i = 0; i < std::size(rows); ++i)
      if (rows[i].last < rows[i].first || (i > 0 && rows[i].first <= rows[i - 1].last)) return false;
    return true;
  };
  EXPECT_TRUE(is_sorted(kMappings));
  EXPECT_TRUE(is_sorted(kProperties));
}

TEST(Unicode17, Properties_OfOldAndNewCharacters) {
  EXPECT_TRUE(is_mark(0x0301));
  EXPECT_TRUE(is_mark(0x0897));
  EXPECT_FALSE(is_mark('a'));
  EXPECT_EQ(combining_class(0x094D), 9);
  EXPECT_EQ(combining_class(0x113CE), 9);
  EXPECT_EQ(bidi_class(0x05D0), U_RIGHT_TO_LEFT);
  EXPECT_EQ(bidi_class(0x10D40), U_ARABIC_NUMBER);
  EXPECT_EQ(joining_type(0x0628), U_JT_DUAL_JOINING);
  EXPECT_EQ(joining_type(0x10EC2), U_JT_RIGHT_JOINING);
}

TEST(Unicode17, MappingOfIdna) {
  std::u32string out;
  EXPECT_TRUE(append_idna_mapping(out, 'A'));
  EXPECT_TRUE(append_idna_mapping(out, 0x00AD));
  EXPECT_TRUE(append_idna_mapping(out, 0xFB00));
  EXPECT_EQ(out, U"aff");
  EXPECT_FALSE(append_idna_mapping(out, 0xFFFD));
  EXPECT_FALSE(append_idna_mapping(out, 0x0378));
  EXPECT_TRUE(is_idna_valid(0x200D));
  EXPECT_TRUE(is_idna_valid(0x00DF));
  EXPECT_FALSE(is_idna_valid(0x1CCD6));  // mapped to "a"
  EXPECT_FALSE(is_idna_valid(0x180E));   // ignored
}

}  // namespace
}  // namespace outrider::unicode17
