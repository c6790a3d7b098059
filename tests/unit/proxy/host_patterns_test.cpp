#include "proxy/host_patterns.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace outrider {
namespace {

using Kind = HostPatterns::Match::Kind;

HostPatterns patterns(std::initializer_list<const char*> list) {
  HostPatterns all;
  std::uint32_t value = 0;
  for (const char* pattern : list) {
    const Result<void> added = all.add(pattern, ++value);
    EXPECT_TRUE(added.has_value()) << (added ? "" : added.error().detail);
  }
  return all;
}

// The position of the pattern that decides, counted from 1; 0 = none.
std::uint32_t winner(const HostPatterns& all, std::string_view host, std::uint16_t port = 443) {
  const HostPatterns::Match match = all.find(host, port);
  EXPECT_NE(match.kind, Kind::not_a_host) << host;
  return match ? match.value : 0;
}

TEST(HostPatterns, ExactName_IsThatNameAlone) {
  const HostPatterns all = patterns({"example.com"});
  EXPECT_EQ(winner(all, "example.com"), 1U);
  EXPECT_EQ(winner(all, "www.example.com"), 0U);
  EXPECT_EQ(winner(all, "badexample.com"), 0U);
  EXPECT_EQ(winner(all, "example.com.evil.org"), 0U);
  EXPECT_EQ(winner(all, "com"), 0U);
}

TEST(HostPatterns, Star_IsSubdomainsWithoutTheNameItself) {
  const HostPatterns all = patterns({"*.example.com"});
  EXPECT_EQ(winner(all, "www.example.com"), 1U);
  EXPECT_EQ(winner(all, "a.b.c.example.com"), 1U);
  EXPECT_EQ(winner(all, "example.com"), 0U);
  EXPECT_EQ(winner(all, "badexample.com"), 0U);
}

TEST(HostPatterns, LeadingDot_IsTheNameAndItsSubdomains) {
  const HostPatterns all = patterns({".example.com"});
  EXPECT_EQ(winner(all, "www.example.com"), 1U);
  EXPECT_EQ(winner(all, "example.com"), 1U);
  EXPECT_EQ(winner(all, "badexample.com"), 0U);
}

TEST(HostPatterns, StarAlone_IsEveryHost) {
  const HostPatterns all = patterns({"*"});
  for (const char* host : {"a", "example.com", "1.2.3.4", "[::1]", "::1"}) EXPECT_EQ(winner(all, host), 1U) << host;
}

TEST(HostPatterns, MostSpecificDecides_InAnyOrder) {
  const HostPatterns all = patterns({"*", "a.example.com", ".example.com", "*.a.example.com", ".com", "example.com"});
  EXPECT_EQ(winner(all, "x.a.example.com"), 4U);
  EXPECT_EQ(winner(all, "a.example.com"), 2U);
  EXPECT_EQ(winner(all, "b.example.com"), 3U);
  EXPECT_EQ(winner(all, "example.com"), 6U) << "the exact name before the name with subdomains";
  EXPECT_EQ(winner(all, "other.com"), 5U);
  EXPECT_EQ(winner(all, "org"), 1U);
}

TEST(HostPatterns, Ports_NarrowTheRule_AndAWiderRuleFollows) {
  const HostPatterns all = patterns({".example.com:8000-8999", ".example.com:8080", ".example.com", "*:25"});
  EXPECT_EQ(winner(all, "www.example.com", 8080), 2U);
  EXPECT_EQ(winner(all, "www.example.com", 8081), 1U);
  EXPECT_EQ(winner(all, "www.example.com", 25), 3U) << "the longer name before the narrower port";
  EXPECT_EQ(winner(all, "example.org", 25), 4U);
  EXPECT_EQ(winner(all, "example.org", 26), 0U);
}

TEST(HostPatterns, LongerNameWithOtherPort_DoesNotHideTheShorterName) {
  const HostPatterns all = patterns({"www.example.com:22", ".example.com"});
  EXPECT_EQ(winner(all, "www.example.com", 443), 2U);
}

TEST(HostPatterns, SaidTwice_TheFirstCounts) {
  const HostPatterns all = patterns({"example.com", "EXAMPLE.com", "example.com."});
  EXPECT_EQ(winner(all, "example.com"), 1U);
  EXPECT_EQ(all.size(), 1U);
}

TEST(HostPatterns, SpellingOfTheHost_MakesNoDifference) {
  const HostPatterns all = patterns({".example.com", "xn--bcher-kva.example"});
  EXPECT_EQ(winner(all, "WWW.Example.COM"), 1U);
  EXPECT_EQ(winner(all, "example.com."), 1U) << "fully qualified";
  EXPECT_EQ(winner(all, "XN--BCHER-KVA.example"), 2U);
}

TEST(HostPatterns, SpellingOfThePattern_MakesNoDifference) {
  const HostPatterns all = patterns({"*.BÜCHER.example", ".Example.COM.", "under_score.example"});
  EXPECT_EQ(winner(all, "www.xn--bcher-kva.example"), 1U);
  EXPECT_EQ(winner(all, "example.com"), 2U);
  EXPECT_EQ(winner(all, "under_score.example"), 3U);
}

TEST(HostPatterns, Addresses_ByPrefix_AndInEverySpelling) {
  const HostPatterns all =
      patterns({"10.0.0.0/8", "10.1.2.3", "2001:db8::/32", "[2001:db8::1]:443", "*", "10.9.0.0/16:22"});
  EXPECT_EQ(winner(all, "10.1.2.3"), 2U);
  EXPECT_EQ(winner(all, "10.1.2.3."), 2U) << "a dot at the end is no way around a rule";
  EXPECT_EQ(winner(all, "10.1.2.4"), 1U);
  EXPECT_EQ(winner(all, "10.9.0.1", 22), 6U);
  EXPECT_EQ(winner(all, "[::ffff:10.1.2.3]"), 2U);
  EXPECT_EQ(winner(all, "::ffff:a01:203"), 2U);
  EXPECT_EQ(winner(all, "[64:ff9b::10.1.2.3]"), 2U);
  EXPECT_EQ(winner(all, "[2001:db8::1]"), 4U);
  EXPECT_EQ(winner(all, "2001:DB8::1", 80), 3U);
  EXPECT_EQ(winner(all, "8.8.8.8"), 5U);
}

// The system's parsers would read only a part of these, so a rule about that part must not be got around.
TEST(HostPatterns, WhatIsNoHost_IsSaidToBeNone) {
  const HostPatterns all = patterns({"example.com", "10.0.0.0/8"});
  const std::vector<std::string> hosts = {"",
                                          ".",
                                          "..",
                                          "example.com..",
                                          ".example.com",
                                          "a..b",
                                          std::string{"example.com\0", 12},
                                          std::string{"10.0.0.1\0", 9},
                                          std::string{"10.0.0.1\0.example.org", 21},
                                          "example.com\n",
                                          "exa mple.com",
                                          "example.com%00",
                                          "user@example.com",
                                          "b\xc3\xbc"
                                          "cher.example",
                                          "fe80::1%lo",
                                          "[fe80::1%25lo]",
                                          "[::1",
                                          "::1]",
                                          "[]",
                                          "[example.com]",
                                          "1.2.3.4.5",
                                          "256.1.1.1",
                                          "1.2.3",
                                          "foo.123",
                                          "example.com:80",
                                          std::string(256, 'a'),
                                          std::string(100'000, '.')};
  for (const std::string& host : hosts) EXPECT_EQ(all.find(host, 80).kind, Kind::not_a_host) << host.substr(0, 40);
}

TEST(HostPatterns, LongestNames_AreLookedUp) {
  std::string name;
  while (name.size() < 252) name += "a.";
  name += "bc";
  HostPatterns all;
  ASSERT_TRUE(all.add(name, 1).has_value());
  EXPECT_EQ(winner(all, name), 1U);
  EXPECT_EQ(winner(all, "x" + name.substr(1)), 0U);
}

TEST(HostPatterns, NonsensePatterns_AreRefusedWithAReason) {
  const std::vector<std::string> bad = {"",
                                        " ",
                                        "http://example.com",
                                        "example.com/path",
                                        "a*b.com",
                                        "*example.com",
                                        "*.*.com",
                                        "*.",
                                        ".",
                                        "..com",
                                        "a..b",
                                        "example.com:",
                                        "a:0",
                                        "a:99999",
                                        "a:80-",
                                        "[::1",
                                        "[::1]80",
                                        "10.0.0.0/33",
                                        "10.0.0.1/8",
                                        "1.2.3",
                                        "exa mple.com",
                                        "[example.com]",
                                        "::ffff:1.2.3.4",
                                        "fe80::1%lo",
                                        "example.com..",
                                        std::string{"a\0b", 3},
                                        "a\nb",
                                        std::string(300, 'a'),
                                        "[]",
                                        "*:",
                                        "a@b"};
  for (const std::string& pattern : bad) {
    HostPatterns all;
    const Result<void> added = all.add(pattern, 1);
    ASSERT_FALSE(added.has_value()) << pattern;
    EXPECT_EQ(added.error().kind, ErrorKind::invalid_argument);
  }
  HostPatterns all;
  EXPECT_NE(all.add("https://example.com", 1).error().detail.find("without http"), std::string::npos);
  EXPECT_NE(all.add("example.com/x", 1).error().detail.find("no path"), std::string::npos);
}

TEST(HostPatterns, TextOfAMatch_IsThePattern) {
  const HostPatterns all = patterns({"*.a.example:80-90", ".b.example", "c.example:7", "*:25", "10.0.0.0/8:22", "*"});
  EXPECT_EQ(all.text(all.find("x.a.example", 85)), "*.a.example:80-90");
  EXPECT_EQ(all.text(all.find("x.b.example", 85)), ".b.example");
  EXPECT_EQ(all.text(all.find("c.example", 7)), "c.example:7");
  EXPECT_EQ(all.text(all.find("z", 25)), "*:25");
  EXPECT_EQ(all.text(all.find("10.0.0.1", 22)), "10.0.0.0/8:22");
  EXPECT_EQ(all.text(all.find("z", 26)), "*");
}

TEST(HostPatterns, HundredThousandRules_AreAllFoundAndNothingElse) {
  HostPatterns all;
  for (std::uint32_t i = 0; i < 100'000; ++i)
    ASSERT_TRUE(all.add(fmt::format(".host{}.block.example", i), i).has_value());
  for (std::uint32_t i = 0; i < 100'000; i += 101) {
    const HostPatterns::Match match = all.find(fmt::format("www.host{}.block.example", i), 443);
    ASSERT_TRUE(match);
    ASSERT_EQ(match.value, i);
    ASSERT_FALSE(all.find(fmt::format("nohost{}.block.example", i), 443));
  }
}

}  // namespace
}  // namespace outrider
