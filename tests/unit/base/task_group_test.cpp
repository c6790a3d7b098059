#include "base/task_group.hpp"

#include "base/worker_pool.hpp"
#include "tests/support/reactor_fixture.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;

Task<> sleep_for(Reactor& reactor, Duration duration, bool* finished) {
  Timer timer{reactor.executor()};
  timer.expires_after(duration);
  co_await timer.async_wait(as_result);
  *finished = true;
}

Task<bool> join(TaskGroup& group, Duration limit) {
  co_return co_await group.join(Deadline::after(limit));
}

TEST(TaskGroup, Join_WaitsForEveryTask) {
  Reactor reactor;
  TaskGroup group{reactor.executor()};
  bool first = false;
  bool second = false;
  group.spawn(sleep_for(reactor, 1ms, &first), "first");
  group.spawn(sleep_for(reactor, 20ms, &second), "second");
  EXPECT_EQ(group.active(), 2U);
  EXPECT_TRUE(run_task(reactor, join(group, 5s)));
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
  EXPECT_EQ(group.active(), 0U);
}

TEST(TaskGroup, Cancel_EndsTasksThatWouldWaitForEver) {
  Reactor reactor;
  TaskGroup group{reactor.executor()};
  bool finished = false;
  group.spawn(sleep_for(reactor, 1h, &finished), "sleeper");
  reactor.post([&] { group.cancel(); });
  EXPECT_TRUE(run_task(reactor, join(group, 5s)));
}

TEST(TaskGroup, Join_GivesUpAtTheDeadline) {
  Reactor reactor;
  TaskGroup group{reactor.executor()};
  bool finished = false;
  group.spawn(sleep_for(reactor, 1h, &finished), "sleeper");
  EXPECT_FALSE(run_task(reactor, join(group, 10ms)));
  EXPECT_EQ(group.active(), 1U);
}

Task<> throws() {
  throw std::runtime_error("a bug");
  co_return;
}

std::string g_reported;
void report(std::string_view what, std::string_view message) {
  g_reported = std::string{what} + ": " + std::string{message};
}

TEST(TaskGroup, Exception_IsReportedAndHurtsNobodyElse) {
  Reactor reactor;
  TaskGroup::set_report(report);
  TaskGroup group{reactor.executor()};
  bool finished = false;
  group.spawn(throws(), "faulty");
  group.spawn(sleep_for(reactor, 5ms, &finished), "healthy");
  EXPECT_TRUE(run_task(reactor, join(group, 5s)));
  EXPECT_TRUE(finished);
  EXPECT_EQ(g_reported, "faulty: a bug");
}

TEST(TaskGroup, TasksMayOutliveTheGroupObject) {
  Reactor reactor;
  bool finished = false;
  auto group = std::make_unique<TaskGroup>(reactor.executor());
  group->spawn(sleep_for(reactor, 1h, &finished), "sleeper");
  reactor.post([&] { group.reset(); });
  reactor.run();  // ends: the destructor has cancelled the task
  EXPECT_TRUE(finished);
}

TEST(TaskGroup, DestroyedBesideAStoppedReactor_TouchesNothing) {
  bool finished = false;
  auto reactor = std::make_unique<Reactor>();
  {
    TaskGroup group{reactor->executor()};
    group.spawn(sleep_for(*reactor, 1h, &finished), "sleeper");
    reactor->context().poll();
  }
  reactor.reset();  // the task goes with it
  EXPECT_FALSE(finished);
}

Task<Result<std::thread::id>> where(WorkerPool& pool, std::thread::id* resumed_on) {
  auto work = [] { return std::this_thread::get_id(); };
  Result<std::thread::id> id = co_await pool.run(std::move(work));
  *resumed_on = std::this_thread::get_id();
  co_return id;
}

TEST(WorkerPool, RunsElsewhere_ResumesAtHome) {
  Reactor reactor;
  WorkerPool pool{2, 8};
  std::thread::id resumed_on;
  const Result<std::thread::id> worked_on = run_task(reactor, where(pool, &resumed_on));
  ASSERT_TRUE(worked_on.has_value());
  EXPECT_NE(*worked_on, std::this_thread::get_id());
  EXPECT_EQ(resumed_on, std::this_thread::get_id());
  EXPECT_EQ(pool.queued(), 0U);
}

Task<Result<int>> fails(WorkerPool& pool) {
  auto work = []() -> Result<int> { return Error{ErrorKind::io, Side::self, "no"}; };
  co_return co_await pool.run(std::move(work));
}

Task<Result<int>> throws_in_pool(WorkerPool& pool) {
  auto work = []() -> int { throw std::runtime_error("broken"); };
  co_return co_await pool.run(std::move(work));
}

TEST(WorkerPool, FailuresAndExceptions_ArriveAtTheCaller) {
  Reactor reactor;
  WorkerPool pool{1, 8};
  const Result<int> failed = run_task(reactor, fails(pool));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, ErrorKind::io);
  EXPECT_THROW(run_task(reactor, throws_in_pool(pool)), std::runtime_error);
}

Task<Result<int>> waits(WorkerPool& pool, std::atomic<bool>* release) {
  auto work = [release] {
    while (!*release) std::this_thread::sleep_for(1ms);
    return 1;
  };
  co_return co_await pool.run(std::move(work));
}

Task<> occupy(WorkerPool& pool, std::atomic<bool>* release) {
  co_await waits(pool, release);
}

TEST(WorkerPool, FullQueue_IsBusyAtOnce) {
  Reactor reactor;
  WorkerPool pool{1, 1};
  std::atomic<bool> release = false;
  TaskGroup group{reactor.executor()};
  group.spawn(occupy(pool, &release), "first");
  const Result<int> second = run_task(reactor, waits(pool, &release));
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind, ErrorKind::busy);
  EXPECT_TRUE(second.error().retry_safe);
  release = true;
  EXPECT_TRUE(run_task(reactor, join(group, 5s)));
}

}  // namespace
}  // namespace outrider
