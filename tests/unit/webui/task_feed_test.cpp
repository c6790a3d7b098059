#include "webui/task_feed.hpp"

#include "tests/support/asked_robot.hpp"

#include <gtest/gtest.h>

namespace outrider::webui {
namespace {

using namespace std::chrono_literals;

struct TaskFeedTest : ::testing::Test {
  test::AskedRobot robot;
  std::vector<std::string> told(TaskFeed& feed, std::uint64_t& position) {
    std::vector<std::string> all;
    for (const auto& news : feed.since(position)) all.push_back(*news);
    return all;
  }
};

TEST_F(TaskFeedTest, OnlyWhatHasChanged_IsNews) {
  robot.add(1, "http://a/");
  robot.add(2, "http://b/");
  TaskFeed feed{robot};
  std::uint64_t position = feed.newest();
  feed.look();
  EXPECT_TRUE(told(feed, position).empty());

  robot.tasks[2].statistics.pages = 7;
  feed.look();
  const auto news = told(feed, position);
  ASSERT_EQ(news.size(), 1U);
  EXPECT_NE(news[0].find("\"id\":2"), std::string::npos);
  EXPECT_NE(news[0].find("\"pages\":7"), std::string::npos);
  EXPECT_TRUE(told(feed, position).empty()) << "told twice";
}

TEST_F(TaskFeedTest, NewTasksAndThoseThatAreGone_AreNews) {
  TaskFeed feed{robot};
  std::uint64_t position = feed.newest();
  robot.add(5, "http://a/");
  feed.look();
  ASSERT_EQ(told(feed, position).size(), 1U);
  robot.tasks.clear();
  feed.look();
  EXPECT_EQ(told(feed, position), std::vector<std::string>{"{\"id\":5,\"state\":\"removed\"}"});
}

TEST_F(TaskFeedTest, OneOfManyListeners_LooksOnceASecond) {
  TaskFeed feed{robot};
  const SteadyTime now = SteadyTime{} + 1h;
  EXPECT_TRUE(feed.pace().claim(now));
  EXPECT_FALSE(feed.pace().claim(now));
  EXPECT_FALSE(feed.pace().claim(now + 900ms));
  EXPECT_TRUE(feed.pace().claim(now + 1s));
}

TEST_F(TaskFeedTest, LooksThatTakeLong_BecomeRare) {
  TaskFeed feed{robot};
  const SteadyTime now = SteadyTime{} + 1h;
  ASSERT_TRUE(feed.pace().claim(now));
  feed.pace().took(5ms, now);
  EXPECT_TRUE(feed.pace().claim(now + 1s));
  feed.pace().took(100ms, now + 1s);
  EXPECT_FALSE(feed.pace().claim(now + 5s));
  EXPECT_TRUE(feed.pace().claim(now + 6s));
}

TEST_F(TaskFeedTest, WhoWasAwayForLong_GetsTheLastOfIt) {
  robot.add(1, "http://a/");
  TaskFeed feed{robot};
  std::uint64_t position = 0;
  for (int i = 0; i < 5000; ++i) {
    ++robot.tasks[1].statistics.checked;
    feed.look();
  }
  EXPECT_EQ(told(feed, position).size(), 4096U);
  EXPECT_EQ(position, 5000U);
}

}  // namespace
}  // namespace outrider::webui
