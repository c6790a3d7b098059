#include "proxy/pinned_hosts.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
const WallTime kNow{std::chrono::seconds{1'790'000'000}};
const IpAddress kOne = boost::asio::ip::make_address("192.0.2.1");
const IpAddress kOther = boost::asio::ip::make_address("192.0.2.2");

struct PinnedHostsTest : ::testing::Test {
  PinnedHosts pinned;
  bool refused(const std::string& host, WallTime when, const IpAddress& client = kOne) {
    return pinned.refused(host, client, "unknown CA", 1h, when);
  }
};

TEST_F(PinnedHostsTest, SecondRefusal_LetsTheHostPassForAWhile) {
  EXPECT_FALSE(refused("a.example", kNow));
  EXPECT_FALSE(pinned.is_pinned("a.example", kOne, kNow));
  EXPECT_TRUE(pinned.list(kNow).empty());
  EXPECT_TRUE(refused("a.example", kNow + 1min));
  EXPECT_TRUE(pinned.is_pinned("a.example", kOne, kNow + 1min));
  EXPECT_TRUE(pinned.is_pinned("a.example", kOne, kNow + 60min));
  EXPECT_FALSE(pinned.is_pinned("a.example", kOne, kNow + 61min));
}

TEST_F(PinnedHostsTest, OtherHostsAndClients_AreNotConcerned) {
  refused("a.example", kNow);
  refused("a.example", kNow);
  EXPECT_FALSE(pinned.is_pinned("www.a.example", kOne, kNow));
  EXPECT_FALSE(pinned.is_pinned("a.example", kOther, kNow));
  EXPECT_FALSE(refused("b.example", kNow));
  EXPECT_FALSE(refused("a.example", kNow, kOther));
}

TEST_F(PinnedHostsTest, RefusalsFarApart_DoNotCount) {
  refused("a.example", kNow);
  EXPECT_FALSE(refused("a.example", kNow + 11min));
  EXPECT_TRUE(refused("a.example", kNow + 12min));
}

TEST_F(PinnedHostsTest, Entries_SayWhyAndUntilWhen) {
  refused("a.example", kNow);
  refused("a.example", kNow + 1min);
  const auto entries = pinned.list(kNow + 2min);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].host, "a.example");
  EXPECT_EQ(entries[0].client, "192.0.2.1");
  EXPECT_EQ(entries[0].reason, "unknown CA");
  EXPECT_EQ(entries[0].since, kNow);
  EXPECT_EQ(entries[0].until, kNow + 61min);
  EXPECT_TRUE(pinned.list(kNow + 61min).empty());
}

TEST_F(PinnedHostsTest, Entries_CanBeRemoved) {
  for (int i = 0; i < 2; ++i) {
    refused("a.example", kNow);
    refused("a.example", kNow, kOther);
    refused("b.example", kNow);
  }
  EXPECT_EQ(pinned.remove("a.example"), 2U);
  EXPECT_FALSE(pinned.is_pinned("a.example", kOne, kNow));
  EXPECT_TRUE(pinned.is_pinned("b.example", kOne, kNow));
  EXPECT_EQ(pinned.clear(), 1U);
  EXPECT_FALSE(pinned.is_pinned("b.example", kOne, kNow));
}

TEST_F(PinnedHostsTest, NoTime_MeansNever) {
  EXPECT_FALSE(pinned.refused("a.example", kOne, "no", 0s, kNow));
  EXPECT_FALSE(pinned.refused("a.example", kOne, "no", 0s, kNow));
  EXPECT_FALSE(pinned.is_pinned("a.example", kOne, kNow));
}

TEST_F(PinnedHostsTest, MemoryIsBounded) {
  refused("kept.example", kNow);
  refused("kept.example", kNow);
  for (std::size_t i = 0; i < 2 * PinnedHosts::kAtMost; ++i) refused(std::to_string(i) + ".example", kNow);
  EXPECT_TRUE(pinned.is_pinned("kept.example", kOne, kNow));  // single refusals go first
  EXPECT_LE(pinned.clear(), PinnedHosts::kAtMost);
}

TEST_F(PinnedHostsTest, AtTheLimit_HostsAreStillPinned) {
  for (std::size_t i = 0; i < PinnedHosts::kAtMost; ++i)
    for (int twice = 0; twice < 2; ++twice) refused(std::to_string(i) + ".example", kNow);
  EXPECT_EQ(pinned.list(kNow).size(), PinnedHosts::kAtMost) << "looking at them forgets none";
  EXPECT_FALSE(refused("a.example", kNow + 1min));
  EXPECT_FALSE(refused("b.example", kNow + 1min)) << "an app with two hosts asks them in turn";
  EXPECT_TRUE(refused("a.example", kNow + 2min));
  EXPECT_TRUE(refused("b.example", kNow + 2min));
  EXPECT_TRUE(pinned.is_pinned("a.example", kOne, kNow + 2min));
  EXPECT_TRUE(pinned.is_pinned("b.example", kOne, kNow + 2min));
  EXPECT_EQ(pinned.clear(), PinnedHosts::kAtMost);
}

TEST_F(PinnedHostsTest, AtTheLimitOfSingleRefusals_TheOldestGoesFirst) {
  for (std::size_t i = 0; i < PinnedHosts::kAtMost - 1; ++i) refused(std::to_string(i) + ".example", kNow);
  refused("00-first-in-order.example", kNow + 1min);
  EXPECT_FALSE(refused("one-more.example", kNow + 1min));
  EXPECT_TRUE(refused("00-first-in-order.example", kNow + 2min));
  EXPECT_TRUE(refused("one-more.example", kNow + 2min));
}

TEST_F(PinnedHostsTest, ClockThatWasSetBack_LeavesNothingForEver) {
  refused("a.example", kNow);
  refused("a.example", kNow);
  EXPECT_TRUE(pinned.list(kNow - 24h * 365).empty());
}

}  // namespace
}  // namespace outrider
