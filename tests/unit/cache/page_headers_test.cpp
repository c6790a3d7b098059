#include "cache/page_headers.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

PageScan with(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  HeaderMap headers;
  for (const auto& [name, value] : fields) headers.add(name, value);
  PageScan scan;
  apply_headers(scan, Url::parse("https://site.example/a/b").value(), headers);
  return scan;
}

// RFC 8288 section 3: commas and semicolons inside <> and quotes separate nothing.
TEST(PageHeaders, LinkFieldHoldsSeveralLinks) {
  const PageScan scan = with(
      {{"Link",
        "<c,d;e>; rel=\"canonical\"; title=\"a, b; c\", </n>; rel=next ,<x>; rel=\"Alternate NoFollow\"; hreflang=de"},
       {"Link", "<http://o.example/i.png>;rel=icon"}});
  ASSERT_EQ(scan.links.size(), 4U);
  EXPECT_EQ(scan.links[0].target, "https://site.example/a/c,d;e");
  EXPECT_EQ(scan.links[0].kind, LinkKind::canonical);
  EXPECT_EQ(scan.links[0].text, "a, b; c");
  EXPECT_EQ(scan.page.canonical, "https://site.example/a/c,d;e");
  EXPECT_EQ(scan.links[1].kind, LinkKind::pagination);
  EXPECT_EQ(scan.links[2].kind, LinkKind::alternate);
  EXPECT_EQ(scan.links[2].hreflang, "de");
  EXPECT_TRUE(scan.links[2].has(LinkFlags::nofollow));
  EXPECT_EQ(scan.page.favicon, "http://o.example/i.png");
}

TEST(PageHeaders, LinkOfAnotherContextOrWithoutRelIsNone) {
  EXPECT_TRUE(with({{"Link", "<x>; rel=next; anchor=\"#foo\", <y>, <z; rel=next"}}).links.empty());
}

TEST(PageHeaders, RobotsTagForUsAndForOthers) {
  EXPECT_TRUE(with({{"X-Robots-Tag", "noindex, nofollow"}}).page.robots.nofollow);
  EXPECT_TRUE(with({{"X-Robots-Tag", "none"}}).page.robots.noindex);
  EXPECT_FALSE(with({{"X-Robots-Tag", "otherbot: noindex"}}).page.robots.noindex);
  EXPECT_TRUE(with({{"X-Robots-Tag", "Outrider: noindex"}}).page.robots.noindex);
  EXPECT_TRUE(with({{"X-Robots-Tag", "max-snippet:0"}}).page.robots.nosnippet);
  EXPECT_TRUE(with({{"X-Robots-Tag", "unavailable_after: 25 Jun 2010 15:00:00 PST, noarchive"}}).page.robots.noarchive);
}

TEST(PageHeaders, LanguageAndRefresh) {
  EXPECT_EQ(with({{"Content-Language", "de-AT, en"}}).page.declared_language, "de-AT");
  const PageScan scan = with({{"Refresh", "0;url=/next"}});
  ASSERT_EQ(scan.links.size(), 1U);
  EXPECT_EQ(scan.links[0].kind, LinkKind::meta_refresh);
  EXPECT_EQ(scan.links[0].target, "https://site.example/next");
}

}  // namespace
}  // namespace outrider
