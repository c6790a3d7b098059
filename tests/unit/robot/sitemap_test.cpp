#include "robot/sitemap.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
const Url kBase = Url::parse("https://a.example/sitemap.xml").value();

std::vector<std::string> pages(std::string_view text, bool any_host = false) {
  std::vector<std::string> out;
  for (const SitemapPage& page : read_sitemap(text, kBase, any_host).pages) out.push_back(page.url.href());
  return out;
}

TEST(Sitemap, PagesWithTheirDates) {
  const Sitemap map = read_sitemap(R"(<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <!-- <url><loc>https://a.example/not</loc></url> -->
  <url><loc> https://a.example/x?a=1&amp;b=2 </loc><lastmod>2026-11-16</lastmod><priority>0.5</priority></url>
  <url>
    <loc><![CDATA[https://a.example/y]]></loc>
    <image:image><image:loc>https://a.example/y.png</image:loc></image:image>
  </url>
</urlset>)",
                                   kBase);
  ASSERT_EQ(map.pages.size(), 2u);
  EXPECT_EQ(map.pages[0].url.href(), "https://a.example/x?a=1&b=2");
  EXPECT_EQ(map.pages[0].modified, WallTime{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16}});
  EXPECT_EQ(map.pages[1].url.href(), "https://a.example/y");
  EXPECT_FALSE(map.pages[1].modified);
  EXPECT_FALSE(map.cut);
}

TEST(Sitemap, Index_NamesOtherSitemaps) {
  const Sitemap map = read_sitemap(
      "<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap>"
      "<sitemap><loc>https://cdn.example/2.xml</loc></sitemap></sitemapindex>",
      kBase);
  EXPECT_TRUE(map.pages.empty());
  ASSERT_EQ(map.sitemaps.size(), 2u);
  EXPECT_EQ(map.sitemaps[0].href(), "https://a.example/1.xml.gz");
}

TEST(Sitemap, LinesOfText) {
  EXPECT_EQ(pages("\xEF\xBB\xBFhttps://a.example/1\r\n\nhttps://a.example/2\nnonsense\n"),
            (std::vector<std::string>{"https://a.example/1", "https://a.example/2"}));
}

// A sitemap speaks for its own host only, unless robots.txt vouches for it.
TEST(Sitemap, ForeignPages_AreLeftOut) {
  constexpr std::string_view kText =
      "<urlset><url><loc>https://b.example/</loc></url><url><loc>ftp://a.example/</loc></url>"
      "<url><loc>https://u:p@a.example/</loc></url></urlset>";
  EXPECT_TRUE(pages(kText).empty());
  EXPECT_EQ(pages(kText, true), (std::vector<std::string>{"https://b.example/"}));
}

TEST(Sitemap, BrokenXml_IsReadAsFarAsItGoes) {
  for (std::string_view text : {"<", "<urlset><url><loc>", "<urlset><url><loc>https://a.example/1</loc>", "<!--",
                                "<![CDATA[", "<urlset><url><loc><![CDATA[https://a.example/"}) {
    EXPECT_TRUE(pages(text).empty()) << text;
  }
  EXPECT_EQ(pages("<urlset><url><loc>https://a.example/1</url><url><loc>https://a.example/2</loc></url>").size(), 2u);
  EXPECT_EQ(pages("<url><loc>/&#x41;&#66;&#xD800;&bad;</loc></url>"),
            (std::vector<std::string>{"https://a.example/AB&#xD800;&bad;"}));
}

TEST(Sitemap, TooManyPages_AreCut) {
  std::string text = "<urlset>";
  for (std::size_t i = 0; i < kMostSitemapUrls + 5; ++i) text += fmt::format("<url><loc>/{}</loc></url>", i);
  const Sitemap map = read_sitemap(text, kBase);
  EXPECT_EQ(map.pages.size(), kMostSitemapUrls);
  EXPECT_TRUE(map.cut);
}

// https://www.w3.org/TR/NOTE-datetime
TEST(Sitemap, Dates) {
  const WallTime noon = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16}} + 12h + 30min;
  EXPECT_EQ(parse_w3c_date("2026-11-16T12:30:00Z"), noon);
  EXPECT_EQ(parse_w3c_date("2026-11-16T13:30:00.25+01:00"), noon);
  EXPECT_EQ(parse_w3c_date("2026-11-16T12:30Z"), noon);
  EXPECT_EQ(parse_w3c_date("2026-11-16T07:30:00-05:00"), noon);
  EXPECT_TRUE(parse_w3c_date("2026-11"));
  EXPECT_TRUE(parse_w3c_date("2026"));
  for (std::string_view bad : {"", "x", "2026-13-01", "2026-02-30", "2026-11-16T25:00Z", "2026-11-16Tx",
                               "2026-11-16T12:30:00+1", "16.11.2026", "2026-"}) {
    EXPECT_FALSE(parse_w3c_date(bad)) << bad;
  }
}

}  // namespace
}  // namespace outrider
