// Loads that nobody asked for: each passes the guard, and each refusal can be asked for.
#include "tests/support/robot_stage.hpp"

namespace outrider::testing {
namespace {

TaskSpec ahead(const RobotStage& stage, const std::string& path) {
  TaskSpec spec = stage.spec(path);
  spec.prefetch = true;
  return spec;
}

TEST(RobotPrefetch, LoadsSayWhatTheyAreAndActionsAreLeftAlone) {
  RobotStage stage;
  stage.origin.on("/", html("<a href=/article>read</a><a href=/logout>bye</a><a href=/x>Delete</a>"
                            "<a href=/list?page=2>more</a><a rel=nofollow href=/no>no</a>"));
  for (const char* path : {"/article", "/logout", "/x", "/list?page=2", "/no"}) stage.origin.on(path, html("x"));
  const TaskId task = stage.submit(ahead(stage, "/"));
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(stage.origin.last("/article").field("Sec-Purpose"), "prefetch");
  EXPECT_EQ(stage.origin.count("/logout"), 0u);
  EXPECT_EQ(stage.origin.count("/x"), 0u) << "the text of the link is that of an action";
  EXPECT_EQ(stage.origin.count("/list?page=2"), 0u);
  EXPECT_EQ(status.statistics.rejected[static_cast<std::size_t>(Reason::prefetch)], 3u);
  const UrlFate fate = stage.why_not(task, "/logout");
  EXPECT_EQ(fate.reason, Reason::prefetch);
  EXPECT_NE(fate.detail.find("logout"), std::string::npos) << fate.detail;
  EXPECT_EQ(stage.why_not(task, "/no").reason, Reason::nofollow);
}

TEST(RobotPrefetch, OtherTasksAreNotUnderTheGuard) {
  RobotStage stage;
  stage.origin.on("/", html("<a href=/logout>bye</a>"));
  stage.origin.on("/logout", html("x"));
  stage.run(stage.spec());
  EXPECT_EQ(stage.origin.count("/logout"), 1u);
  EXPECT_EQ(stage.origin.last("/logout").field("Sec-Purpose"), "");
}

TEST(RobotPrefetch, TheTextOfTheLinkThatLedToTheStartCounts) {
  RobotStage stage;
  stage.origin.on("/a", html("x"));
  TaskSpec spec = ahead(stage, "/a");
  spec.start_texts = {"Unsubscribe"};
  const TaskId task = stage.submit(spec);
  EXPECT_EQ(stage.finish(task).statistics.downloaded, 0u);
  EXPECT_EQ(stage.why_not(task, "/a").reason, Reason::prefetch);
}

TEST(RobotPrefetch, WhoSavesDataGetsNothingAhead) {
  RobotStage stage;
  stage.origin.on("/a", html("x"));
  TaskSpec spec = ahead(stage, "/a");
  spec.save_data = true;
  EXPECT_EQ(stage.run(spec).statistics.downloaded, 0u);
  spec.save_data = false;
  stage.robot().browser_saves_data();  // the browser says so, whatever the task was told
  EXPECT_EQ(stage.run(spec).statistics.downloaded, 0u);
  EXPECT_EQ(stage.origin.count("/a"), 0u);
}

TEST(RobotPrefetch, AQueryThatAPersonHasLoadedSafelyMayBeLoaded) {
  RobotStage stage;
  stage.origin.on("/list?page=2", html("x"));
  EXPECT_EQ(stage.run(ahead(stage, "/list?page=2")).statistics.downloaded, 0u);
  stage.robot().saw_safe_query(stage.origin.url("/list?page=1"));
  EXPECT_EQ(stage.run(ahead(stage, "/list?page=2")).statistics.downloaded, 1u);
}

TEST(RobotPrefetch, TheBudgetOfTheDaySurvivesARestart) {
  RobotStage stage;
  stage.settings.prefetch_per_day = 2;
  stage.close();
  stage.open();
  for (const char* path : {"/a", "/b", "/c"}) stage.origin.on(path, html("x"));
  EXPECT_EQ(stage.run(ahead(stage, "/a")).statistics.downloaded, 1u);
  EXPECT_EQ(stage.run(ahead(stage, "/a")).statistics.cache_hits, 1u) << "the site hears nothing of it: costs nothing";
  EXPECT_EQ(stage.run(ahead(stage, "/b")).statistics.downloaded, 1u);
  stage.close();
  stage.open();
  const TaskId third = stage.submit(ahead(stage, "/c"));
  EXPECT_EQ(stage.finish(third).statistics.downloaded, 0u);
  EXPECT_NE(stage.why_not(third, "/c").detail.find("budget"), std::string::npos);
  EXPECT_EQ(stage.run(stage.spec("/c")).statistics.downloaded, 1u) << "somebody asked for this one";
}

// It counts when the load begins, not only when it is queued.
TEST(RobotPrefetch, WhatWasQueuedBeforeTheBudgetWasSpentIsNotLoaded) {
  RobotStage stage;
  stage.settings.prefetch_per_day = 2;
  stage.concurrency = 1;
  stage.close();
  stage.open();
  stage.origin.on("/", html("<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>"));
  for (const char* path : {"/a", "/b", "/c"}) stage.origin.on(path, html("x"));
  const TaskId task = stage.submit(ahead(stage, "/"));
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(status.statistics.downloaded, 2u);
  EXPECT_EQ(stage.why_not(task, "/c").reason, Reason::prefetch);
}

}  // namespace
}  // namespace outrider::testing
