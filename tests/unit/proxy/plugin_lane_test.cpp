#include "proxy/plugin_lane.hpp"

#include "base/reactor.hpp"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include <future>
#include <latch>
#include <thread>

namespace outrider {
namespace {

using namespace std::chrono_literals;

// Runs `work` in the lane on behalf of a coroutine, until that has its answer.
template <class Work>
auto await_in(PluginLane& lane, Work work) {
  using T = std::invoke_result_t<Work>;
  Reactor reactor;
  std::optional<T> answer;
  auto ask = [](PluginLane& there, Executor home, Work todo, std::optional<T>& out) -> Task<> {
    out = co_await there.run(home, std::move(todo));
  };
  asio::co_spawn(reactor.executor(), ask(lane, reactor.executor(), std::move(work), answer),
                 [&](const std::exception_ptr&) { reactor.stop(); });
  const auto guard = asio::make_work_guard(reactor.context());
  reactor.run();
  return answer;
}

TEST(PluginLane, Work_RunsInAnotherThreadAndComesBack) {
  PluginLane lane{"test"};
  const auto where = await_in(lane, [] { return std::this_thread::get_id(); });
  ASSERT_TRUE(where);
  EXPECT_NE(*where, std::this_thread::get_id());
}

TEST(PluginLane, Work_IsDoneInOrder) {
  PluginLane lane{"test"};
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(lane.post([&order, i] { order.push_back(i); }));
  ASSERT_TRUE(await_in(lane, [] { return true; }));
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(PluginLane, Exception_DoesNotEndTheThread) {
  PluginLane lane{"test"};
  lane.post([] { throw 1; });
  EXPECT_TRUE(await_in(lane, [] { return true; }));
}

TEST(PluginLane, WorkThatThrows_AnswersNothing) {
  PluginLane lane{"test"};
  EXPECT_FALSE(await_in(lane, []() -> int { throw 1; }));
}

// HOSTILE: an endless loop in a plugin.
TEST(PluginLane, GivenUp_EverybodyWhoWaitsIsTold) {
  PluginLane lane{"test"};
  auto free = std::make_shared<std::promise<void>>();
  auto hanging = std::make_shared<std::promise<void>>();
  std::latch dropped{2};
  lane.post(
      [free, hanging] {
        hanging->set_value();
        free->get_future().wait();
      },
      [&] { dropped.count_down(); });
  lane.post([] { FAIL() << "it must not be begun any more"; }, [&] { dropped.count_down(); });
  hanging->get_future().wait();
  EXPECT_TRUE(lane.busy_for());
  lane.give_up();
  dropped.wait();
  EXPECT_TRUE(lane.given_up());
  EXPECT_FALSE(lane.post([] {}));
  EXPECT_FALSE(await_in(lane, [] { return true; }));
  EXPECT_FALSE(lane.stop(0s));
  free->set_value();
}

TEST(PluginLane, WhoWaitsTooLong_GoesOnWithoutTheAnswer) {
  Reactor reactor;  // before the lane, which still has an answer for it
  PluginLane lane{"test"};
  const auto free = std::make_shared<std::promise<void>>();
  lane.post([free] { free->get_future().wait(); });
  std::optional<int> answer = 1;
  bool late = false;
  auto ask = [](PluginLane& there, Executor home, std::optional<int>& out, bool& too_late) -> Task<> {
    auto work = [] { return 2; };
    out = co_await there.run(home, work, Deadline::after(0s), &too_late);
  };
  asio::co_spawn(reactor.executor(), ask(lane, reactor.executor(), answer, late),
                 [&](const std::exception_ptr&) { reactor.stop(); });
  const auto guard = asio::make_work_guard(reactor.context());
  reactor.run();
  EXPECT_TRUE(late);
  EXPECT_FALSE(answer);
  free->set_value();
}

TEST(PluginLane, FullLane_TakesNoMore) {
  PluginLane lane{"test"};
  auto free = std::make_shared<std::promise<void>>();
  std::latch begun{1};
  lane.post([&, free] {
    begun.count_down();
    free->get_future().wait();
  });
  begun.wait();
  for (std::size_t i = 0; i < PluginLane::kMostWaiting; ++i) ASSERT_TRUE(lane.post([] {}));
  EXPECT_FALSE(lane.post([] {}));
  free->set_value();
  EXPECT_TRUE(lane.stop(60s));
}

}  // namespace
}  // namespace outrider
