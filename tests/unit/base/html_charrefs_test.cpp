// HTML standard, sections 13.2.5.72 to 13.2.5.80 (character references) and 13.2.3.5 (line ends). The names are tested
// one by one by html5lib's cases (html_tokenizer_html5lib_test.cpp).
#include "base/html_charrefs.hpp"

#include "base/html_entities_table.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::string text(std::string_view raw) {
  std::string scratch;
  return std::string(decode_html(raw, {.references = true, .replace_nul = false}, scratch));
}

std::string attribute(std::string_view raw) {
  std::string scratch;
  return std::string(decode_html(raw, {.references = true, .context = HtmlContext::attribute}, scratch));
}

std::string name_at(unsigned row) {
  using namespace html_entities;
  return {kNames + kOffsets[row], kNames + kOffsets[row + 1]};
}

// Section 13.5: 2231 spellings, 106 of them without ";".
TEST(HtmlCharrefs, Table_IsCompleteAndSorted) {
  using namespace html_entities;
  unsigned legacy = 0;
  std::size_t longest = 0;
  for (unsigned row = 0; row < kCount; ++row) {
    if (row > 0) {
      EXPECT_LT(name_at(row - 1), name_at(row));
    }
    longest = std::max(longest, name_at(row).size());
    if ((kValues[row] & kLegacy) != 0) ++legacy;
  }
  EXPECT_EQ(legacy, 106U);
  EXPECT_EQ(kCount + legacy, 2231U);
  EXPECT_EQ(longest, kLongestName);
}

TEST(HtmlCharrefs, EveryName_IsFoundWhole) {
  using namespace html_entities;
  for (unsigned row = 0; row < kCount; ++row) {
    const std::string reference = "&" + name_at(row) + ";";
    const HtmlReference found = match_html_reference(reference + "x", HtmlContext::attribute);
    EXPECT_EQ(found.length, reference.size()) << reference;
    EXPECT_EQ(found.first, kValues[row] & ((1U << kSecondShift) - 1)) << reference;
  }
}

TEST(HtmlCharrefs, NamesOfTheStandard_HaveTheirValues) {
  EXPECT_EQ(text("&amp;&lt;&gt;&quot;&nbsp;"), "&<>\"\xC2\xA0");
  EXPECT_EQ(text("&Aacute;&zwnj;&Zopf;"), "\xC3\x81\xE2\x80\x8C\xE2\x84\xA4");
  EXPECT_EQ(text("&Afr;"), "\xF0\x9D\x94\x84");  // beyond 16 bits
  EXPECT_EQ(text("&NotEqualTilde;&fjlig;"),
            "\xE2\x89\x82\xCC\xB8"
            "fj");  // two code points
  EXPECT_EQ(text("&CounterClockwiseContourIntegral;"), "\xE2\x88\xB3");
}

// 13.2.5.73: "the longest of them".
TEST(HtmlCharrefs, LongestName_Wins) {
  EXPECT_EQ(text("&notin;"), "\xE2\x88\x89");
  EXPECT_EQ(text("&notit;"), "\xC2\xACit;");
  EXPECT_EQ(text("&not"), "\xC2\xAC");
  EXPECT_EQ(text("&ampamp;"), "&amp;");
  EXPECT_EQ(text("&AMP&COPY"), "&\xC2\xA9");
}

TEST(HtmlCharrefs, WhatIsNoReference_Stays) {
  for (const char* raw :
       {"&", "&&", "& ", "&;", "&x;", "&foo;", "AT&T", "&am", "&Amp;", "&#", "&#;", "&#x", "&#xg;", "&zz"})
    EXPECT_EQ(text(raw), raw);
}

// 13.2.5.73: "for historical reasons".
TEST(HtmlCharrefs, InAttributes_NamesWithoutSemicolonAreNoneBeforeLettersAndEquals) {
  EXPECT_EQ(attribute("?a=1&copy=2"), "?a=1&copy=2");
  EXPECT_EQ(attribute("&copyx&copy1"), "&copyx&copy1");
  EXPECT_EQ(attribute("&notit;"), "&notit;");
  EXPECT_EQ(attribute("&copy"), "\xC2\xA9");
  EXPECT_EQ(attribute("&copy &copy&copy;=x"), "\xC2\xA9 \xC2\xA9\xC2\xA9=x");
  EXPECT_EQ(text("&copy=2"), "\xC2\xA9=2");
}

