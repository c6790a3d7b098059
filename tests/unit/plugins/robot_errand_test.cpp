#include "plugins/api/robot_errand.hpp"

#include "tests/support/web_robot.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using test::WebRobot;

TaskSpec spec_of(const std::string& url) {
  TaskSpec spec;
  spec.start = {url};
  spec.depth = 0;
  return spec;
}

TEST(RobotErrand, WhatHappensBeforeTheNumberIsKnown_IsNotMissed) {
  WebRobot robot;
  robot.web["http://p/"].links = {WebRobot::link("http://a/"), WebRobot::link("http://b/")};
  RobotErrand errand{robot, 1};
  ASSERT_TRUE(errand.begin(spec_of("http://p/")));
  const RobotErrand::News news = errand.take();
  ASSERT_EQ(news.pages.size(), 1u);
  EXPECT_EQ(news.pages[0].links.size(), 1u) << "the limit";
  EXPECT_EQ(news.pages[0].left_out, 1u);
  ASSERT_EQ(news.fetches.size(), 1u);
  EXPECT_EQ(news.fetches[0].url, "http://p/");
  EXPECT_TRUE(news.ended);
  EXPECT_FALSE(errand.take().ended) << "told once";
}

TEST(RobotErrand, TasksOfOthers_AreNotHeard) {
  WebRobot robot;
  robot.holds = true;
  RobotErrand errand{robot, 10};
  ASSERT_TRUE(errand.begin(spec_of("http://p/")));
  robot.run(*robot.submit(spec_of("http://other/")));
  const RobotErrand::News news = errand.take();
  EXPECT_TRUE(news.pages.empty());
  EXPECT_FALSE(news.ended);
}

TEST(RobotErrand, Left_TheTaskIsGoneAndNothingIsHeard) {
  WebRobot robot;
  RobotErrand errand{robot, 10};
  ASSERT_TRUE(errand.begin(spec_of("http://p/")));
  errand.leave();
  EXPECT_TRUE(robot.list().empty());
  EXPECT_FALSE(errand.take().ended);
  robot.refuses = true;
  EXPECT_FALSE(errand.begin(spec_of("http://p/")));
  EXPECT_EQ(errand.task(), 0u);
}

}  // namespace
}  // namespace outrider
