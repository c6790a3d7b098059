#include "robot/robots_rules.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;

const WallTime kNow{1'700'000'000s};
const Url kPrivate = Url::parse("https://example.com/private/x").value();
const Url kPublic = Url::parse("https://example.com/public").value();
constexpr std::string_view kRobots =
    "User-agent: *\nDisallow: /private\nCrawl-delay: 3\nSitemap: https://example.com/s.xml\n";

class RobotsRulesTest : public testing::Test {
 protected:
  RobotSettings settings;
  RobotsRules rules;
  void fetch(int status, WallTime now, std::string_view body = {}) {
    rules = rules.after({status, body, std::nullopt}, settings, now);
  }
};

TEST_F(RobotsRulesTest, BeforeTheFirstFetch_NothingIsAllowed) {
  EXPECT_TRUE(rules.must_fetch(kNow));
  EXPECT_FALSE(rules.check(kPublic).allowed);
}

// RFC 9309 section 2.3.1.1
TEST_F(RobotsRulesTest, Success_ItsRulesCount) {
  fetch(200, kNow, kRobots);
  EXPECT_TRUE(rules.check(kPublic).allowed);
  EXPECT_EQ(rules.check(kPrivate).reason, "robots: Disallow: /private (line 2 of robots.txt)");
  EXPECT_EQ(rules.crawl_delay(), Duration{3s});
  EXPECT_EQ(rules.sitemaps().size(), 1u);
}

// Sections 2.3.1.2 and 2.3.1.3: too many redirects and client errors mean that there is none.
TEST_F(RobotsRulesTest, ClientErrorsAndEndlessRedirects_AllowEverything) {
  for (int status : {301, 302, 307, 308, 400, 401, 403, 404, 410, 429}) {
    rules = {};
    fetch(status, kNow);
    EXPECT_TRUE(rules.check(kPrivate).allowed) << status;
  }
}

// Section 2.3.1.4
TEST_F(RobotsRulesTest, ServerErrorsAndSilence_AllowNothing) {
  for (int status : {0, 500, 502, 503, 504}) {
    rules = {};
    fetch(status, kNow);
    EXPECT_FALSE(rules.check(kPublic).allowed) << status;
  }
  EXPECT_EQ(rules.check(kPublic).reason, "robots: robots.txt is answered with 504");
}

TEST_F(RobotsRulesTest, Failure_AlsoClosesWhatWasOpen) {
  fetch(200, kNow, kRobots);
  fetch(503, kNow + 24h);
  EXPECT_FALSE(rules.check(kPublic).allowed);
  fetch(200, kNow + 25h, kRobots);
  EXPECT_TRUE(rules.check(kPublic).allowed);
}

TEST_F(RobotsRulesTest, LongUnreachable_TheLastRulesCountAgain) {
  fetch(200, kNow, kRobots);
  fetch(0, kNow + 24h);
  fetch(0, kNow + 24h * 30);
  EXPECT_FALSE(rules.check(kPublic).allowed) << "29 days";
  fetch(500, kNow + 24h * 31);
  EXPECT_TRUE(rules.check(kPublic).allowed);
  EXPECT_FALSE(rules.check(kPrivate).allowed);
}

TEST_F(RobotsRulesTest, LongUnreachableAndNeverRead_AllowsEverything) {
  fetch(0, kNow);
  fetch(0, kNow + 24h * 30);
  EXPECT_TRUE(rules.check(kPrivate).allowed);
}

TEST_F(RobotsRulesTest, ASingleAnswerBetween_BeginsThe30DaysAnew) {
  fetch(0, kNow);
  fetch(404, kNow + 24h * 15);
  fetch(0, kNow + 24h * 16);
  fetch(0, kNow + 24h * 31);
  EXPECT_FALSE(rules.check(kPublic).allowed);
}

TEST_F(RobotsRulesTest, Failing_IsTriedAgainSoonThenLessOften) {
  fetch(0, kNow);
  EXPECT_EQ(rules.fetch_at(), kNow + 5min);
  fetch(0, kNow + 5min);
  EXPECT_EQ(rules.fetch_at(), kNow + 15min);
  for (int i = 0; i < 100; ++i) fetch(0, rules.fetch_at());
  EXPECT_EQ(rules.fetch_at(), rules.fetched() + 24h);
}

// Section 2.4
TEST_F(RobotsRulesTest, Rules_AreReadAnewAfterADay) {
  fetch(200, kNow, kRobots);
  EXPECT_FALSE(rules.must_fetch(kNow + 23h));
  EXPECT_TRUE(rules.must_fetch(kNow + 24h));
  EXPECT_TRUE(rules.must_fetch(kNow - 1h)) << "the clock was set back";
  rules = RobotsRules{}.after({200, kRobots, Duration{1h}}, settings, kNow);
  EXPECT_EQ(rules.fetch_at(), kNow + 1h);
  rules = RobotsRules{}.after({200, kRobots, Duration{24h * 365}}, settings, kNow);
  EXPECT_EQ(rules.fetch_at(), kNow + 24h);
}

TEST_F(RobotsRulesTest, NotModified_KeepsTheRules) {
  fetch(200, kNow, kRobots);
  fetch(304, kNow + 24h);
  EXPECT_FALSE(rules.check(kPrivate).allowed);
  EXPECT_TRUE(rules.check(kPublic).allowed);
  EXPECT_EQ(rules.fetch_at(), kNow + 48h);
}

TEST_F(RobotsRulesTest, SavedAndLoaded_SaysTheSame) {
  fetch(200, kNow, kRobots);
  fetch(503, kNow + 24h);
  auto loaded = RobotsRules::load(rules.save(settings), settings);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->check(kPublic).reason, "robots: robots.txt is answered with 503");
  EXPECT_EQ(loaded->fetch_at(), rules.fetch_at());
  *loaded = loaded->after({503, {}, std::nullopt}, settings, kNow + 24h * 31);
  EXPECT_TRUE(loaded->check(kPublic).allowed);
  EXPECT_FALSE(loaded->check(kPrivate).allowed);
}