// 13.2.5.80
TEST(HtmlCharrefs, Numbers) {
  EXPECT_EQ(text("&#65;&#x41;&#X41;&#65&#x41 &#00000000065;"), "AAAAA A");
  EXPECT_EQ(text("&#128;&#x9F;&#x81;"), "\xE2\x82\xAC\xC5\xB8\xC2\x81");  // windows-1252, where it has something
  EXPECT_EQ(text("&#0;&#xD800;&#x110000;&#99999999999999999999;"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(text("&#13;&#x10FFFF;"), "\r\xF4\x8F\xBF\xBF");
}

TEST(HtmlCharrefs, NumberLongerThanAllowed_IsTakenLiterally) {
  const std::string fits = "&#" + std::string(kLongestHtmlReference - 5, '0') + "65;";
  EXPECT_EQ(fits.size(), kLongestHtmlReference);
  EXPECT_EQ(text(fits), "A");
  const std::string too_long = "&#" + std::string(kLongestHtmlReference, '0') + "65;";
  EXPECT_EQ(text(too_long), too_long);
}

TEST(HtmlCharrefs, LineEndsAndNul) {
  EXPECT_EQ(text("a\r\nb\rc\nd\r\r\n"), "a\nb\nc\nd\n\n");
  EXPECT_EQ(text(std::string_view("a\0b", 3)), std::string_view("a\0b", 3));
  EXPECT_EQ(attribute(std::string_view("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(HtmlCharrefs, NothingToDecode_IsNotCopied) {
  std::string scratch = "untouched";
  const std::string_view raw = "plain \xC3\xA4 text\n; # x";
  EXPECT_EQ(decode_html(raw, {.references = true}, scratch).data(), raw.data());
  EXPECT_EQ(decode_html("a&amp;", {}, scratch), "a&amp;");
  EXPECT_EQ(scratch, "untouched");
}

std::string held_back(std::string_view raw, bool references = true) {
  return std::string(raw.substr(decodable_prefix(raw, references)));
}

// What a chunk ends with may become something else with the next one.
TEST(HtmlCharrefs, DecodablePrefix_LeavesWhatMayGoOn) {
  EXPECT_EQ(held_back("text"), "");
  EXPECT_EQ(held_back("a &"), "&");
  EXPECT_EQ(held_back("a &amp"), "&amp");
  EXPECT_EQ(held_back("a &amp;"), "");
  EXPECT_EQ(held_back("a &#"), "&#");
  EXPECT_EQ(held_back("a &#x1F"), "&#x1F");
  EXPECT_EQ(held_back("a &#12"), "&#12");
  EXPECT_EQ(held_back("a &#1F"), "");
  EXPECT_EQ(held_back("a & b"), "");
  EXPECT_EQ(held_back("a\r"), "\r");
  EXPECT_EQ(held_back("&\xC3"), "\xC3");
  EXPECT_EQ(held_back("\xE2\x82"), "\xE2\x82");
  EXPECT_EQ(held_back("\xF0\x9F\x98"), "\xF0\x9F\x98");
  EXPECT_EQ(held_back("\xE2\x82\xAC"), "");
  EXPECT_EQ(held_back("\xC0"), "");  // begins nothing
  EXPECT_EQ(held_back("\xF5"), "");
  EXPECT_EQ(held_back("\x82\x82\x82\x82"), "");
  EXPECT_EQ(held_back("a &amp", false), "");
  EXPECT_EQ(held_back("&" + std::string(html_entities::kLongestName, 'a')), "&" + std::string(31, 'a'));
  EXPECT_EQ(held_back("&" + std::string(html_entities::kLongestName + 1, 'a')), "");
  EXPECT_EQ(held_back("&#" + std::string(kLongestHtmlReference, '0')), "");
}

}  // namespace
}  // namespace outrider
