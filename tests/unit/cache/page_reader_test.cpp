#include "cache/page_reader.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

const std::string kFirst =
    "The first paragraph of the article has enough words to be taken for a sentence by anybody who looks at it.";
const std::string kSecond =
    "The second paragraph of the article goes on for a while, too, with a <a href=x>link</a> and <b>bold</b> words.";
const std::string kSecondText =
    "The second paragraph of the article goes on for a while, too, with a link and bold words.";

std::string page_with(const std::string& article) {
  return "<!DOCTYPE html><html><head><title>Title</title><style>p{}</style></head><body>"
         "<header><a href=/>Home</a> <a href=/x>A slogan of this site</a></header>"
         "<nav><ul><li><a href=1>One</a><li><a href=2>Two</a></ul></nav>" +
         article +
         "<aside><p>An advertisement for something that nobody who came here wanted to read about at all.</p></aside>"
         "<footer><p>Copyright by somebody who has a lot to say about the rights that are reserved here.</p></footer>"
         "<script>var text = 'no';</script></body></html>";
}

PageContent read(const std::string& html) {
  PageContent page;
  read_page(html, Url::parse("https://site.example/").value(), page);
  return page;
}

// The same page as gumbo may not see it.
PageContent read_from_tags(const std::string& html) {
  PageScan scan;
  scan.too_much_for_tree = true;
  read_page(html, scan);
  return scan.page;
}

TEST(PageReader, MainTextIsWhatIsNoNavigation) {
  const std::string html = page_with("<h1>Heading</h1><p>" + kFirst + "</p>\n<p>" + kSecond + "</p>");
  for (const PageContent& page : {read(html), read_from_tags(html)}) {
    EXPECT_EQ(page.text, "Heading\n" + kFirst + "\n" + kSecondText);
    ASSERT_EQ(page.headings.size(), 1U);
    EXPECT_EQ(page.headings[0].level, 1);
    EXPECT_EQ(page.headings[0].text, "Heading");
    EXPECT_EQ(page.language.code, "en");
    EXPECT_EQ(page.word_count, 40U);
    EXPECT_EQ(page.reading_seconds, 10U);
    EXPECT_NE(page.fingerprint, 0U);
    EXPECT_NE(page.simhash, 0U);
  }
  EXPECT_TRUE(read(html).deep);
  EXPECT_FALSE(read_from_tags(html).deep);
  EXPECT_EQ(read(html).fingerprint, read_from_tags(html).fingerprint);
}

TEST(PageReader, ListsOfLinksAreDroppedWhereverTheyStand) {
  const PageContent page = read(
      "<div><ul><li><a href=1>First thing to look at on this site</a><li><a href=2>Second thing</a></ul></div><p>" +
      kFirst + "</p><div class=links><a href=3>Third</a> | <a href=4>Fourth</a></div>");
  EXPECT_EQ(page.text, kFirst);
}

TEST(PageReader, ShortBlocksNearSentencesBelongToThem) {
  const PageContent page = read("<p>" + kFirst + "</p><ul><li>milk<li>bread</ul><p>" + kSecond + "</p>");
  EXPECT_EQ(page.text, kFirst + "\nmilk\nbread\n" + kSecondText);
}

TEST(PageReader, MainElementIsBelieved) {
  const PageContent page = read("<div><p>" + kSecond + "</p></div><main><h2>In</h2><p>" + kFirst +
                                "</p></main><p>Something else entirely.</p>");
  EXPECT_EQ(page.text, "In\n" + kFirst);
}

TEST(PageReader, PageInsideAFormIsStillAPage) {
  EXPECT_EQ(read("<form action=x><p>" + kFirst + "</p><select><option>one</select></form>").text, kFirst);
  EXPECT_EQ(
      read("<p>" + kFirst + "</p><p>" + kSecond + "</p><form><p>Enter your name, please, before you go.</p></form>")
          .text,
      kFirst + "\n" + kSecondText);
}

TEST(PageReader, HiddenAndNamedNavigationIsDropped) {
  EXPECT_EQ(read("<p hidden>" + kSecond + "</p><div class='page-x sidebar'><div><p>" + kSecond + "</p></div></div><p>" +
                 kFirst + "</p><div role=navigation>" + kSecond + "</div>")
                .text,
            kFirst);
  EXPECT_EQ(
      read_from_tags("<div class=sidebar><div><p>" + kSecond + "</p></div>" + kSecond + "</div><p>" + kFirst).text,
      kFirst);
}

TEST(PageReader, LineBreaksAndInlineElementsDoNotEndAParagraph) {
  EXPECT_EQ(
      read("<p>One line<br>and the <em>next</em>one of a text that is long enough to be a sentence, I think.</p>").text,
      "One line and the nextone of a text that is long enough to be a sentence, I think.");
}

TEST(PageReader, PageWithoutSentencesIsAllThatItHas) {
  EXPECT_EQ(read("<table><tr><td>Berlin<td>3,5<tr><td>Hamburg<td>1,8</table>").text, "Berlin\n3,5\nHamburg\n1,8");
  const PageContent nothing = read("");
  EXPECT_EQ(nothing.text, "");
  EXPECT_EQ(nothing.fingerprint, 0U);
  EXPECT_EQ(nothing.language.code, "");
}

// Lists and tables are full of names and foreign words: the language is that of the sentences.
TEST(PageReader, LanguageIsToldFromSentences) {
  std::string page = "<p>";
  for (int i = 0; i < 4; ++i) {
    page += "Das ist ein ganz gewöhnlicher deutscher Satz, wie er auf vielen Seiten im Netz zu finden ist. ";
  }
  page += "</p><table>";
  for (int i = 0; i < 100; ++i) page += "<tr><td>the quick brown fox jumps over the lazy dog<td>and then it sleeps";
  EXPECT_EQ(read(page + "</table>").language.code, "de");
}

TEST(PageReader, HostilePagesAreReadFromTheirTags) {
  const auto times = [](int count, std::string_view text) {
    std::string out;
    for (int i = 0; i < count; ++i) out += text;
    return out;
  };
  std::string attributes = "<a";
  for (int i = 0; i < 100'000; ++i) attributes += " a" + std::to_string(i);
  for (const std::string& html : {times(100'000, "<div>"), times(10'000, "<b><div></b>"), attributes + ">",
                                  times(100'000, "<ul><nav></x>"), std::string(3 << 20, 'x')}) {
    EXPECT_FALSE(read("<p>" + kFirst + "</p>" + html).deep);
  }
  EXPECT_EQ(read("<p>" + kFirst + "</p>" + times(100'000, "<div>")).text, kFirst);
}

TEST(PageReader, VeryLongTextIsCutNotLost) {
  std::string line;
  while (line.size() < 2'000'000) line += "word ";
  const PageContent page = read(line);
  EXPECT_FALSE(page.deep);
  EXPECT_GE(page.text.size(), 1'000'000U);
  EXPECT_TRUE(page.text.starts_with("word word"));
}

TEST(PageReader, PlainTextIsItself) {
  PageContent page;
  read_plain_text("A first\nparagraph  here.\r\n\r\nAnd <b>another</b> one.\n\n\n", page);
  EXPECT_EQ(page.text, "A first paragraph here.\nAnd <b>another</b> one.");
  EXPECT_EQ(page.word_count, 9U);
}

}  // namespace
}  // namespace outrider
