// RFC 3492.
#include "base/punycode.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(Punycode, SampleStrings) {  // section 7.1
  const std::pair<const char32_t*, const char*> samples[] = {
      {U"\u0644\u064A\u0647\u0645\u0627\u0628\u062A\u0643\u0644\u0645\u0648\u0634\u0639\u0631\u0628\u064A\u061F",
       "egbpdaj6bu4bxfgehfvwxn"},
      {U"\u4ED6\u4EEC\u4E3A\u4EC0\u4E48\u4E0D\u8BF4\u4E2D\u6587", "ihqwcrb4cv8a8dqg056pqjye"},
      {U"Pro\u010Dprost\u011Bnemluv\u00ED\u010Desky", "Proprostnemluvesky-uyb24dma41a"},
      {U"3\u5E74B\u7D44\u91D1\u516B\u5148\u751F", "3B-ww4c5e180e575a65lsy2b"},
      {U"-> $1.00 <-", "-> $1.00 <--"},
      {U"\u305D\u306E\u30B9\u30D4\u30FC\u30C9\u3067", "d9juau41awczczp"},
  };
  for (const auto& [unicode, ascii] : samples) {
    EXPECT_EQ(punycode_encode(unicode), ascii);
    EXPECT_EQ(punycode_decode(ascii), unicode);
  }
}

TEST(Punycode, DigitsInUpperCase_MeanTheSame) {
  EXPECT_EQ(punycode_decode("BCHER-KVA"), U"B\u00FCCHER");
}

TEST(Punycode, HighestCodePoint_RoundTrips) {
  const std::u32string text(1000, U'\U0010FFFF');
  const auto encoded = punycode_encode(text);
  ASSERT_TRUE(encoded);
  EXPECT_EQ(punycode_decode(*encoded), text);
}

TEST(Punycode, BadInput_IsRefused) {
  for (const char* bad : {"\xC3\xA4", "zca=", "99999999", "-zca", "ls8h!", "0000000000", "a-\x80"})
    EXPECT_FALSE(punycode_decode(bad)) << bad;
  EXPECT_FALSE(punycode_decode("a-9999999999"));
  EXPECT_FALSE(punycode_encode(std::u32string(1001, U'\u00E4')));
  EXPECT_FALSE(punycode_decode(std::string(2001, 'a')));
}

}  // namespace
}  // namespace outrider
