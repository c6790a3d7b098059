#include "plugins/rearmirror/page_picture.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

bool may(std::string_view url, std::string_view kind = "Image", bool main = false, std::string_view method = "GET") {
  return picture_may_load(url, method, kind, main, "https://page.org/a");
}

TEST(PagePicture, WhatAPageNeedsToBeDrawn_IsLoaded) {
  EXPECT_TRUE(may("https://page.org/a", "Document", true));
  EXPECT_TRUE(may("https://cdn.net/x.css", "Stylesheet"));
  EXPECT_TRUE(may("https://cdn.net/x.woff2", "Font"));
  EXPECT_TRUE(may("data:image/png;base64,xx"));
}

TEST(PagePicture, EverythingElse_IsNot) {
  EXPECT_FALSE(may("https://cdn.net/x.js", "Script"));
  EXPECT_FALSE(may("https://cdn.net/api", "XHR"));
  EXPECT_FALSE(may("https://cdn.net/frame", "Document", false));
  EXPECT_FALSE(may("https://page.org/a", "Document", true, "POST"));
  EXPECT_FALSE(may("data:text/html,x", "Document", true));
  EXPECT_FALSE(may("file:///etc/passwd"));
  EXPECT_FALSE(may("chrome://settings/"));
}

// HOSTILE, robot: private, loopback, link-local, metadata addresses in any spelling. Nobody has opened this page.
TEST(PagePicture, NetworksBehindUs_AreNotForPagesThatNobodyOpened) {
  for (const char* url :
       {"http://127.0.0.1/", "http://0x7f.1/", "http://2130706433/", "http://[::1]/", "http://10.0.0.1/",
        "http://192.168.1.1/reboot", "http://169.254.169.254/latest/meta-data/", "http://[fe80::1]/",
        "http://[::ffff:10.0.0.1]/", "http://localhost/", "http://router/", "http://printer.local/",
        "http://outrider.internal/plugins/rearmirror/", "http://a.localhost/"})
    EXPECT_FALSE(may(url)) << url;
  EXPECT_TRUE(may("http://93.184.216.34/"));
  // A page of such a place that somebody did open may have what is beside it, but not of its neighbours.
  EXPECT_TRUE(picture_may_load("http://127.0.0.1:81/x.png", "GET", "Image", false, "http://127.0.0.1:81/"));
  EXPECT_FALSE(picture_may_load("http://127.0.0.1:82/x.png", "GET", "Image", false, "http://127.0.0.1:81/"));
}

// RFC 4648 section 10.
TEST(PagePicture, Base64_IsDecoded) {
  const auto decoded = [](std::string_view text) {
    std::string out;
    return picture_from_base64(text, out) ? out : "refused";
  };
  EXPECT_EQ(decoded("Zm9vYmFy"), "foobar");
  EXPECT_EQ(decoded("Zm9vYmE="), "fooba");
  EXPECT_EQ(decoded("Zg=="), "f");
  EXPECT_EQ(decoded(""), "");
  EXPECT_EQ(decoded("Zg==\n"), "refused");
  EXPECT_EQ(decoded("////"), "\xff\xff\xff");
}

}  // namespace
}  // namespace outrider
