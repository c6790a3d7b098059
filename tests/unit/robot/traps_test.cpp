#include "robot/traps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace outrider {
namespace {

using namespace std::chrono_literals;
const WallTime kNow{1'790'000'000s};  // in 2026

Url url(std::string_view text) {
  return Url::parse(text).value();
}

class TrapsTest : public testing::Test {
 protected:
  RobotSettings settings;
  std::optional<TrapDetector> traps;
  void SetUp() override { traps.emplace(settings); }
  std::string check(std::string_view text, std::string_view from = {}) {
    const Url target = url(text);
    if (from.empty()) return traps->check(target, nullptr, kNow);
    const Url source = url(from);
    return traps->check(target, &source, kNow);
  }
};

TEST_F(TrapsTest, OrdinaryUrls_AreNoTraps) {
  for (std::string_view text :
       {"https://a.example/", "https://a.example/2026/11/16/title-of-a-page", "https://a.example/a/b/c?d=1",
        "https://www.a.example/wiki/Berlin", "http://192.0.2.1/x"}) {
    EXPECT_EQ(check(text), "") << text;
  }
}

TEST_F(TrapsTest, RepeatedSegments) {
  EXPECT_EQ(check("https://a.example/x/a/a/a"), "");
  EXPECT_EQ(check("https://a.example/a/b/a/b/a/b/a/b"), "trap: \"a\" is in the path 4 times");
}

TEST_F(TrapsTest, FolderThatContainsItself_IsSeenEarlier) {
  EXPECT_EQ(check("https://a.example/docs/x/docs/", "https://a.example/docs/x/"), "");
  EXPECT_EQ(check("https://a.example/docs/docs/docs/", "https://a.example/docs/docs/"),
            "trap: \"docs\" is in the path 3 times, and the path grows");
}

TEST_F(TrapsTest, DeepPathsAndLongUrls) {
  std::string deep = "https://a.example";
  for (int i = 0; i < 21; ++i) deep += fmt::format("/f{}", i);
  EXPECT_EQ(check(deep), "trap: the path has 21 folders");
  EXPECT_EQ(check("https://a.example/" + std::string(3000, 'x')), "trap: the URL has 3018 bytes");
}

TEST_F(TrapsTest, Calendars_EndSomewhere) {
  EXPECT_EQ(check("https://a.example/cal/2027/01/"), "");
  EXPECT_EQ(check("https://a.example/cal/2031/01/"), "trap: a calendar that has come to the year 2031");
  EXPECT_NE(check("https://a.example/cal?month=1811-03"), "");
}

TEST_F(TrapsTest, SessionIds_OnePageIsFetchedOnce) {
  EXPECT_EQ(check("https://a.example/x?PHPSESSID=aaaaaaaa1"), "");
  EXPECT_EQ(check("https://a.example/x?PHPSESSID=bbbbbbbb2"), "trap: the same page with another session id");
  EXPECT_EQ(check("https://a.example/y?PHPSESSID=bbbbbbbb2"), "");
}

TEST_F(TrapsTest, WildcardSubdomains) {
  EXPECT_NE(check("https://www.www.www.a.example/"), "");
  EXPECT_NE(check("https://a.b.c.d.e.f.g.h.example/"), "");
  for (std::uint32_t i = 0; i < TrapDetector::kHostsPerDomain; ++i) {
    ASSERT_EQ(check(fmt::format("https://h{}.a.example/", i)), "");
  }
  EXPECT_NE(check("https://one-more.a.example/"), "");
  EXPECT_EQ(check("https://h1.a.example/x"), "") << "a name that is known";
}

TEST_F(TrapsTest, Template_HasABudget) {
  settings.urls_per_pattern = 100;
  traps.emplace(settings);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(check(fmt::format("https://a.example/item/{}", i)), "");
  EXPECT_EQ(check("https://a.example/item/1000"), "trap: 100 URLs like a.example/item/#");
  EXPECT_EQ(check("https://a.example/other/1000"), "");
}

TEST_F(TrapsTest, PagesThatLookTheSame_CloseTheirPattern) {
  settings.duplicates_per_pattern = 10;
  traps.emplace(settings);
  int fetched = 0;
  for (int i = 0; i < 100 && check(fmt::format("https://a.example/s?q={}", i)).empty(); ++i) {
    traps->fetched(url(fmt::format("https://a.example/s?q={}", i)),
                   {0xF0F0F0F0F0F0F0F0ull ^ (1ull << (i % 2)), 1000, 1ms});
    ++fetched;
  }
  EXPECT_EQ(fetched, 11);
  EXPECT_EQ(check("https://a.example/s?q=x"), "trap: 10 of 11 pages like a.example/s?q look the same");
}

TEST_F(TrapsTest, PagesThatDiffer_DoNot) {
  settings.duplicates_per_pattern = 10;
  traps.emplace(settings);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(check(fmt::format("https://a.example/s?q={}", i)), "");
    traps->fetched(url(fmt::format("https://a.example/s?q={}", i)), {random() | 1, 1000, 1ms});
  }
}

TEST_F(TrapsTest, HugeAndSlowPages_CloseTheirPattern) {
  int fetched = 0;
  for (int i = 0; i < 100 && check(fmt::format("https://a.example/dump/{}", i)).empty(); ++i, ++fetched) {
    PageLook look;
    look.too_slow = i % 2 == 0;
    look.too_big = i % 2 == 1;
    traps->fetched(url(fmt::format("https://a.example/dump/{}", i)), look);
  }
  EXPECT_EQ(fetched, 20);
}

TEST_F(TrapsTest, Memory_IsBounded) {
  std::mt19937_64 random(1);
  const auto word = [&] {
    std::string text;
    for (int i = 0; i < 8; ++i) text += static_cast<char>('a' + random() % 26);
    return text;
  };
  for (std::size_t i = 0; i < TrapDetector::kMostPatterns + 1000; ++i) check("https://a.example/" + word());
  EXPECT_LE(traps->memory_entries(), TrapDetector::kMostPatterns);
}

TEST_F(TrapsTest, NamesOfManyDomains_AreBoundedToo) {
  for (int domain = 0; domain < 60; ++domain) {
    for (int host = 0; host < 900; ++host) check(fmt::format("https://h{}.d{}.example/x{}", host, domain, host));
  }
  EXPECT_LE(traps->memory_entries(), TrapDetector::kMostPatterns + TrapDetector::kMostNames + 60);
}

TEST(RedirectChain, CirclesAndLongChains_End) {
  RedirectChain circle(url("https://a.example/1"));
  EXPECT_EQ(circle.follow(url("https://a.example/2")), "");
  EXPECT_EQ(circle.follow(url("https://a.example/1#x")), "trap: the redirects go round in a circle");
  RedirectChain chain(url("https://a.example/0"));
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(chain.follow(url(fmt::format("https://a.example/{}", i))), "");
  EXPECT_EQ(chain.follow(url("https://a.example/6")), "trap: more than 5 redirects");
}

}  // namespace
}  // namespace outrider
