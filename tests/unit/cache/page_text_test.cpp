#include "cache/page_text.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(PageText, WhiteSpaceIsCollapsed) {
  EXPECT_EQ(collapsed("  a \t\n b\xC2\xA0 c  d e ", 100), "a b c d e");
  EXPECT_EQ(collapsed(" \n\xC2\xA0", 100), "");
  EXPECT_EQ(collapsed("é à ô", 100), "é à ô");  // their first byte is near that of the no-break space
}

// How the text comes in pieces does not show.
TEST(PageText, EverySplitGivesTheSame) {
  const std::string text = " one  two\n three \xC2\xA0 four \xC2\xA9 f\xC3\xBCnf ";
  for (const std::size_t limit : {5, 9, 18, 19, 20, 21, 100}) {
    const std::string whole = collapsed(text, limit);
    for (std::size_t at = 0; at <= text.size(); ++at) {
      if (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;  // inside a character
      CollapsedText pieces{limit};
      pieces.add(std::string_view(text).substr(0, at));
      pieces.add(std::string_view(text).substr(at));
      EXPECT_EQ(pieces.text(), whole) << at << " of " << limit;
    }
  }
}

TEST(PageText, LimitCutsBetweenCharacters) {
  EXPECT_EQ(collapsed("ab cd", 3), "ab");
  EXPECT_EQ(collapsed("ab cd", 4), "ab c");
  EXPECT_EQ(collapsed("日本語", 7), "日本");
  EXPECT_EQ(collapsed("日本語", 0), "");
}

TEST(PageText, SpaceBetweenElements) {
  CollapsedText text{100};
  text.add_space();
  text.add("a");
  text.add_space();
  text.add_space();
  text.add("b");
  text.add_space();
  EXPECT_EQ(text.take(), "a b");
  EXPECT_TRUE(text.empty());
}

}  // namespace
}  // namespace outrider
