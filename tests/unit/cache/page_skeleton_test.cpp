#include "cache/page_skeleton.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::string text_of(const PageSkeleton& page, std::string_view of_tree) {
  std::string all;
  page.each_text(of_tree, [&all](std::string_view text) { all += text; });
  return all;
}

TEST(PageSkeleton, KeepsTagsAndTheAttributesThatCount) {
  const PageSkeleton page{R"(<!DOCTYPE html><div id=a style="x" class='b "c"' hidden data-x=1><BR/></div>)"};
  EXPECT_EQ(page.html(), R"(<!DOCTYPE html><div id="a" class='b "c"' hidden><BR/></div>)");
}

TEST(PageSkeleton, LeavesOutWhatNobodyReads) {
  const PageSkeleton page{
      "<head><meta charset=utf-8><link rel=x><style>p{}</style></head><!-- note --><script>if (a<b) x();</script>"
      "<p><img src=a.png></p>"};
  EXPECT_EQ(page.html(), "<head></head><p></p>");
}

TEST(PageSkeleton, TextStandsAside) {
  const PageSkeleton page{"<p>one &amp; two</p> \n <p>three<!-- x -->four</p>"};
  const std::string& html = page.html();
  EXPECT_EQ(html.size(), std::string_view{"<p></p> <p></p>"}.size() + 3 * 4);
  EXPECT_EQ(text_of(page, html.substr(3, 4)), "one & two");
  EXPECT_EQ(text_of(page, html.substr(15, 8)), "threefour");
  EXPECT_EQ(text_of(page, " "), " ") << "blanks of the tree are blanks";
}

// They could be taken for our own.
TEST(PageSkeleton, PrivateCharactersOfThePage_AreTextLikeOthers) {
  const std::string_view strange = "\xF3\xB0\x80\x81 \xF4\x80\x80\x80";
  const PageSkeleton page{"<p>" + std::string{strange}};
  EXPECT_EQ(text_of(page, page.html().substr(3)), strange);
  EXPECT_EQ(text_of(page, "\xF3\xB0\x80\x85"), "") << "stands for nothing";
}

TEST(PageSkeleton, MorePiecesThanCharacters_EndTheText) {
  std::string html;
  for (int i = 0; i < 140'000; ++i) html += "a<b>";
  const PageSkeleton page{html};
  EXPECT_LT(page.html().size(), html.size() + 140'000 * 4);
}

}  // namespace
}  // namespace outrider
