#include "cache/key.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace outrider {
namespace {

constexpr SipKey kSecret{1, 2};

Url parse(std::string_view text) {
  return Url::parse(text).value();
}

CacheKey key(std::string_view text, std::string_view partition = "") {
  const Url url = parse(text);
  return CacheKey::of(url, url.path_and_query(), partition, kSecret);
}

bool begins(const CacheKey& key, std::string_view prefix) {
  return std::string_view{key.bytes}.starts_with(prefix);
}

TEST(CacheKey, SameTargetAndPartition_SameKey) {
  EXPECT_EQ(key("http://Example.COM/a?b"), key("http://example.com:80/a?b"));
  EXPECT_EQ(key("http://example.com/a", "ann"), key("http://example.com/a", "ann"));
}

// HOSTILE: nothing that changes the target may meet in one key.
TEST(CacheKey, WhateverDiffersInTheTarget_DiffersInTheKey) {
  const std::vector<CacheKey> keys = {
      key("http://example.com/"),
      key("https://example.com/"),
      key("http://example.com:443/"),
      key("https://example.com:80/"),
      key("http://example.com:8080/"),
      key("http://www.example.com/"),
      key("http://example.com./"),
      key("http://com.example/"),
      key("http://example.com/a"),
      key("http://example.com/A"),
      key("http://example.com/a?"),
      key("http://example.com/?a"),
      key("http://example.com/a?b=1"),
      key("http://example.com/a?b=2"),
      key("http://example.com/%61"),
      key("http://example.com/a/"),
      key("http://example.com//a"),
      key("http://127.0.0.1/"),
      key("http://[::1]/"),
      key("http://1.0.0.127.example/"),
      key("http://example.com/", "ann"),
      key("http://example.com/", "bob"),
      key("http://example.com/a", "ann"),
  };
  std::set<std::string> bytes;
  std::set<std::uint64_t> hashes;
  for (const CacheKey& k : keys) {
    EXPECT_TRUE(bytes.insert(k.bytes).second) << k.url();
    EXPECT_TRUE(hashes.insert(k.hash).second) << k.url();
  }
}

// The path is taken from the wire, not from the parsed URL (RFC 9110 section 7.7).
TEST(CacheKey, PathAndQueryAreByteExact) {
  const Url url = parse("http://example.com/");
  std::set<std::string> bytes;
  for (const std::string_view path : {"/a/../b", "/b", "/a/%2E%2E/b", "/a/./../b", "/b?", "/b?x=1&y=2", "/b?y=2&x=1"})
    EXPECT_TRUE(bytes.insert(CacheKey::of(url, path, "", kSecret).bytes).second) << path;
}

// No path and partition, however chosen, imitate another path and partition.
TEST(CacheKey, EncodingIsUnambiguous_ForAnyBytes) {
  const Url url = parse("http://example.com/");
  std::map<std::string, std::pair<std::string, std::string>> seen;
  std::mt19937 random{1};
  const auto text = [&random] {
    std::string out;
    for (std::size_t n = random() % 5; n > 0; --n) out += std::string_view{"\0\1\xff/a", 5}[random() % 5];
    return out;
  };
  for (int i = 0; i < 50'000; ++i) {
    const std::string path = text(), partition = text();
    const CacheKey k = CacheKey::of(url, path, partition, kSecret);
    const auto [at, added] = seen.try_emplace(k.bytes, path, partition);
    ASSERT_TRUE(added || at->second == std::pair(path, partition));
    ASSERT_EQ(k.partition(), partition);
    ASSERT_EQ(k.in_partition("", kSecret), CacheKey::of(url, path, "", kSecret));
    ASSERT_EQ(k.url(), "http://example.com" + path);
  }
  EXPECT_GT(seen.size(), 10'000U);
}

TEST(CacheKey, SitePrefix_HoldsTheHostAndItsSubdomains_AndNothingElse) {
  const std::string site = CacheKey::site_prefix("example.com", HostKind::domain);
  for (const std::string_view inside : {"http://example.com/", "https://example.com:8443/x", "http://www.example.com/",
                                        "https://a.b.example.com/", "http://example.com./", "http://www.example.com./"})
    EXPECT_TRUE(begins(key(inside, "ann"), site)) << inside;
  for (const std::string_view outside : {"http://examplex.com/", "http://example.com.evil.net/", "http://xexample.com/",
                                         "http://example.org/", "http://com/", "http://com./"})
    EXPECT_FALSE(begins(key(outside), site)) << outside;
  EXPECT_EQ(CacheKey::site_prefix("example.com.", HostKind::domain), site);
  EXPECT_NE(key("http://example.com./"), key("http://example.com/"));
  EXPECT_FALSE(begins(key("http://example.com/"), CacheKey::site_prefix("www.example.com", HostKind::domain)));
}

TEST(CacheKey, SitePrefixOfAnAddress_HoldsThatAddressOnly) {
  const std::string v4 = CacheKey::site_prefix("10.0.0.1", HostKind::ipv4);
  EXPECT_TRUE(begins(key("http://10.0.0.1:81/"), v4));
  EXPECT_FALSE(begins(key("http://10.0.0.11/"), v4));
  EXPECT_FALSE(begins(key("http://10.0.0.1.example/"), v4));
  const std::string v6 = CacheKey::site_prefix("[2001:db8::1]", HostKind::ipv6);
  EXPECT_TRUE(begins(key("http://[2001:db8::1]/"), v6));
  EXPECT_FALSE(begins(key("http://[2001:db8::11]/"), v6));
}

TEST(CacheKey, OriginAndPathPrefixes) {
  const Url url = parse("https://example.com:8443/ignored");
  const std::string origin = CacheKey::origin_prefix(url);
  EXPECT_TRUE(begins(key("https://example.com:8443/a"), origin));
  EXPECT_FALSE(begins(key("https://example.com/a"), origin));
  EXPECT_FALSE(begins(key("http://example.com:8443/a"), origin));
  EXPECT_FALSE(begins(key("https://www.example.com:8443/a"), origin));
  const std::string below = CacheKey::path_prefix(url, "/docs/");
  EXPECT_TRUE(begins(key("https://example.com:8443/docs/a?b", "ann"), below));
  EXPECT_FALSE(begins(key("https://example.com:8443/doc"), below));
}

// Invalidation concerns every person's copy (RFC 9111 section 4.4).
TEST(CacheKey, Resource_IsTheBeginningOfAllPartitionsOfOneUrlOnly) {
  const CacheKey shared = key("http://example.com/a");
  EXPECT_EQ(shared.resource(), shared.bytes);
  EXPECT_EQ(shared.partition(), "");
  const CacheKey personal = shared.in_partition("ann", kSecret);
  EXPECT_EQ(personal, key("http://example.com/a", "ann"));
  EXPECT_EQ(personal.resource(), shared.resource());
  EXPECT_EQ(personal.partition(), "ann");
  EXPECT_FALSE(begins(key("http://example.com/ab"), shared.resource()));
  EXPECT_FALSE(begins(key("http://example.com/a?"), shared.resource()));
}

TEST(CacheKey, Url_IsWhatWasAskedFor) {
  for (const std::string_view text :
       {"http://example.com/", "https://www.example.com:8443/a/b?c=d", "http://127.0.0.1:3128/x", "https://[::1]/y?",
        "http://example.com./z", "http://localhost/"})
    EXPECT_EQ(key(text, "somebody").url(), text);
}

TEST(CacheKey, BytesThatAreNoKey_HaveNoResourceAndNoUrl) {
  const std::string good = key("http://example.com/a").bytes;
  for (std::size_t size = 0; size < good.size(); ++size) {
    const CacheKey cut{good.substr(0, size), 0};
    EXPECT_EQ(cut.resource(), "") << size;
    EXPECT_EQ(cut.url(), "") << size;
  }
}

TEST(CacheKey, HashDependsOnTheSecret) {
  const Url url = parse("http://example.com/");
  EXPECT_NE(CacheKey::of(url, "/", "", SipKey{1, 2}).hash, CacheKey::of(url, "/", "", SipKey{1, 3}).hash);
}

}  // namespace
}  // namespace outrider
