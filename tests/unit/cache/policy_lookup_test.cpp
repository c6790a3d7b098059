#include "cache/policy_lookup.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;

Bypass bypass(const RequestHead& head, const CacheRules& rules = {}, bool has_body = false, bool upgrade = false) {
  return why_bypass(head, parse_request_directives(head.headers), has_body, upgrade, rules);
}

TEST(WhyBypass, Table) {
  EXPECT_EQ(bypass(request()), Bypass::none);
  EXPECT_EQ(bypass(request({}, "HEAD")), Bypass::none);
  EXPECT_EQ(bypass(request({{"Cache-Control", "no-cache, max-age=0"}, {"If-None-Match", "*"}})), Bypass::none);
  for (const std::string_view method : {"POST", "PUT", "DELETE", "OPTIONS", "M-SEARCH", "get"})
    EXPECT_EQ(bypass(request({}, method)), Bypass::method) << method;
  // RFC 9111 section 5.2.1.5; RFC 9110 section 13.1.1 and 13.1.4.
  EXPECT_EQ(bypass(request({{"Cache-Control", "no-store"}})), Bypass::no_store);
  EXPECT_EQ(bypass(request({{"If-Match", "\"a\""}})), Bypass::precondition);
  EXPECT_EQ(bypass(request({{"If-Unmodified-Since", date()}})), Bypass::precondition);
  EXPECT_EQ(bypass(request(), {}, false, true), Bypass::upgrade);
}

// HOSTILE: an input that is not in the key ("fat GET").
TEST(WhyBypass, GetWithABody_DoesNotConcernTheCache) {
  EXPECT_EQ(bypass(request(), {}, true), Bypass::body);
}

TEST(WhyBypass, SiteOnTheNeverKeepList) {
  CacheRules rules;
  rules.never_keep = true;
  EXPECT_EQ(bypass(request(), rules), Bypass::never_keep);
  rules.offline = true;
  EXPECT_EQ(bypass(request(), rules), Bypass::never_keep);
}

TEST(WhyBypass, Offline_WhatTheClientForbidsDoesNotMatter) {
  CacheRules rules;
  rules.offline = true;
  EXPECT_EQ(bypass(request({{"Cache-Control", "no-store"}, {"If-Match", "\"a\""}}), rules), Bypass::none);
  EXPECT_EQ(bypass(request({}, "POST"), rules), Bypass::method);
}

// RFC 9111 section 5.2.1.7.
TEST(MayForward, NotWithOnlyIfCached_NotOffline) {
  CacheRules rules;
  EXPECT_TRUE(may_forward({}, rules));
  EXPECT_FALSE(may_forward(parse_request_directives(headers({{"Cache-Control", "only-if-cached"}})), rules));
  rules.offline = true;
  EXPECT_FALSE(may_forward({}, rules));
}

TEST(Words, EveryBypassHasItsSentence) {
  for (int i = 0; i <= static_cast<int>(Bypass::apart); ++i) EXPECT_NE(words(static_cast<Bypass>(i)), "") << i;
}

}  // namespace
}  // namespace outrider
