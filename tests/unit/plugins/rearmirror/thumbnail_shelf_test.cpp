#include "plugins/rearmirror/thumbnail_shelf.hpp"

#include "tests/support/plugin_ports.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;

const std::string kJpeg = "\xff\xd8\xff\xe0 bytes";

struct ThumbnailShelfTest : ::testing::Test {
  test::StoreInMemory store;
  ThumbnailShelf shelf{store};
  WallTime now{24h * 20000};
};

TEST_F(ThumbnailShelfTest, Pictures_AreKeptOverARestart) {
  EXPECT_TRUE(shelf.put("https://p/", kJpeg, now, 10));
  ThumbnailShelf again{store};
  again.load();
  ASSERT_TRUE(again.get("https://p/"));
  EXPECT_EQ(again.get("https://p/")->type, "image/jpeg");
  EXPECT_EQ(again.get("https://p/")->bytes, kJpeg);
  EXPECT_EQ(again.made("https://p/"), now);
  for (const auto& [key, value] : store.values) EXPECT_EQ(key.find("https"), std::string::npos);
}

// What is shown comes from strangers: only what is a picture by its bytes, and no document.
TEST_F(ThumbnailShelfTest, WhatIsNoPicture_IsRefused) {
  EXPECT_FALSE(shelf.put("https://p/", "<svg onload=alert(1)>", now, 10));
  EXPECT_FALSE(shelf.put("https://p/", "<html>", now, 10));
  EXPECT_FALSE(shelf.put("https://p/", "", now, 10));
  EXPECT_FALSE(shelf.put("https://p/", kJpeg + std::string(ThumbnailShelf::kLargest, 'x'), now, 10));
  EXPECT_FALSE(shelf.put("https://p/", kJpeg, now, 0));
  EXPECT_TRUE(store.values.empty());
  EXPECT_EQ(picture_type("\x89PNG\r\n\x1a\n..."), "image/png");
  EXPECT_EQ(picture_type("GIF89a..."), "image/gif");
  EXPECT_EQ(picture_type("RIFF....WEBPVP8 "), "image/webp");
}

TEST_F(ThumbnailShelfTest, TheOldestGoesFirst) {
  shelf.put("https://a/", kJpeg, now + 2s, 2);
  shelf.put("https://b/", kJpeg, now + 1s, 2);
  shelf.put("https://c/", kJpeg, now + 3s, 2);
  EXPECT_FALSE(shelf.has("https://b/"));
  EXPECT_TRUE(shelf.has("https://a/"));
  EXPECT_EQ(store.values.size(), 3u) << "two and the index";
}

// HOSTILE: "forget this site" leaves nothing in any file.
TEST_F(ThumbnailShelfTest, Forgotten_IsSweptAwayAFewAtATime) {
  for (int i = 0; i < 5; ++i) shelf.put("https://p/" + std::to_string(i), kJpeg, now, 10);
  const auto wanted = [](const std::string& url) { return url == "https://p/3"; };
  EXPECT_FALSE(shelf.sweep(wanted, 2));
  EXPECT_EQ(shelf.size(), 3u);
  EXPECT_FALSE(shelf.sweep(wanted, 2));
  EXPECT_TRUE(shelf.sweep(wanted, 2));
  EXPECT_EQ(shelf.size(), 1u);
  EXPECT_EQ(store.values.size(), 2u);
}

TEST_F(ThumbnailShelfTest, DamagedIndex_IsMadeAnew) {
  shelf.put("https://p/", kJpeg, now, 10);
  store.values["pictures"] = "{\"x\":[";
  shelf.load();
  EXPECT_EQ(shelf.size(), 0u);
  EXPECT_EQ(store.values.size(), 1u) << "pictures without an entry are removed";
}

}  // namespace
}  // namespace outrider
