#include "robot/url_rules.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

UrlDecision check(std::vector<std::string> lines, std::string_view url) {
  return UrlRules::parse(lines).value().check(Url::parse(url).value());
}

TEST(UrlRules, NoRuleFits_NoOpinion) {
  EXPECT_EQ(check({}, "https://a.example/").decision, Decision::none);
  EXPECT_EQ(check({"accept host b.example"}, "https://a.example/").decision, Decision::none);
}

TEST(UrlRules, Reject_WinsOverAccept) {
  const UrlDecision decision = check({"accept host a.example", "reject path /x/"}, "https://a.example/x/y");
  EXPECT_EQ(decision.decision, Decision::reject);
  EXPECT_EQ(decision.reason, "filtered by reject path /x/");
}

TEST(UrlRules, Host_AloneOrWithWhatIsBelow) {
  EXPECT_EQ(check({"accept host .a.example"}, "https://www.a.example/").decision, Decision::accept);
  EXPECT_EQ(check({"accept host .a.example"}, "https://a.example/").decision, Decision::accept);
  EXPECT_EQ(check({"accept host .a.example"}, "https://ba.example/").decision, Decision::none);
  EXPECT_EQ(check({"accept host a.example"}, "https://www.a.example/").decision, Decision::none);
  EXPECT_EQ(check({"accept host A.example:8080"}, "https://a.example:8080/").decision, Decision::accept);
  EXPECT_EQ(check({"accept host a.example:8080"}, "https://a.example/").decision, Decision::none);
}

TEST(UrlRules, RegularExpression_LooksAtTheWholeUrl) {
  EXPECT_EQ(check({"reject regex [?&]sort="}, "https://a.example/?a=1&sort=x").decision, Decision::reject);
  EXPECT_EQ(check({"reject regex ^https://a\\.example/\\d+$"}, "https://a.example/12#top").decision, Decision::reject);
}

TEST(UrlRules, ExtensionAndQuery) {
  EXPECT_EQ(check({"reject extension .zip"}, "https://a.example/x.ZIP?y").decision, Decision::reject);
  EXPECT_EQ(check({"reject extension zip"}, "https://a.example/x.zip/y").decision, Decision::none);
  EXPECT_EQ(check({"reject query"}, "https://a.example/?x").decision, Decision::reject);
  EXPECT_EQ(check({"reject query"}, "https://a.example/?").decision, Decision::none);
}

TEST(UrlRules, Mime_WhatIsNotListedIsRejectedOnceSomethingIs) {
  const UrlRules rules = UrlRules::parse({"accept mime text/*", "reject mime text/css"}).value();
  EXPECT_EQ(rules.check_mime("Text/HTML; charset=utf-8").decision, Decision::accept);
  EXPECT_EQ(rules.check_mime("text/css").decision, Decision::reject);
  EXPECT_EQ(rules.check_mime("image/png").decision, Decision::reject);
  EXPECT_EQ(UrlRules{}.check_mime("image/png").decision, Decision::none);
}

TEST(UrlRules, Mistakes_NameTheRule) {
  for (const char* bad :
       {"deny host x", "reject", "reject host", "reject colour red", "reject regex (", "reject query x"}) {
    const auto rules = UrlRules::parse({"# comment", "", bad});
    ASSERT_FALSE(rules) << bad;
    EXPECT_NE(rules.error().detail.find(bad), std::string::npos);
  }
  EXPECT_FALSE(UrlRules::parse({"reject regex " + std::string(5000, 'x')}));
  EXPECT_FALSE(UrlRules::parse({"reject regex ((a{100}){100}){100}"})) << "would need too much memory";
}

// A backtracking engine would not come to an end here.
TEST(UrlRules, HostileExpression_IsLinear) {
  EXPECT_EQ(check({"reject regex (a*)*b$"}, "https://a.example/" + std::string(10'000, 'a')).decision, Decision::none);
}

}  // namespace
}  // namespace outrider
