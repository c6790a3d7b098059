#include "robot/host_pace.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
const SteadyTime kStart{1000s};
const WallTime kWall{1'700'000'000s};

class HostPaceTest : public testing::Test {
 protected:
  RobotSettings settings;
  HostPace pace;
  // A request at `at` that took `latency`; the wait from its end to the next.
  Duration wait_after(int status, SteadyTime at = kStart, Duration latency = 10ms,
                      std::optional<Duration> retry_after = std::nullopt) {
    pace.began(at, settings);
    pace.ended({status, latency, retry_after, false, {}}, at + latency, settings);
    return pace.not_before() - (at + latency);
  }
};

TEST_F(HostPaceTest, NewHost_MayBeAskedAtOnce) {
  EXPECT_LE(pace.not_before(), kStart);
}

TEST_F(HostPaceTest, MinimumGap_CountsFromTheEndOfTheRequest) {
  EXPECT_EQ(wait_after(200), 1s);
}

TEST_F(HostPaceTest, ConcurrentRequests_KeepTheGapBetweenTheirBeginnings) {
  settings.per_host = 2;
  pace.began(kStart, settings);
  EXPECT_EQ(pace.not_before(), kStart + 1s);
  pace.ended({200, 10ms, std::nullopt, false, {}}, kStart + 3s, settings);
  EXPECT_EQ(pace.not_before(), kStart + 1s);
}

TEST_F(HostPaceTest, SlowHost_IsAskedLessOften) {
  EXPECT_EQ(wait_after(200, kStart, 2s), 10s);
  EXPECT_EQ(pace.reason(settings), "slow answers");
  pace = {};
  EXPECT_EQ(wait_after(200, kStart, 60s), 30s) << "longest_gap";
}

TEST_F(HostPaceTest, CrawlDelay_IsObeyedUpToItsCapAndAllowsOneRequestAtATime) {
  settings.per_host = 4;
  pace.set_crawl_delay(7s);
  EXPECT_EQ(wait_after(200), 7s);
  EXPECT_EQ(pace.concurrency(settings), 1);
  EXPECT_EQ(pace.reason(settings), "Crawl-delay");
  pace.set_crawl_delay(10h);
  EXPECT_EQ(pace.gap(settings), Duration{60s});
  pace.set_crawl_delay(std::nullopt);
  EXPECT_EQ(pace.concurrency(settings), 4);
}

// RFC 9110 section 10.2.3, RFC 6585 section 4
TEST_F(HostPaceTest, TooManyRequests_PausesTheHostAndSlowsIt) {
  EXPECT_EQ(wait_after(429), 30s);
  EXPECT_EQ(wait_after(429, kStart + 1h), 60s) << "doubled";
  EXPECT_EQ(wait_after(503, kStart + 2h), 120s);
  EXPECT_GT(pace.gap(settings), Duration{1s});
  for (int i = 0; i < 20; ++i) wait_after(503, kStart + 24h);
  EXPECT_EQ(wait_after(503, kStart + 48h), 1h) << "backoff_longest";
}

TEST_F(HostPaceTest, RetryAfter_IsObeyedUpToItsCap) {
  EXPECT_EQ(wait_after(503, kStart, 10ms, 600s), 600s);
  EXPECT_EQ(wait_after(429, kStart + 1h, 10ms, 1s), 60s) << "less than our own pause";
  pace = {};
  EXPECT_EQ(wait_after(503, kStart, 10ms, 24h * 365), 24h);
}

TEST_F(HostPaceTest, Success_MakesItFasterAgainBitByBit) {
  wait_after(429);
  const Duration slow = pace.gap(settings);
  EXPECT_LE(wait_after(200, kStart + 1h), slow);
  EXPECT_LT(pace.gap(settings), slow);
  for (int i = 0; i < 30; ++i) wait_after(200, kStart + 2h + i * 1min);
  EXPECT_EQ(pace.gap(settings), Duration{1s});
}

TEST_F(HostPaceTest, Silence_PausesTheHost) {
  EXPECT_EQ(wait_after(0), 30s);
  EXPECT_EQ(pace.failures(), 1);
}

TEST_F(HostPaceTest, SingleServerError_IsNoReasonToPause) {
  EXPECT_EQ(wait_after(500), 1s);
  EXPECT_EQ(wait_after(500, kStart + 1h), 60s) << "the second in a row is";
  EXPECT_EQ(wait_after(404, kStart + 2h), 1s) << "404 is an answer";
}

TEST_F(HostPaceTest, CancelledByUs_SaysNothing) {
  pace.began(kStart, settings);
  pace.ended({0, 10s, std::nullopt, true, {}}, kStart + 10s, settings);
  EXPECT_EQ(pace.failures(), 0);
  EXPECT_EQ(pace.not_before(), kStart + 11s);
}

TEST_F(HostPaceTest, Browser_GoesFirstButNotForEver) {
  pace.browser_asked(kStart, settings);
  EXPECT_EQ(pace.not_before(), kStart + 1s);
  for (int i = 1; i <= 120; ++i) pace.browser_asked(kStart + i * 500ms, settings);
  EXPECT_EQ(pace.not_before(), kStart + 30s) << "a page that polls for ever holds the robot back for longest_gap only";
}

TEST_F(HostPaceTest, SavedAndLoaded_GoesOnWhereItWas) {
  pace.set_crawl_delay(5s);
  wait_after(429, kStart, 300ms, 100s);
  const std::string record = pace.save({kStart + 300ms, kWall});
  EXPECT_LT(record.size(), 64u);
  const SteadyTime other_start{5s};  // of another process
  const auto loaded = HostPace::load(record, {other_start, kWall + 40s}, settings);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->not_before(), other_start + 60s);
  EXPECT_EQ(loaded->gap(settings), pace.gap(settings));
  EXPECT_EQ(loaded->failures(), 1);
}

TEST_F(HostPaceTest, ClockSetBack_MakesNobodyWaitForYears) {
  wait_after(200);
  const std::string record = pace.save({kStart, kWall});
  const auto loaded = HostPace::load(record, {kStart, kWall - 24h * 365}, settings);
  EXPECT_LE(loaded->not_before(), kStart + settings.retry_after_cap);
  const auto later = HostPace::load(record, {kStart, kWall + 1h}, settings);
  EXPECT_EQ(later->not_before(), kStart);
}

TEST_F(HostPaceTest, ForeignRecords_AreRefused) {
  for (std::string_view bad : {"", "1", "2 1 1 1 1 1", "1 1 1 1 1", "1 1 1 1 1 1 1", "1 1 1 1 1 x", "1  1 1 1 1 1"}) {
    EXPECT_FALSE(HostPace::load(bad, {kStart, kWall}, settings)) << bad;
  }
  EXPECT_TRUE(HostPace::load("1 9223372036854775807 -9223372036854775808 9223372036854775807 -1 99999999999",
                             {kStart, kWall}, settings));
}

}  // namespace
}  // namespace outrider
