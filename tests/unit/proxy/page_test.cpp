#include "proxy/page.hpp"

#include "proxy/html_text.hpp"

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <array>

namespace outrider {
namespace {

std::string base64(const unsigned char* bytes, std::size_t size) {
  static constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < size; at += 3) {
    const std::size_t have = std::min<std::size_t>(3, size - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < have ? bytes[at + i] : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += i <= have ? kAlphabet[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

// CSP Level 3 section 6.7.3.3: the hash is over exactly what stands between <style> and </style>.
TEST(Page, PolicyAllowsExactlyTheStyleInThePage) {
  const std::string page = html_page("t", "c", "f", StyleIn::page);
  const std::size_t begin = page.find("<style>") + 7;
  const std::string style = page.substr(begin, page.find("</style>") - begin);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(style.data()), style.size(), digest.data());
  EXPECT_NE(page_policy(StyleIn::page).find("style-src 'sha256-" + base64(digest.data(), digest.size()) + "'"),
            std::string::npos);
}

TEST(Page, OwnSiteLinksTheStyleAndAllowsNothingInline) {
  const std::string page = html_page("t", "c", "f", StyleIn::own_site);
  EXPECT_EQ(page.find("<style"), std::string::npos);
  EXPECT_NE(page.find("href=\"/outrider.css\""), std::string::npos);
  EXPECT_NE(page_policy(StyleIn::own_site).find("style-src 'self'"), std::string::npos);
  EXPECT_EQ(page_policy(StyleIn::own_site).find("unsafe"), std::string::npos);
}

TEST(Page, TitleIsText) {
  EXPECT_NE(html_page("</title><b>", "", "", StyleIn::page).find("<title>&lt;/title&gt;&lt;b&gt;</title>"),
            std::string::npos);
}

TEST(HtmlText, MarkupAndInvisiblesAreInert) {
  EXPECT_EQ(html_text("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(html_text("a\nb\x1b"), "a\\nb\\x1b");
  EXPECT_EQ(html_text("\xe2\x80\xae"), "\\u{202e}");
  EXPECT_EQ(html_text("\xff"), "\\xff");
  EXPECT_EQ(html_text("Käse"), "Käse");
  EXPECT_EQ(html_text(std::string_view{"\0", 1}), "\\x00");
}

}  // namespace
}  // namespace outrider
