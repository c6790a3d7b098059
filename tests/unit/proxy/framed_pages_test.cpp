#include "proxy/framed_pages.hpp"

#include "base/html_tokenizer.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

struct Reader final : HtmlHandler {
  explicit Reader(FrameWatch& w) : watch(w) {}
  void on_start_tag(const HtmlTag& tag) override { watch.start_tag(tag); }
  FrameWatch& watch;
};

struct FramedPagesTest : ::testing::Test {
  void passes(std::string_view address, std::string_view html) {
    FrameWatch watch{framed, *Url::parse(address)};
    Reader reader{watch};
    HtmlTokenizer tokenizer{reader, {}};
    tokenizer.feed(html);
    tokenizer.finish();
  }
  bool is_frame_of(std::string_view page, std::string_view asked) const { return framed.has(page, *Url::parse(asked)); }
  FramedPages framed;
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
         "<a href=/b>b</a><iframe></iframe><iframe src='javascript:1'></iframe><!--<iframe src=/c>-->");
  EXPECT_FALSE(is_frame_of("http://a.example/", "http://a.example/b"));
  EXPECT_FALSE(is_frame_of("http://a.example/", "http://a.example/c"));
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
