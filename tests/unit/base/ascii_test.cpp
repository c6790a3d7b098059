#include "base/ascii.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(Ascii, LowerCaseIsOfLettersOnly) {
  EXPECT_EQ(ascii_lower("AZaz09@[`{\xC3\x84"), "azaz09@[`{\xC3\x84");
  EXPECT_EQ(ascii_lower(""), "");
}

TEST(Ascii, HexValueKnowsEveryByte) {
  for (int c = 0; c < 256; ++c) {
    const std::size_t place = std::string_view{"0123456789abcdef"}.find(to_ascii_lower(static_cast<char>(c)));
    EXPECT_EQ(hex_value(static_cast<char>(c)), place == std::string_view::npos ? -1 : static_cast<int>(place)) << c;
  }
}

TEST(Ascii, TrimTakesTheGivenBlanksFromBothEnds) {
  EXPECT_EQ(trim(" \t a b\t "), "a b");
  EXPECT_EQ(trim("a\n"), "a\n");
  EXPECT_EQ(trim("\r a\n", " \r\n"), "a");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim(""), "");
}

// Whole words of eight bytes are compared at once, so every length and every place of a difference.
TEST(Ascii, EqualIgnoringCaseLooksAtEveryByte) {
  const std::string lower = "content-security-policy-x@[`{", upper = "CONTENT-SECURITY-POLICY-X@[`{";
  for (std::size_t size = 0; size <= lower.size(); ++size) {
    const std::string a = lower.substr(0, size), b = upper.substr(0, size);
    EXPECT_TRUE(equal_ignoring_case(a, b)) << a;
    EXPECT_FALSE(equal_ignoring_case(a, b + "x"));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = b;
      other[at] = static_cast<char>(other[at] ^ 0x01);
      EXPECT_FALSE(equal_ignoring_case(a, other)) << other;
    }
  }
}

}  // namespace
}  // namespace outrider
