#include "plugins/hyperscout/pictures.hpp"

#include <gtest/gtest.h>

#include <map>

namespace outrider::hyperscout {
namespace {

using namespace std::string_view_literals;

struct Kept final : StoredCopies {
  std::map<std::string, std::string, std::less<>> bodies;
  std::optional<StoredCopy> find(std::string_view url, std::size_t most) override {
    const auto found = bodies.find(url);
    if (found == bodies.end() || found->second.size() > most) return std::nullopt;
    return StoredCopy{"image/png", found->second};
  }
};

const std::string kPng{"\x89PNG\r\n\x1A\n12"};

TEST(PicturesTest, RasterImages_BecomeData) {
  EXPECT_EQ(picture_data(kPng), "data:image/png;base64,iVBORw0KGgoxMg==");
  EXPECT_EQ(picture_data("GIF89a"), "data:image/gif;base64,R0lGODlh");
  EXPECT_EQ(picture_data("\0\0\1\0x"sv), "data:image/x-icon;base64,AAABAHg=");
}

TEST(PicturesTest, WhatOnlyCallsItselfAPicture_IsNone) {
  EXPECT_EQ(picture_data("<svg onload=alert(1)>"), std::nullopt);
  EXPECT_EQ(picture_data(""), std::nullopt);
}

TEST(PicturesTest, IconIsLookedForWhereBrowsersDo) {
  Kept kept;
  kept.bodies["http://a.example/favicon.ico"] = kPng;
  kept.bodies["http://a.example/big.png"] = kPng;
  PageContent page;
  page.image = "http://a.example/big.png";
  boost::json::object facts;
  put_pictures(facts, kept, page, "http://a.example/x/y");
  EXPECT_TRUE(facts.contains("icon"));
  EXPECT_TRUE(facts.contains("picture"));
}

TEST(PicturesTest, NothingKept_NothingShown) {
  Kept kept;
  boost::json::object facts;
  put_pictures(facts, kept, {}, "http://a.example/");
  EXPECT_TRUE(facts.empty());
}

}  // namespace
}  // namespace outrider::hyperscout
