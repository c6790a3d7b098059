#include "robot/pacing.hpp"

#include "robot/frontier.hpp"
#include "tests/support/process.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

Url url(std::string_view text) {
  return *Url::parse(text);
}

Fetched answered(int status = 200) {
  Fetched fetched;
  fetched.status = status;
  fetched.verdict = CacheVerdict::miss;
  return fetched;
}

class PacingTest : public ::testing::Test {
 protected:
  PacingTest() {
    frontier_ = std::move(*Frontier::open(directory_.path() / "robot"));
    open();
  }
  void open() { pacing_ = std::make_unique<PolitePacing>(settings_, *frontier_, clock_); }

  testing_support::TemporaryDirectory directory_;
  FakeClock clock_;
  RobotSettings settings_;
  std::unique_ptr<Frontier> frontier_;
  std::unique_ptr<PolitePacing> pacing_;
};

TEST_F(PacingTest, AHostIsAskedAgainAfterItsGapOnly) {
  const Url page = url("http://example.com/a");
  EXPECT_EQ(pacing_->begin(page, ""), Duration::zero());
  EXPECT_NE(pacing_->begin(page, ""), Duration::zero());
  pacing_->end(page, answered());
  const Duration wait = pacing_->begin(page, "");
  EXPECT_GT(wait, Duration::zero());
  EXPECT_LE(wait, settings_.min_gap);
  clock_.advance(wait);
  EXPECT_EQ(pacing_->begin(page, ""), Duration::zero());
}

TEST_F(PacingTest, TheGapHoldsOverARestart) {
  const Url page = url("http://example.com/a");
  EXPECT_EQ(pacing_->begin(page, ""), Duration::zero());
  open();  // killed while the request was under way
  EXPECT_GT(pacing_->begin(page, ""), Duration::zero());
  clock_.advance(settings_.min_gap);
  EXPECT_EQ(pacing_->begin(page, ""), Duration::zero());
}

TEST_F(PacingTest, NamesOfOneMachineShareItsPlaces) {
  std::size_t begun = 0;
  for (int i = 0; i < 100; ++i)
    begun += pacing_->begin(url("http://" + std::to_string(i) + ".example.com/"), "192.0.2.1") == Duration::zero();
  EXPECT_LE(begun, static_cast<std::size_t>(settings_.per_address));
}

TEST_F(PacingTest, WhatTheStoreAnsweredCostsTheHostNothing) {
  const Url page = url("http://example.com/a");
  ASSERT_EQ(pacing_->begin(page, ""), Duration::zero());
  Fetched hit = answered();
  hit.verdict = CacheVerdict::hit;
  pacing_->end(page, hit);
  EXPECT_EQ(pacing_->begin(page, ""), Duration::zero());
}

// The origin was asked, did not answer, and what is kept was used instead (RFC 9111 section 4.2.4).
TEST_F(PacingTest, AStaleAnswerAfterAFailedAttemptCountsAsTheFailure) {
  const Url page = url("http://example.com/a");
  ASSERT_EQ(pacing_->begin(page, ""), Duration::zero());
  Fetched stale = answered();
  stale.verdict = CacheVerdict::stale;
  stale.origin_failure = OriginFailure{};
  pacing_->end(page, stale);
  EXPECT_GT(pacing_->begin(page, ""), settings_.min_gap);
}

// RFC 5861 section 4: a stored copy stands for the 503, which wants to be heard all the same.
TEST_F(PacingTest, WhatTheOriginSaidBehindAStaleAnswerCounts) {
  const Url page = url("http://example.com/a");
  ASSERT_EQ(pacing_->begin(page, ""), Duration::zero());
  Fetched stale = answered();
  stale.verdict = CacheVerdict::stale;
  stale.origin_failure = OriginFailure{503, "7200"};
  pacing_->end(page, stale);
  EXPECT_GT(pacing_->begin(page, ""), std::chrono::minutes{119});
}

TEST(RetryAfter, IsSecondsOrADate) {
  const WallTime now{std::chrono::seconds{784'111'777}};  // Sun, 06 Nov 1994 08:49:37 GMT
  HeaderMap headers;
  EXPECT_FALSE(retry_after(headers.find("Retry-After"), now));
  headers.add("Retry-After", "120");
  EXPECT_EQ(retry_after(headers.find("Retry-After"), now), std::chrono::seconds{120});
  headers.set("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT");
  EXPECT_EQ(retry_after(headers.find("Retry-After"), now), std::chrono::seconds{60});
  headers.set("Retry-After", "Sun, 06 Nov 1994 08:00:00 GMT");
  EXPECT_EQ(retry_after(headers.find("Retry-After"), now), Duration::zero());
  headers.set("Retry-After", "soon");
  EXPECT_FALSE(retry_after(headers.find("Retry-After"), now));
}

TEST(FreePacing, OnlyCounts) {
  FreePacing pacing{2};
  const Url page = url("http://127.0.0.1:81/");
  EXPECT_EQ(pacing.begin(page, ""), Duration::zero());
  EXPECT_EQ(pacing.begin(page, ""), Duration::zero());
  EXPECT_EQ(pacing.begin(page, ""), Pacing::kUntilEnd);
  EXPECT_EQ(pacing.begin(url("http://127.0.0.1:82/"), ""), Duration::zero());
  pacing.end(page, answered());
  EXPECT_EQ(pacing.begin(page, ""), Duration::zero());
}

}  // namespace
}  // namespace outrider
