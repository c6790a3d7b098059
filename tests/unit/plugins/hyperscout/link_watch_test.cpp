// Which links of a passing page are noted, and when that is told.
#include "plugins/hyperscout/link_watch.hpp"

#include "plugins/hyperscout/page_injection.hpp"
#include "proxy/rewriter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace outrider::hyperscout {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

struct LinkWatchTest : ::testing::Test {
  // The page in pieces of this size, without its end.
  void pass(std::string_view page, std::size_t piece = std::string_view::npos) {
    PageRewriter::Filters filters;
    auto watch = std::make_unique<LinkWatch>(enough, [this](SeenLinks seen) {
      ASSERT_FALSE(told);
      told = std::move(seen);
    });
    filters.push_back(std::make_unique<PageInjection>(*Url::parse("http://a.example/"), Settings{}, std::move(watch)));
    rewriter.emplace(std::move(filters), PageRewriter::Options{});
    while (!page.empty()) {
      out += rewriter->feed(page.substr(0, piece));
      page.remove_prefix(std::min(piece, page.size()));
    }
  }
  void end() { out += rewriter->finish(); }
  std::vector<std::string> targets() const {
    std::vector<std::string> found;
    if (told)
      for (const Link& link : told->links) found.push_back(link.target);
    return found;
  }

  std::size_t enough = 2;
  std::optional<SeenLinks> told;
  std::string out;
  std::optional<PageRewriter> rewriter;
};

TEST_F(LinkWatchTest, EnoughLinks_AreToldWhileThePageIsStillComing) {
  pass("<body><p><a href=/one>first words</a> <a href=/two>second <b>words</b></a> <p>And more");
  EXPECT_THAT(targets(), ElementsAre("/one", "/two"));
  EXPECT_EQ(told->links[0].text, "first words");
  EXPECT_EQ(told->links[1].text, "second words");
  EXPECT_EQ(told->links[1].position, 1U);
}

TEST_F(LinkWatchTest, WhatFollows_PassesUnread) {
  pass("<body><a href=/one>first words</a> <a href=/two>second words</a>" + std::string(8192, 'x'));
  EXPECT_EQ(rewriter->feed("<a hre"), "<a hre");  // half a tag: nobody looks
}

TEST_F(LinkWatchTest, FewerLinks_AreToldAtTheEndOfThePage) {
  pass(
      "<base href=/deep/><base href=/no/><body><nav><a href=menu>the menu</a></nav><a download href='x y' rel='a  "
      "NoFollow'>");
  EXPECT_FALSE(told);
  end();
  EXPECT_THAT(targets(), ElementsAre("menu", "x y"));
  EXPECT_EQ(told->base, "/deep/");
  EXPECT_TRUE(told->links[0].has(LinkFlags::in_navigation));
  EXPECT_EQ(told->links[1].flags, LinkFlags::download | LinkFlags::nofollow);
}

TEST_F(LinkWatchTest, Menus_AreNotEnough) {
  pass("<body><nav><a href=/1>menu one</a><a href=/2>menu two</a></nav><a href=/3>text</a><a href=/4>one</a>");
  EXPECT_FALSE(told);
}

TEST_F(LinkWatchTest, WhereverThePageIsCut_TheSameIsTold) {
  const std::string page =
      "<!doctype html><head><meta name=viewport content=x></head><body><header><a href=/0>zero &amp; none</a></header>"
      "<p><a href='/o&amp;e'>first\n words</a> <a name=x>no</a> <a href=/two>second<br>words</a> <a href=/3>third</a>";
  for (std::size_t piece = 1; piece < page.size(); ++piece) {
    told.reset();
    pass(page, piece);
    ASSERT_THAT(targets(), ElementsAre("/0", "/o&e", "/two")) << piece;
    ASSERT_EQ(told->links[1].text, "first words") << piece;
    ASSERT_EQ(told->links[2].text, "second words") << piece;
  }
}

TEST_F(LinkWatchTest, PageThatAsksRobotsNotToFollow_IsLeftAlone) {
  for (const char* meta : {"<meta name=robots content='noindex, NOFOLLOW'>", "<meta name=Robots content=none>"}) {
    pass(std::string{meta} + "<body><a href=/one>first words</a> <a href=/two>second words</a>");
    end();
    EXPECT_FALSE(told) << meta;
  }
  EXPECT_THAT(out, testing::HasSubstr("scout.js"));
}

// Its words could not be read, nor its queries written as the browser does.
TEST_F(LinkWatchTest, PageThatIsNotUtf8_IsLeftToTheMemory) {
  pass("<body><a href=/one>caf\xE9 words</a> <a href=/two>second words</a> <a href=/three>third words</a>");
  end();
  EXPECT_FALSE(told);
}

TEST_F(LinkWatchTest, QueryThatDependsOnTheEncoding_IsLeftOut) {
  pass("<body><a href='/one?q=&eacute;'>first words</a> <a href=/two>second words</a> <a href='/th&eacute;'>third</a>");
  EXPECT_THAT(targets(), ElementsAre("/two", "/th\xC3\xA9"));
}

TEST_F(LinkWatchTest, LongPage_IsReadToACertainPlace) {
  pass("<body><a href=/one>first words</a>" + std::string(LinkWatch::kMostBytes, 'x') +
       "<i><a href=/two>second words</a>");
  EXPECT_THAT(targets(), ElementsAre("/one"));
}

TEST_F(LinkWatchTest, PageWithoutLinks_NothingIsTold) {
  pass("<body>no links");
  end();
  EXPECT_FALSE(told);
}

TEST_F(LinkWatchTest, PageThatCannotHaveTheScript_IsNotWatched) {
  pass(
      "<head><meta http-equiv=content-security-policy content=\"script-src 'strict-dynamic'\"></head>"
      "<body><a href=/one>first words</a> <a href=/two>second words</a>");
  end();
  EXPECT_FALSE(told);
}

TEST_F(LinkWatchTest, WatchedPage_IsChangedAsAnyOther) {
  const std::string page = "<head></head><body><a href=/one>first words</a><p>x";
  pass(page);
  end();
  const std::string watched = std::exchange(out, {});
  PageRewriter::Filters filters;
  filters.push_back(std::make_unique<PageInjection>(*Url::parse("http://a.example/"), Settings{}));
  rewriter.emplace(std::move(filters), PageRewriter::Options{});
  out += rewriter->feed(page);
  end();
  EXPECT_EQ(out, watched);
  EXPECT_THAT(out, StartsWith("<head><script"));
}

}  // namespace
}  // namespace outrider::hyperscout
