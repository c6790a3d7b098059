#include "cache/policy_status.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;

std::string written(const CacheStatus& status) {
  std::string text;
  append_cache_status(text, status);
  return text;
}

// RFC 9211 section 2.
TEST(CacheStatus, Table) {
  EXPECT_EQ(written({}), "Outrider");
  EXPECT_EQ(written({.hit = true, .ttl = Seconds{376}}), "Outrider; hit; ttl=376");
  EXPECT_EQ(written({.hit = true, .ttl = -Seconds{412}}), "Outrider; hit; ttl=-412");
  EXPECT_EQ(written({.forwarded = Forwarded::uri_miss, .stored = true}), "Outrider; fwd=uri-miss; stored");
  EXPECT_EQ(written({.forwarded = Forwarded::stale, .ttl = Seconds{60}, .forward_status = 304, .stored = true}),
            "Outrider; fwd=stale; fwd-status=304; ttl=60; stored");
  EXPECT_EQ(written({.forwarded = Forwarded::vary_miss, .collapsed = true}), "Outrider; fwd=vary-miss; collapsed");
  EXPECT_EQ(written({.forwarded = Forwarded::method}), "Outrider; fwd=method");
  EXPECT_EQ(written({.forwarded = Forwarded::bypass}), "Outrider; fwd=bypass");
  EXPECT_EQ(written({.forwarded = Forwarded::request}), "Outrider; fwd=request");
  EXPECT_EQ(written({.forwarded = Forwarded::partial}), "Outrider; fwd=partial");
  // A response has one of them (section 2.1).
  EXPECT_EQ(written({.hit = true, .forwarded = Forwarded::stale}), "Outrider; hit");
}

// RFC 8941 section 3.3.3.
TEST(CacheStatus, DetailIsAString_WhateverIsInIt) {
  EXPECT_EQ(written({.hit = true, .detail = "a \"b\" \\ c"}), "Outrider; hit; detail=\"a \\\"b\\\" \\\\ c\"");
  EXPECT_EQ(written({.hit = true, .detail = "a\r\nSet-Cookie: x\xc3\xbc"}),
            "Outrider; hit; detail=\"a??Set-Cookie: x??\"");
}

TEST(CacheStatus, StandsBehindThoseOfOtherCaches) {
  HeaderMap map = headers({{"Cache-Status", "Origin; hit"}});
  add_cache_status(map, {.forwarded = Forwarded::uri_miss});
  EXPECT_EQ(value(map, "Cache-Status"), "Origin; hit, Outrider; fwd=uri-miss");
}

TEST(ForwardedBecause, Table) {
  EXPECT_EQ(forwarded_because(Bypass::none), Forwarded::none);
  EXPECT_EQ(forwarded_because(Bypass::method), Forwarded::method);
  EXPECT_EQ(forwarded_because(Bypass::no_store), Forwarded::request);
  EXPECT_EQ(forwarded_because(Bypass::precondition), Forwarded::request);
  EXPECT_EQ(forwarded_because(Bypass::never_keep), Forwarded::bypass);
  EXPECT_EQ(forwarded_because(Bypass::body), Forwarded::bypass);
  EXPECT_EQ(forwarded_because(ReuseReason::stale), Forwarded::stale);
  EXPECT_EQ(forwarded_because(ReuseReason::no_cache), Forwarded::stale);
  EXPECT_EQ(forwarded_because(ReuseReason::client_max_age), Forwarded::request);
}

}  // namespace
}  // namespace outrider
