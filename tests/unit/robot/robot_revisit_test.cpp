// Pages are looked at again: at a fixed interval, and by how often they change.
#include "robot/revisit.hpp"

#include "tests/support/robot_stage.hpp"

namespace outrider::testing {
namespace {

bool eventually(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return true;
}

TEST(RobotRevisit, PagesAreLookedAtAgainAndNewLinksAreFollowed) {
  RobotStage stage;
  std::atomic<int> looks = 0;
  stage.origin.on("/", [&](const ScriptedOrigin::Request&) {
    return page(
        ++looks < 2 ? "nothing" : "<a href=/new>new</a>",
        "Content-Type: text/html\r\nCache-Control: max-age=3600\r\nETag: \"" + std::to_string(looks) + "\"\r\n");
  });
  stage.origin.on("/new", html("x"));
  TaskSpec spec = stage.spec();
  spec.revisit = true;
  spec.revisit_every = std::chrono::seconds{1};
  const TaskId task = stage.submit(spec);
  EXPECT_TRUE(eventually([&] { return stage.origin.count("/new") >= 1 && stage.origin.count("/") >= 3; }));
  const Result<TaskStatus> status = stage.robot().status(task);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->state, TaskState::running) << "it never finishes by itself";
  EXPECT_TRUE(status->statistics.holds());
  EXPECT_EQ(status->statistics.pages, 2u) << "pages, not looks";
  EXPECT_NE(stage.origin.last("/").field("If-None-Match"), "") << "it asks whether it has changed";
  EXPECT_TRUE(stage.robot().stop(task));
}

TEST(RobotRevisit, APageThatRedirectedOnceIsLookedAtAgain) {
  RobotStage stage;
  std::atomic<int> looks = 0;
  stage.origin.on("/", [&](const ScriptedOrigin::Request&) {
    return ++looks == 2 ? redirect_to("/elsewhere") : page("x", "Content-Type: text/html\r\n");
  });
  stage.origin.on("/elsewhere", html("x"));
  TaskSpec spec = stage.spec();
  spec.revisit = true;
  spec.revisit_every = std::chrono::seconds{1};
  const TaskId task = stage.submit(spec);
  EXPECT_TRUE(eventually([&] { return looks >= 4; }));
  EXPECT_TRUE(stage.robot().stop(task));
}

TEST(RobotRevisit, PlannedLooksSurviveARestart) {
  RobotStage stage;
  stage.origin.on("/", html("x"));
  TaskSpec spec = stage.spec();
  spec.revisit = true;
  spec.revisit_every = std::chrono::seconds{1};
  stage.submit(spec);
  ASSERT_TRUE(eventually([&] { return stage.origin.count("/") >= 1; }));
  stage.close();
  const std::size_t before = stage.origin.count("/");
  stage.open();
  EXPECT_TRUE(eventually([&] { return stage.origin.count("/") > before; }));
}

// By the looks that the memory knows of, which are the browser's as well: robot/revisit.hpp.
TEST(RobotRevisit, APageThatDoesNotChangeIsNotDueBeforeItsTime) {
  RobotStage stage;
  stage.origin.on("/", html("x"));
  TaskSpec spec = stage.spec();
  spec.revisit = true;
  const TaskId task = stage.submit(spec);
  ASSERT_TRUE(eventually([&] {
    const Result<TaskStatus> status = stage.robot().status(task);
    return status && status->statistics.downloaded == 1;
  }));
  stage.close();  // and everything that would be due has been looked at once more
  stage.open();
  stage.run(stage.spec("/other"));
  EXPECT_EQ(stage.origin.count("/"), 1u);
}

TEST(RobotRevisit, RepeatAndRevisitExcludeEachOther) {
  RobotStage stage;
  TaskSpec spec = stage.spec();
  spec.revisit = true;
  spec.repeat = std::chrono::seconds{10};
  EXPECT_FALSE(stage.robot().submit(spec));
}

}  // namespace
}  // namespace outrider::testing
