#include "cache/tree_bounds.hpp"

#include "base/html_tokenizer.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

struct Watch final : HtmlHandler {
  void on_start_tag(const HtmlTag& tag) override { bounds.start_tag(tag); }
  void on_end_tag(const HtmlTag& tag) override { bounds.end_tag(tag); }
  void on_text(const HtmlText& text) override { bounds.text(text.raw.size()); }
  TreeBounds bounds;
};

TreeBounds after(std::string_view html) {
  Watch watch;
  HtmlTokenizer tokenizer{watch, {.limits = {}, .scripting = false}};
  tokenizer.feed(html);
  tokenizer.finish();
  return watch.bounds;
}

std::string times(int count, std::string_view text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(TreeBounds, OrdinaryPagesAreShallow) {
  EXPECT_EQ(after("<html><body><div><p>a<p>b<ul><li>c<li>d</ul></div>").deepest(), 3U);
  EXPECT_FALSE(after(times(1000, "<div><p>text <b>bold</b> <a href=x>link</a></p></div>")).exceeded());
}

TEST(TreeBounds, ElementsWithoutEndTagDoNotPileUp) {
  EXPECT_LE(after("<ul>" + times(5000, "<li>x")).deepest(), 3U);
  EXPECT_LE(after(times(5000, "<p>x")).deepest(), 2U);
  EXPECT_LE(after("<dl>" + times(2000, "<dt>x<dd>y")).deepest(), 3U);
  EXPECT_LE(after("<table>" + times(2000, "<tr><td>x<th>y")).deepest(), 4U);
  EXPECT_LE(after("<select>" + times(2000, "<option>x")).deepest(), 3U);
  EXPECT_LE(after(times(5000, "<a name=x>y")).deepest(), 2U);
  EXPECT_LE(after(times(5000, "<h1>x")).deepest(), 2U);
  EXPECT_LE(after(times(100, "<body a=b><html>")).deepest(), 1U);
  EXPECT_LE(after(times(5000, "<br><img src=x><meta>")).deepest(), 1U);
  EXPECT_LE(after("<svg>" + times(5000, "<path/>") + "</svg>").deepest(), 2U);
}

TEST(TreeBounds, NestingIsLimited) {
  EXPECT_FALSE(after(times(500, "<div>")).exceeded());
  for (const char* element : {"<div>", "<b>", "<span>", "<table>", "<ul><li>", "<x-y>", "<svg>", "<p><b>", "<object>",
                              "<table><tr><td>", "<dl><dd>", "<blockquote>", "<div/>", "<button><p>"}) {
    EXPECT_TRUE(after(times(10'000, element)).exceeded()) << element;
  }
}

// End tags that close nothing in a browser must not make the page look shallow.
TEST(TreeBounds, EndTagsThatCloseNothingDoNotCount) {
  for (const char* element : {"<div></span>", "<span><div></span>", "<div></p>", "<b><div></b>", "<td><table></td>",
                              "<div><table></div>", "<div></body></html>", "<a><div></a>", "<div></x>"}) {
    EXPECT_TRUE(after(times(10'000, element)).exceeded()) << element;
  }
}

TEST(TreeBounds, AttributesAndSizeAreLimited) {
  std::string tag = "<a";
  for (int i = 0; i < 100'000; ++i) tag += " a" + std::to_string(i);
  EXPECT_TRUE(after(tag + ">").exceeded());
  std::string bodies;
  for (int i = 0; i < 5'000; ++i) bodies += "<body a" + std::to_string(i) + "=1>";
  EXPECT_TRUE(after(bodies).exceeded());  // they all become attributes of one element
  EXPECT_TRUE(after(std::string(3 << 20, 'x')).exceeded());
  EXPECT_FALSE(after(std::string(200 << 10, 'x')).exceeded());
}

}  // namespace
}  // namespace outrider