TEST_F(RobotsRulesTest, Failure_IsTheLastOne_AndNotWrittenDown) {
  RobotsFetch refused;
  refused.failure = Error{ErrorKind::connect_refused, Side::origin, "nobody listens"};
  rules = rules.after(refused, settings, kNow);
  ASSERT_TRUE(rules.failure());
  EXPECT_EQ(rules.failure()->detail, "nobody listens");
  const auto loaded = RobotsRules::load(rules.save(settings), settings);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->must_fetch(kNow)) << "nobody knows why any more";
  fetch(503, kNow + 5min);
  EXPECT_FALSE(rules.failure());
  rules = rules.after(refused, settings, kNow + 24h * 31);
  EXPECT_FALSE(rules.failure()) << "everything is allowed again";
}

TEST_F(RobotsRulesTest, WhoDoesNotWait_IsNotToldWhatWasSoHoursAgo) {
  fetch(0, kNow);
  while (rules.may_pass()) fetch(0, rules.fetch_at());
  const WallTime last = rules.fetched();
  EXPECT_FALSE(rules.must_fetch(last + 1h));
  EXPECT_FALSE(rules.must_fetch_for_impatient(last + 4min));
  EXPECT_TRUE(rules.must_fetch_for_impatient(last + 5min));
  fetch(200, last + 6min, kRobots);
  EXPECT_FALSE(rules.must_fetch_for_impatient(last + 12min));
}

// Their questions come between the attempts: who waits gives up neither sooner nor later for that.
TEST_F(RobotsRulesTest, WhoDoesNotWait_DoesNotUseUpTheAttempts) {
  fetch(503, kNow);
  fetch(503, kNow + 5min);
  const WallTime next = rules.fetch_at();
  for (int i = 0; i < 20; ++i) fetch(503, kNow + 6min);
  EXPECT_EQ(rules.fetch_at(), next);
  EXPECT_TRUE(rules.may_pass());
  fetch(200, kNow + 7min, kRobots);
  EXPECT_TRUE(rules.check(kPublic).allowed);
}

TEST_F(RobotsRulesTest, ForeignOrOlderRecords_AreReadAnew) {
  fetch(200, kNow, kRobots);
  RobotSettings other;
  other.product = "Other";
  EXPECT_FALSE(RobotsRules::load(rules.save(settings), other));
  for (std::string_view bad : {"", "{}", "[1]", R"({"v":2})", R"({"v":1,"product":"Outrider","state":1})",
                               R"({"v":1,"product":"Outrider","state":9})"}) {
    EXPECT_FALSE(RobotsRules::load(bad, settings)) << bad;
  }
}

}  // namespace
}  // namespace outrider
