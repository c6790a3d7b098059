#include "proxy/framed_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace outrider {
namespace {

struct FramedPagesTest : ::testing::Test {
  void passes(std::string_view address, std::string_view html) {
    FrameWatch watch{framed, *Url::parse(address)};
    for (; !html.empty(); html.remove_prefix(std::min(piece, html.size()))) {
      const std::vector<char> exact(html.begin(), html.begin() + static_cast<long>(std::min(piece, html.size())));
      watch.feed({exact.data(), exact.size()});
    }
  }
  bool is_frame_of(std::string_view page, std::string_view asked) const { return framed.has(page, *Url::parse(asked)); }
  FramedPages framed;
  std::size_t piece = 1000;
};

TEST_F(FramedPagesTest, FramesetsAndFloatingFrames_AreKnown) {
  passes("http://a.example/x/",
         "<frameset><frame src=menu.html><frame src='http://b.example/'></frameset><iframe src=/i>");
  EXPECT_TRUE(is_frame_of("http://a.example/x/", "http://a.example/x/menu.html"));
  EXPECT_TRUE(is_frame_of("http://a.example/x/", "http://b.example/"));
  EXPECT_TRUE(is_frame_of("http://a.example/x/", "http://a.example/i"));
  EXPECT_FALSE(is_frame_of("http://a.example/x/", "http://a.example/x/"));
  EXPECT_FALSE(is_frame_of("http://a.example/y/", "http://a.example/i"));
  EXPECT_FALSE(is_frame_of("", "http://a.example/i"));
}

// HTML standard, section 4.2.3: the first <base> with an address counts.
TEST_F(FramedPagesTest, Base_CountsOnce) {
  passes("http://a.example/", "<base target=_top><base href=/far/><base href=/wrong/><iframe src=i>");
  EXPECT_TRUE(is_frame_of("http://a.example/", "http://a.example/far/i"));
  EXPECT_FALSE(is_frame_of("http://a.example/", "http://a.example/wrong/i"));
}

// Referrer Policy, section 8.4, "strict-origin-when-cross-origin": what browsers do unless they are told otherwise.
TEST_F(FramedPagesTest, OtherSites_HearTheOriginAlone) {
  passes("http://a.example/secret/page", "<iframe src='http://b.example/ad'></iframe><iframe src=/own></iframe>");
  EXPECT_TRUE(is_frame_of("http://a.example/", "http://b.example/ad"));
  EXPECT_FALSE(is_frame_of("http://a.example/", "http://a.example/own"));
}

TEST_F(FramedPagesTest, Links_AreNoFrames) {
  passes("http://a.example/",
         "<a href=/b>b</a><iframe></iframe><iframe src=''></iframe><iframe src='#x'></iframe><iframe "
         "src='javascript:1'></iframe><framed src=/c><img src=/d>");
  EXPECT_FALSE(is_frame_of("http://a.example/", "http://a.example/"));
  EXPECT_FALSE(is_frame_of("http://a.example/", "http://a.example/b"));
  EXPECT_FALSE(is_frame_of("http://a.example/", "http://a.example/c"));
  EXPECT_FALSE(is_frame_of("http://a.example/", "http://a.example/d"));
}

// However the network cuts it, and wherever in a block of sixteen bytes it begins.
TEST_F(FramedPagesTest, EverySplit_IsTheSame) {
  for (piece = 1; piece < 40; ++piece) {
    for (std::size_t before = 0; before < 20; ++before) {
      const std::string page = "http://a.example/" + std::to_string(piece) + "/" + std::to_string(before);
      passes(page, std::string(before, '<') + "<b>x</b><i><IFRAME class=x\nSRC='/a?b&amp;c'>< <frame src=/2>");
      EXPECT_TRUE(is_frame_of(page, "http://a.example/a?b&c")) << page;
      EXPECT_TRUE(is_frame_of(page, "http://a.example/2")) << page;
    }
  }
}

TEST_F(FramedPagesTest, EndlessTag_IsNotKept) {
  passes("http://a.example/", "<iframe " + std::string(20'000, 'x') + " src=/a><iframe src=/b>");
  EXPECT_FALSE(is_frame_of("http://a.example/", "http://a.example/a"));
  EXPECT_TRUE(is_frame_of("http://a.example/", "http://a.example/b"));
}

// HOSTILE: linear, whatever comes.
TEST_F(FramedPagesTest, TagsThatNeverEnd_AreLookedAtOnce) {
  std::string html;
  while (html.size() < 20'000'000) html += "<iframe ";
  piece = html.size();
  passes("http://a.example/", html + "><iframe src=/a>");
  EXPECT_TRUE(is_frame_of("http://a.example/", "http://a.example/a"));
}

TEST_F(FramedPagesTest, OfAPageWithEndlessFrames_TheFirstAreKnown) {
  std::string html;
  for (int i = 0; i < 5000; ++i) html += "<iframe src=/f" + std::to_string(i) + ">" + "</iframe>";
  passes("http://a.example/", html);
  EXPECT_TRUE(is_frame_of("http://a.example/", "http://a.example/f255"));
  EXPECT_FALSE(is_frame_of("http://a.example/", "http://a.example/f256"));
}

}  // namespace
}  // namespace outrider
