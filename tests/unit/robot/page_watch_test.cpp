#include "robot/page_watch.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using Kind = WatchReport::Kind;
const WallTime kStart{1'700'000'000s};

class PageWatchTest : public testing::Test {
 protected:
  RobotSettings settings;
  PageWatch watch{"https://a.example/", {}};
  WallTime now = kStart;
  WatchReport look(int status, std::string_view text = {}) {
    now += 24h;
    return watch.look({status, status == 304, text}, settings, now);
  }
  Duration wait_after(int status, std::string_view text = {}) {
    const WallTime next = look(status, text).next;
    return next - now;
  }
};

TEST_F(PageWatchTest, ChangesAreToldWithTheirDifference) {
  EXPECT_EQ(look(200, "Price: 10\nIn stock").kind, Kind::first);
  EXPECT_EQ(look(200, "Price: 10\nIn stock").kind, Kind::same);
  const WatchReport report = look(200, "Price: 12\nIn stock");
  EXPECT_EQ(report.kind, Kind::changed);
  EXPECT_EQ(format_diff(report.diff), "- Price: 10\n+ Price: 12\n  In stock\n");
  EXPECT_EQ(look(304).kind, Kind::same);
}

TEST_F(PageWatchTest, Layout_IsNoChange) {
  look(200, "a\nb");
  EXPECT_EQ(look(200, "a  \n\n b").kind, Kind::same);
}

TEST_F(PageWatchTest, PassingErrors_ForgetNothing) {
  look(200, "old");
  for (int status : {0, 500, 503, 403}) EXPECT_EQ(look(status, "an error page").kind, Kind::unreachable);
  const WatchReport report = look(200, "new");
  EXPECT_EQ(format_diff(report.diff), "- old\n+ new\n");
}

TEST_F(PageWatchTest, Errors_AreTriedAgainLessAndLessOften) {
  EXPECT_EQ(wait_after(0), 1h);
  EXPECT_EQ(wait_after(0), 2h);
  for (int i = 0; i < 40; ++i) look(0);
  EXPECT_EQ(watch.next(), now + settings.revisit_latest);
}

TEST_F(PageWatchTest, GoneAndBack_AreToldOnce) {
  look(200, "text");
  EXPECT_EQ(look(404).kind, Kind::gone);
  EXPECT_EQ(look(410).kind, Kind::same);
  EXPECT_EQ(look(200, "text").kind, Kind::back);
}

TEST_F(PageWatchTest, NextLook_FollowsTheRule) {
  EXPECT_EQ(wait_after(200, "a"), 24h);
  EXPECT_EQ(wait_after(200, "b"), 12h);
  RevisitRule rule;
  rule.fixed = 10min;
  watch = PageWatch("https://a.example/", rule);
  EXPECT_EQ(wait_after(200, "a"), 10min);
}

TEST_F(PageWatchTest, SavedAndLoaded_GoesOn) {
  RevisitRule rule;
  rule.fixed = 10min;
  watch = PageWatch("https://a.example/", rule);
  look(200, "old");
  look(404);
  auto loaded = PageWatch::load(watch.save());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->url(), watch.url());
  EXPECT_EQ(loaded->next(), watch.next());
  EXPECT_EQ(loaded->looks(), 2u);
  watch = *loaded;
  const WatchReport report = look(200, "new");
  EXPECT_EQ(report.kind, Kind::back);
  EXPECT_EQ(format_diff(report.diff), "- old\n+ new\n");
  EXPECT_EQ(report.next, now + 10min);
  for (std::string_view bad : {"", "[]", "{}", R"({"v":2,"url":"x"})", R"({"v":1})"})
    EXPECT_FALSE(PageWatch::load(bad));
}

}  // namespace
}  // namespace outrider
