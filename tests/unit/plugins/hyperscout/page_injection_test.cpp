// The script goes into a page only where the page's policy can be made to admit it (W3C CSP3).
#include "plugins/hyperscout/page_injection.hpp"

#include "base/http_header_id.hpp"
#include "proxy/rewriter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider::hyperscout {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kScript =
    "<script async src=\"https://site.example/.well-known/outrider/hyperscout/scout.js\"";

struct PageInjectionTest : ::testing::Test {
  std::string rewritten(std::string_view page) {
    PageRewriter::Filters filters;
    auto filter = std::make_unique<PageInjection>(*Url::parse(url), settings);
    filter->on_head(headers);
    filters.push_back(std::move(filter));
    PageRewriter rewriter{std::move(filters), {}};
    std::string out{rewriter.feed(page)};
    out += rewriter.finish();
    return out;
  }
  std::string policy() const { return headers.joined(HeaderId::content_security_policy); }

  std::string url = "https://site.example/a/page";
  Settings settings;
  HeaderMap headers;
};

TEST_F(PageInjectionTest, PlainPage_GetsTheScriptAtTheEndOfItsHead) {
  EXPECT_EQ(rewritten("<head><title>x</title></head><body>y"),
            "<head><title>x</title>" + std::string{kScript} + "></script></head><body>y");
}

TEST_F(PageInjectionTest, PageWithBase_ScriptStaysAtThePagesOwnOrigin) {
  EXPECT_THAT(rewritten("<head><base href='https://elsewhere.example/'></head><body>"), HasSubstr(kScript));
}

TEST_F(PageInjectionTest, PolicyOfHashes_AdmitsExactlyScriptAndFrame) {
  headers.add("Content-Security-Policy", "default-src 'none'; script-src 'sha256-AAAA'");
  EXPECT_THAT(rewritten("<head></head>"), HasSubstr(kScript));
  EXPECT_EQ(policy(),
            "default-src 'none'; script-src 'sha256-AAAA' "
            "https://site.example/.well-known/outrider/hyperscout/scout.js; frame-src https://outrider.internal");
}

TEST_F(PageInjectionTest, StrictDynamicWithNonce_ScriptCarriesTheNonce) {
  headers.add("Content-Security-Policy", "script-src 'nonce-r4nd0m' 'strict-dynamic'");
  EXPECT_THAT(rewritten("<head></head>"), HasSubstr("scout.js\" nonce=\"r4nd0m\">"));
}

TEST_F(PageInjectionTest, StrictDynamicWithoutNonce_PageStaysAsItIs) {
  headers.add("Content-Security-Policy", "script-src 'sha256-AAAA' 'strict-dynamic'");
  EXPECT_EQ(rewritten("<head></head>"), "<head></head>");
  EXPECT_EQ(policy(), "script-src 'sha256-AAAA' 'strict-dynamic'");
}

TEST_F(PageInjectionTest, SandboxWithoutScripts_PageStaysAsItIs) {
  headers.add("Content-Security-Policy", "sandbox");
  EXPECT_EQ(rewritten("<head></head>"), "<head></head>");
}

TEST_F(PageInjectionTest, PolicyInMeta_IsExtendedBeforeTheScript) {
  EXPECT_THAT(rewritten("<head><meta http-equiv=Content-Security-Policy content=\"frame-src 'none'\"></head>"),
              HasSubstr("content=\"frame-src https://outrider.internal\""));
}

// HTML standard, section 13.2.6.4.6: a browser puts it into the head, where it counts. In the body it does not.
TEST_F(PageInjectionTest, PolicyInMetaBehindTheHead_IsExtendedToo) {
  const std::string meta = "<meta http-equiv=Content-Security-Policy content=\"frame-src 'none'\">";
  EXPECT_THAT(rewritten("<head></head>" + meta + "<body>x"),
              HasSubstr("</script></head><meta http-equiv=Content-Security-Policy content=\"frame-src "
                        "https://outrider.internal\"><body>x"));
  EXPECT_THAT(rewritten("<head></head><body>" + meta), HasSubstr(meta));
}

TEST_F(PageInjectionTest, PolicyInMetaThatAdmitsNothing_NoScript) {
  EXPECT_THAT(
      rewritten("<head><meta http-equiv=content-security-policy content=\"script-src 'strict-dynamic'\"></head>"),
      Not(HasSubstr("outrider")));
}

TEST_F(PageInjectionTest, NoncesOfHeadAndMetaDiffer_NoScript) {
  headers.add("Content-Security-Policy", "script-src 'nonce-one' 'strict-dynamic'");
  const std::string page = rewritten(
      "<head><meta http-equiv=content-security-policy content=\"script-src 'nonce-two' 'strict-dynamic'\"></head>");
  EXPECT_THAT(page, Not(HasSubstr("scout.js")));
}

// https://html.spec.whatwg.org/#coep: a page that is isolated may only frame documents that agree.
TEST_F(PageInjectionTest, IsolatedPage_StaysAsItIs) {
  headers.add("Cross-Origin-Embedder-Policy", "require-corp");
  EXPECT_EQ(rewritten("<head></head>"), "<head></head>");
}

TEST_F(PageInjectionTest, PlainHttp_FrameIsOfTheSameScheme) {
  url = "http://site.example:8080/";
  headers.add("Content-Security-Policy", "frame-src 'self'");
  EXPECT_THAT(rewritten("<head></head>"), HasSubstr("src=\"http://site.example:8080/.well-known/"));
  EXPECT_EQ(policy(), "frame-src 'self' http://outrider.internal");
}

TEST_F(PageInjectionTest, Settings_AreToldInTheTag) {
  settings.only_with = OnlyWith::alt;
  settings.mark_dead_links = true;
  EXPECT_THAT(rewritten("<head></head>"), HasSubstr(" data-key=\"alt\" data-marks=\"on\"></script>"));
}

}  // namespace
}  // namespace outrider::hyperscout
