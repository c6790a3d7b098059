#include "robot/robots_txt.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

namespace outrider {
namespace {

using namespace std::chrono_literals;

// Parsed from a buffer of exactly its size, so that ASan sees every step too far.
RobotsTxt parse(std::string_view text, std::string_view product = "FooBot") {
  const auto exact = std::make_unique<char[]>(text.size());
  std::copy(text.begin(), text.end(), exact.get());
  return RobotsTxt::parse({exact.get(), text.size()}, product);
}
bool allowed(std::string_view text, std::string_view path, std::string_view product = "FooBot") {
  return parse(text, product).check_path(path).allowed;
}

// RFC 9309 section 2.2.1
TEST(RobotsTxt, GroupsThatNameUs_AreMerged) {
  constexpr std::string_view kText =
      "User-agent: foobot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n\nUser-agent: FooBot\nDisallow: /c\n";
  EXPECT_FALSE(allowed(kText, "/a"));
  EXPECT_TRUE(allowed(kText, "/b"));
  EXPECT_FALSE(allowed(kText, "/c"));
  EXPECT_FALSE(allowed(kText, "/b", "Other"));
  EXPECT_TRUE(parse(kText).names_us());
  EXPECT_FALSE(parse(kText, "Other").names_us());
}

TEST(RobotsTxt, NameOfTheRobot_IsComparedWhole) {
  constexpr std::string_view kText = "User-agent: Foo\nDisallow: /\n";
  EXPECT_TRUE(allowed(kText, "/", "FooBot"));
  EXPECT_TRUE(allowed(kText, "/", "Fo"));
  EXPECT_FALSE(allowed("User-agent: FooBot/2.1\nDisallow: /\n", "/"));
  EXPECT_TRUE(allowed("User-agent: AB42bot\nDisallow: /\n", "/", "AB42bot")) << "a product token has no digits";
  EXPECT_FALSE(allowed("User-agent: FooBot\nDisallow: /\n", "/", "FooBot/1.0 (+https://example.org)"));
}

TEST(RobotsTxt, RulesBeforeAnyGroup_AreNobodys) {
  EXPECT_TRUE(allowed("Disallow: /\nUser-agent: *\nDisallow: /x\n", "/y"));
}

// Section 2.2.2
TEST(RobotsTxt, LongestRule_Decides) {
  constexpr std::string_view kText = "User-agent: *\nDisallow: /a/b/c\nAllow: /a/b\nDisallow: /a\n";
  EXPECT_TRUE(allowed(kText, "/"));
  EXPECT_FALSE(allowed(kText, "/a/x"));
  EXPECT_TRUE(allowed(kText, "/a/b/x"));
  EXPECT_FALSE(allowed(kText, "/a/b/c/d"));
  EXPECT_TRUE(allowed("User-agent: *\nDisallow: /p\nAllow: /p\n", "/p")) << "equal: allow";
}

TEST(RobotsTxt, SpellingsOfOnePath_AreEqual) {
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: /\xE3\x83\x84\n", "/%e3%83%84"));
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: /%62%61%7A\n", "/baz"));
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: /baz\n", "/%62%61%7a"));
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: /a{b\n", "/a%7Bb"));
  EXPECT_TRUE(allowed("User-agent: *\nDisallow: /a/b\n", "/a%2Fb")) << "a reserved character is not its triplet";
}

// Section 2.2.3
TEST(RobotsTxt, Wildcards_MatchAnything) {
  constexpr std::string_view kText = "User-agent: *\nDisallow: /*/private*.gif$\n";
  EXPECT_FALSE(allowed(kText, "/a/private/x.gif"));
  EXPECT_FALSE(allowed(kText, "/a/b/private.gif"));
  EXPECT_TRUE(allowed(kText, "/a/private/x.gif?y"));
  EXPECT_TRUE(allowed(kText, "/private.gif"));
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: *.php\n", "/x.php5"));
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: /***/x**\n", "/a/x"));
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: /x*$\n", "/xyz"));
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: *\n", "/"));
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: /a*b$\n", "/abcb")) << "the last piece is the one at the end";
  EXPECT_TRUE(allowed("User-agent: *\nDisallow: /ab*b$\n", "/ab")) << "pieces do not overlap";
}

TEST(RobotsTxt, EncodedSpecialCharacters_AreLiteral) {
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: /foo-%24\n", "/foo-$x"));
  EXPECT_TRUE(allowed("User-agent: *\nDisallow: /foo-%24\n", "/foo-"));
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: /a%2Ab\n", "/a*b"));
  EXPECT_TRUE(allowed("User-agent: *\nDisallow: /a%2Ab\n", "/axb"));
  EXPECT_FALSE(allowed("User-agent: *\nDisallow: /a$b\n", "/a$b")) << "only a final $ is special";
}

// Section 2.2: any line end, comments, a byte order mark, no final line end.
TEST(RobotsTxt, Lines_MayEndInAnyWay) {
  for (std::string_view end : {"\n", "\r\n", "\r"}) {
    const std::string text = fmt::format("\xEF\xBB\xBFUser-agent: * # all{0}{0}Disallow: /x # y{0}Disallow: /z", end);
    EXPECT_FALSE(allowed(text, "/x"));
    EXPECT_FALSE(allowed(text, "/z"));
    EXPECT_TRUE(allowed(text, "/y"));
  }
}

// Section 2.2.4
TEST(RobotsTxt, OtherRecords_DoNotEndAGroup) {
  constexpr std::string_view kText =
      "User-agent: a\nCrawl-delay: 2.5\nSitemap: http://h/s.xml\nUser-agent: b\nDisallow: /\n";
  EXPECT_FALSE(allowed(kText, "/", "a"));
  EXPECT_FALSE(allowed(kText, "/", "b"));
  EXPECT_EQ(parse(kText, "a").sitemaps(), std::vector<std::string>{"http://h/s.xml"});
}

TEST(RobotsTxt, CrawlDelay_IsTheLongestOfOurGroups) {
  constexpr std::string_view kText =
      "User-agent: foobot\nCrawl-delay: 2.5\nDisallow:\nUser-agent: foobot\nCrawl-delay: 1\nAllow: /\n"
      "User-agent: *\nCrawl-delay: 60\n";
  EXPECT_EQ(parse(kText).crawl_delay(), Duration{2500ms});
  EXPECT_EQ(parse(kText, "Other").crawl_delay(), Duration{60s});
  for (std::string_view bad : {"-1", "x", "nan", "inf", ""}) {
    EXPECT_FALSE(parse(fmt::format("User-agent: *\nCrawl-delay: {}\n", bad)).crawl_delay()) << bad;
  }
}

// Section 2.5
TEST(RobotsTxt, First500KiB_Count) {
  std::string text = "User-agent: *\nDisallow: /first\n";
  while (text.size() < 600 * 1024) text += "# filler\n";
  text += "Disallow: /last\n";
  EXPECT_FALSE(allowed(text, "/first"));
  EXPECT_TRUE(allowed(text, "/last"));
  std::string cut = "User-agent: *\n#";
  cut.resize(kRobotsTxtBytes - 12, '#');
  cut += "\nDisallow: /only/this\n";
  EXPECT_TRUE(allowed(cut, "/o")) << "a line that the limit cuts is no rule";
}

TEST(RobotsTxt, Verdict_NamesItsLine) {
  const RobotsTxt txt = parse("User-agent: *\n\nDisallow: /a*b%2A$\n");
  EXPECT_EQ(txt.describe(txt.check_path("/axb*")), "Disallow: /a*b%2A$ (line 3 of robots.txt)");
  EXPECT_EQ(txt.describe(txt.check_path("/")), "");
}

TEST(RobotsTxt, WrittenAndReadAgain_MeansTheSame) {
  const RobotsTxt txt = parse(
      "User-agent: *\nDisallow: /a*b$\nAllow: /a%2Ab\nDisallow: /\xC3\xA4\nCrawl-delay: 1.5\nSitemap: https://h/s\n");
  const RobotsTxt again = parse(txt.to_text("FooBot"));
  for (std::string_view path : {"/axb", "/a*b", "/%C3%A4", "/x"}) {
    EXPECT_EQ(txt.check_path(path).allowed, again.check_path(path).allowed) << path;
  }
  EXPECT_EQ(again.crawl_delay(), txt.crawl_delay());
  EXPECT_EQ(again.sitemaps(), txt.sitemaps());
}

// A backtracking matcher would not come to an end here.
TEST(RobotsTxt, HostileWildcards_AreMatchedWithoutBacktracking) {
  std::string rule = "/";
  for (int i = 0; i < 4000; ++i) rule += "*a";
  EXPECT_TRUE(allowed(fmt::format("User-agent: *\nDisallow: {}b\n", rule), "/" + std::string(8000, 'a')));
  EXPECT_FALSE(allowed(fmt::format("User-agent: *\nDisallow: {}\n", rule), "/" + std::string(8000, 'a')));
}

// RFC 9309 section 2.2.2: the longest rule decides, counted in octets; a '*' is one of them.
TEST(RobotsTxt, WhatIsKeptDecidesLikeTheOriginal) {
  constexpr std::string_view kText =
      "User-agent: *\nDisallow: /a/*\nAllow: /a/b\nDisallow: /a/b**\nAllow: /c\nDisallow: /c***$\nDisallow: /%2A\n";
  const RobotsTxt original = RobotsTxt::parse(kText, "Outrider");
  const RobotsTxt kept = RobotsTxt::parse(original.to_text("Outrider"), "Outrider");
  EXPECT_EQ(kept.to_text("Outrider"), original.to_text("Outrider"));
  for (const char* path : {"/a/", "/a/b", "/a/c", "/a/bc", "/c", "/cd", "/*", "/"})
    EXPECT_EQ(kept.check_path(path).allowed, original.check_path(path).allowed) << path;
  EXPECT_FALSE(kept.check_path("/a/b").allowed);
}

}  // namespace
}  // namespace outrider
