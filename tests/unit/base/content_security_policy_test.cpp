#include "base/content_security_policy.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

const CspGuests kGuests{"https://site.example/.o/scout.js", true, "https://outrider.internal"};

std::string admitted(std::string policy, const CspGuests& guests = kGuests) {
  const CspVerdict verdict = admit_guests(policy, guests);
  return verdict.possible ? policy : "impossible";
}

TEST(ContentSecurityPolicy, WhatIsAllowedAlready_IsLeftAsItIs) {
  for (const char* policy :
       {"", "img-src 'none'", "script-src 'self'; frame-src https:", "default-src * 'unsafe-inline'",
        "script-src https:; child-src *", "upgrade-insecure-requests"}) {
    std::string text = policy;
    const CspVerdict verdict = admit_guests(text, kGuests);
    EXPECT_TRUE(verdict.possible);
    EXPECT_FALSE(verdict.changed) << policy;
    EXPECT_EQ(text, policy);
  }
}

TEST(ContentSecurityPolicy, ExactlyOurScriptAndFrame_AreAdded) {
  EXPECT_EQ(admitted("script-src https://cdn.example ; frame-src 'self'"),
            "script-src https://cdn.example https://site.example/.o/scout.js ; frame-src 'self' "
            "https://outrider.internal");
  EXPECT_EQ(admitted("SCRIPT-SRC 'nonce-abc'"), "SCRIPT-SRC 'nonce-abc' https://site.example/.o/scout.js");
  EXPECT_EQ(admitted("script-src x; script-src-elem y"),
            "script-src x; script-src-elem y https://site.example/.o/scout.js");
}

// CSP3 section 6.8.3: fallbacks. default-src itself is not widened: pictures and connections stay as strict as they
// were.
TEST(ContentSecurityPolicy, Fallback_IsRepeatedUnderTheNarrowerName) {
  EXPECT_EQ(admitted("default-src a.example 'nonce-x';"),
            "default-src a.example 'nonce-x'; script-src-elem a.example 'nonce-x' https://site.example/.o/scout.js; "
            "frame-src a.example https://outrider.internal");
  EXPECT_EQ(admitted("default-src 'self'"), "default-src 'self'; frame-src 'self' https://outrider.internal");
  EXPECT_EQ(admitted("child-src b.example"), "child-src b.example; frame-src b.example https://outrider.internal");
}

TEST(ContentSecurityPolicy, None_AdmitsNothingElse) {
  EXPECT_EQ(
      admitted("default-src 'none'"),
      "default-src 'none'; script-src-elem https://site.example/.o/scout.js; frame-src https://outrider.internal");
  EXPECT_EQ(admitted("script-src 'NONE'; frame-src"),
            "script-src https://site.example/.o/scout.js; frame-src https://outrider.internal");
}

// CSP3 section 8.2: with 'strict-dynamic' only nonces and hashes count.
TEST(ContentSecurityPolicy, StrictDynamic_NeedsANonceOfThePage) {
  std::string policy = "script-src 'strict-dynamic' 'nonce-r4nd0m' https:";
  const CspVerdict verdict = admit_guests(policy, kGuests);
  EXPECT_TRUE(verdict.possible);
  EXPECT_FALSE(verdict.changed);
  EXPECT_EQ(verdict.nonce, "r4nd0m");
  EXPECT_EQ(admitted("script-src 'strict-dynamic' 'sha256-abc='"), "impossible");
  EXPECT_EQ(admitted("script-src 'strict-dynamic' 'nonce-a', script-src 'strict-dynamic' 'nonce-b'"), "impossible");
}

TEST(ContentSecurityPolicy, SandboxWithoutScriptsOrOrigin_NoInjection) {
  EXPECT_EQ(admitted("sandbox allow-forms"), "impossible");
  EXPECT_EQ(admitted("sandbox allow-scripts"), "impossible");
  EXPECT_EQ(admitted("sandbox allow-scripts allow-same-origin"), "sandbox allow-scripts allow-same-origin");
}

// https://www.w3.org/TR/upgrade-insecure-requests/: there is nobody who answers our addresses by https.
TEST(ContentSecurityPolicy, PlainPageThatWantsHttps_NoInjection) {
  std::string policy = "upgrade-insecure-requests";
  EXPECT_FALSE(admit_guests(policy, {"http://site.example/.o/scout.js", true, "http://outrider.internal"}).possible);
  EXPECT_EQ(admitted("upgrade-insecure-requests"), "upgrade-insecure-requests");
}

TEST(ContentSecurityPolicy, SeveralPolicies_AllOfThemHold) {
  EXPECT_EQ(admitted("script-src a, script-src b"),
            "script-src a https://site.example/.o/scout.js, script-src b https://site.example/.o/scout.js");
  HeaderMap headers;
  headers.add("Content-Security-Policy", "script-src a");
  headers.add("Content-Security-Policy", "sandbox");
  headers.add("Content-Security-Policy-Report-Only", "frame-src a");
  const HeaderMap before = headers;
  EXPECT_FALSE(admit_guests(headers, kGuests).possible);
  EXPECT_EQ(headers.joined("Content-Security-Policy"), before.joined("Content-Security-Policy"));
  headers.set("Content-Security-Policy", "img-src a");
  EXPECT_TRUE(admit_guests(headers, kGuests).possible);
  EXPECT_EQ(headers.find("Content-Security-Policy-Report-Only"), "frame-src a https://outrider.internal");
}

TEST(ContentSecurityPolicy, OfTwoDirectivesTheFirstCounts) {
  EXPECT_EQ(admitted("script-src a; script-src *", {"https://s/x.js", false, ""}),
            "script-src a https://s/x.js; script-src *");
}

}  // namespace
}  // namespace outrider
