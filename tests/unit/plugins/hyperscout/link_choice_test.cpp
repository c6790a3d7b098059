#include "plugins/hyperscout/link_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider::hyperscout {
namespace {

using ::testing::ElementsAre;

Link link(std::string target, std::string text, std::uint32_t position, std::uint16_t flags = 0) {
  Link made;
  made.target = std::move(target);
  made.text = std::move(text);
  made.position = position;
  made.flags = flags;
  return made;
}

std::vector<std::string> targets(const std::vector<Link>& links) {
  std::vector<std::string> found;
  for (const Link& each : likely_links(*Url::parse("http://a.example/page"), links)) found.push_back(each.target);
  return found;
}

TEST(LinkChoiceTest, FilesWithoutText_AreAskedForTheirHead) {
  EXPECT_EQ(look_for(*Url::parse("http://a/film.MP4?x=1")), Look::head);
  EXPECT_EQ(look_for(*Url::parse("http://a/photo.jpeg")), Look::head);
  EXPECT_EQ(look_for(*Url::parse("http://a/page.html")), Look::beginning);
  EXPECT_EQ(look_for(*Url::parse("http://a.zip/")), Look::beginning);
  EXPECT_EQ(look_for(*Url::parse("http://a/v1.2/notes")), Look::beginning);
}

TEST(LinkChoiceTest, TextComesBeforeMenus_AndEarlyBeforeLate) {
  EXPECT_THAT(targets({link("http://a.example/menu", "Products", 0, LinkFlags::in_navigation),
                       link("http://a.example/late", "A headline of some length", 90),
                       link("http://a.example/early", "A headline of some length", 5)}),
              ElementsAre("http://a.example/early", "http://a.example/late", "http://a.example/menu"));
}

TEST(LinkChoiceTest, WhatNobodyShouldLoad_IsLeftOut) {
  Link picture = link("http://a.example/i.png", "picture", 1);
  picture.kind = LinkKind::embedded;
  EXPECT_THAT(targets({link("http://a.example/page#part", "a part of this page", 1), link("mailto:a@b", "write", 2),
                       link("http://a.example/n", "no", 3, LinkFlags::nofollow),
                       link("http://a.example/d", "file", 4, LinkFlags::download), link("http://a.example/e", "", 5),
                       picture, link("http://b.example/x#1", "once", 6), link("http://b.example/x#2", "twice", 7)}),
              ElementsAre("http://b.example/x"));
}

}  // namespace
}  // namespace outrider::hyperscout
