// The disk is full for a while: nothing is lost, counted twice or told twice.
#include "tests/support/robot_stage.hpp"

#include <fmt/format.h>

#include <sys/resource.h>
#include <csignal>

#include <algorithm>

namespace outrider::testing {
namespace {

// No file of this process can grow.
class FullDisk {
 public:
  FullDisk() {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit none = before_;
    none.rlim_cur = 1;
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(RobotDisk, ATaskWaitsUntilItsResultsCanBeWritten) {
  RobotStage stage;
  Gate gate;
  std::string links;
  for (int i = 0; i < 20; ++i) links += fmt::format("<a href=/{}>x</a>", i);
  stage.origin.on("/", [&](const ScriptedOrigin::Request&) {
    gate.wait();
    return html(links);
  });
  for (int i = 0; i < 20; ++i) stage.origin.on(fmt::format("/{}", i), html("x"));
  const TaskId task = stage.submit(stage.spec());
  while (stage.origin.count("/") == 0) std::this_thread::yield();
  {
    const FullDisk full;
    gate.open();
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    Result<TaskStatus> status = stage.robot().status(task);
    while (status && status->state == TaskState::running && std::chrono::steady_clock::now() < until)
      status = stage.robot().status(task);
    ASSERT_TRUE(status);
    EXPECT_EQ(status->state, TaskState::paused);
    EXPECT_NE(status->why, "");
    EXPECT_EQ(status->statistics.pending, 1u);
    EXPECT_TRUE(stage.pages().empty());
  }
  stage.close();  // some errors a database gets over only with a new start
  stage.open();
  const TaskStatus done = stage.finish(task);
  EXPECT_EQ(done.state, TaskState::finished);
  EXPECT_EQ(done.statistics.queued, 21u);
  EXPECT_EQ(done.statistics.pages, 21u);
  auto pages = stage.pages();
  std::sort(pages.begin(), pages.end());
  EXPECT_EQ(pages.size(), 21u);
  EXPECT_EQ(std::adjacent_find(pages.begin(), pages.end()), pages.end());
}

}  // namespace
}  // namespace outrider::testing
