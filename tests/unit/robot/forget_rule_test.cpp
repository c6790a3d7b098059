#include "robot/forget_rule.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

ForgetRule rule_of(const ForgetScope& scope) {
  const Result<ForgetRule> rule = ForgetRule::of(scope);
  EXPECT_TRUE(rule) << rule.error().detail;
  return rule ? *rule : ForgetRule{};
}

TEST(ForgetRule, Site_MeansItsPagesAndThoseOfItsSubdomains) {
  const ForgetRule rule = rule_of(ForgetScope::of_site("Example.com"));
  for (const char* url : {"http://example.com/", "https://www.example.com/a?b", "http://example.com:8080/x"})
    EXPECT_TRUE(rule.means(url)) << url;
  for (const char* url :
       {"http://badexample.com/", "http://example.com.evil.net/", "http://x.net/?u=http://example.com/"})
    EXPECT_FALSE(rule.means(url)) << url;
}

TEST(ForgetRule, Page_MeansItAlone) {
  const ForgetRule rule = rule_of(ForgetScope::of_page("http://example.com/a#part"));
  EXPECT_TRUE(rule.means("http://example.com/a"));
  EXPECT_FALSE(rule.means("http://example.com/a/b"));
  EXPECT_FALSE(rule.means("http://example.com/"));
  EXPECT_FALSE(rule.means_host("example.com")) << "what is known of a host is not about one page";
}

TEST(ForgetRule, Prefix_MeansWhatBeginsSo) {
  const ForgetRule rule = rule_of(ForgetScope::of_prefix("http://example.com/a"));
  EXPECT_TRUE(rule.means("http://example.com/a/b"));
  EXPECT_FALSE(rule.means("http://example.com/b"));
}

TEST(ForgetRule, Site_MeansHostsAndPatternsOfHosts) {
  const ForgetRule rule = rule_of(ForgetScope::of_site("example.com"));
  for (const char* host : {"example.com", "www.example.com:8080", ".example.com"})
    EXPECT_TRUE(rule.means_host(host)) << host;
  EXPECT_FALSE(rule.means_host("com"));
  EXPECT_FALSE(rule.means_host("other.com"));
}

TEST(ForgetRule, Names_AreFoundAsWholeNames) {
  const ForgetRule rule = rule_of(ForgetScope::of_site("x.com"));
  EXPECT_TRUE(rule.is_named_in("crawl of X.com"));
  EXPECT_TRUE(rule.is_named_in("https://www.x.com/"));
  EXPECT_FALSE(rule.is_named_in("netflix.com"));
  EXPECT_FALSE(rule.is_named_in("x.community"));
}

TEST(ForgetRule, Span_IsAboutTimeAndNotAboutAddresses) {
  const WallTime at{std::chrono::hours{1000}};
  const ForgetRule rule = rule_of(ForgetScope::since(at));
  EXPECT_TRUE(rule.is_span());
  EXPECT_FALSE(rule.means("http://example.com/"));
  EXPECT_TRUE(rule.then(at));
  EXPECT_FALSE(rule.then(at - std::chrono::seconds{1}));
  EXPECT_TRUE(rule.during(at - std::chrono::hours{1}, {})) << "it goes on";
  EXPECT_FALSE(rule.during(at - std::chrono::hours{2}, at - std::chrono::hours{1}));
}

TEST(ForgetRule, WhatIsNoSiteOrAddress_IsRefused) {
  EXPECT_FALSE(ForgetRule::of(ForgetScope::of_site("not a host")));
  EXPECT_FALSE(ForgetRule::of(ForgetScope::of_page("ftp://example.com/")));
}

}  // namespace
}  // namespace outrider
