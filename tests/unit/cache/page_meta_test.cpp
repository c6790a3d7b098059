#include "cache/page_meta.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

// HTML standard, section 4.2.5.3, shared declarative refresh steps.
TEST(PageMeta, RefreshTarget) {
  EXPECT_EQ(refresh_target("5; url=next.html"), "next.html");
  EXPECT_EQ(refresh_target(" 0.5 , URL = \"a b\" rest"), "a b");
  EXPECT_EQ(refresh_target("1;url='x'"), "x");
  EXPECT_EQ(refresh_target("1;next"), "next");
  EXPECT_EQ(refresh_target("1 next"), "next");
  EXPECT_EQ(refresh_target("1;urlx"), "urlx");
  EXPECT_EQ(refresh_target("30"), "");
  EXPECT_EQ(refresh_target(""), std::nullopt);
  EXPECT_EQ(refresh_target("url=x"), std::nullopt);
  EXPECT_EQ(refresh_target("5x"), std::nullopt);
}

TEST(PageMeta, LanguageTags) {
  EXPECT_EQ(language_tag(" de "), "de");
  EXPECT_EQ(language_tag("zh_CN"), "zh-CN");
  EXPECT_EQ(language_tag("en,de"), "en");
  EXPECT_EQ(language_tag("x"), "");
  EXPECT_EQ(language_tag("{{lang}}"), "");
}

TEST(PageMeta, BetterSourceWinsWhateverTheOrder) {
  HeadFacts facts;
  note_meta("twitter:description", "third", facts);
  note_meta("og:description", "second", facts);
  note_meta("DESCRIPTION", "first", facts);
  note_meta("description", "late", facts);
  EXPECT_EQ(facts.description.value, "first");
}

TEST(PageMeta, AuthorThatIsAnAddressIsNone) {
  HeadFacts facts;
  note_meta("article:author", "https://social.example/ann", facts);
  EXPECT_EQ(facts.author.value, "");
  note_meta("article:author", "Ann", facts);
  EXPECT_EQ(facts.author.value, "Ann");
}

TEST(PageMeta, RobotsDirectivesAddUp) {
  RobotsDirectives robots;
  note_robots("all", robots);
  EXPECT_FALSE(robots.noindex);
  note_robots("nosnippet", robots);
  note_robots("none", robots);
  EXPECT_TRUE(robots.noindex && robots.nofollow && robots.nosnippet);
  EXPECT_FALSE(robots.noarchive);
}

}  // namespace
}  // namespace outrider
