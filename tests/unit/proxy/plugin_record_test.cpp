#include "proxy/plugin_record.hpp"

#include "base/reactor.hpp"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>

#include <latch>
#include <list>
#include <stdexcept>
#include <vector>

namespace outrider {
namespace {

using namespace std::chrono_literals;

struct Quiet final : Plugin {
  PluginInfo info() const override { return {"quiet", "Quiet", "1", "Does nothing.", {}}; }
};

struct PluginRecordTest : ::testing::Test {
  void fail(int times) {
    for (int i = 0; i < times; ++i) record.threw("on_page", "broken");
  }
  // Asks for an answer in the plugin's thread, and waits for it or for the end of patience.
  template <class Work>
  bool answers(Work work) {
    Reactor& reactor = reactors.emplace_back();
    bool answered = false;
    auto ask = [](PluginRecord& of, Executor home, Work todo, bool& out) -> Task<> {
      const std::optional<int> got = co_await of.answer(home, "on_document", std::move(todo));
      out = got.has_value();
    };
    asio::co_spawn(reactor.executor(), ask(record, reactor.executor(), std::move(work), answered),
                   [&](const std::exception_ptr&) { reactor.stop(); });
    const auto guard = asio::make_work_guard(reactor.context());
    reactor.run();
    return answered;
  }

  std::list<Reactor> reactors;  // an answer that comes late still finds its own
  Metrics metrics;
  FakeClock clock;
  PluginRecord record{std::make_shared<Quiet>(), "built in", true, {1s, 100ms, &clock}, metrics};
};

TEST_F(PluginRecordTest, ThirdFailure_SetsItAside) {
  fail(2);
  EXPECT_TRUE(record.running());
  fail(1);
  EXPECT_FALSE(record.running());
}

// What waits in line when it fails for the last time is not done by it any more.
TEST_F(PluginRecordTest, SetAside_IsCalledOnlyToBeConfiguredAndToStop) {
  std::vector<std::string> called;
  const auto call = [&called](std::string name) { return [&called, name] { called.push_back(name); }; };
  std::latch go{1}, done{1};
  record.lane().post([&] {
    go.wait();
    for (int i = 0; i < 3; ++i) record.guarded("on_timer", [] { throw std::runtime_error("broken"); });
  });
  record.lane().post([&] { EXPECT_FALSE(record.guarded("on_node", call("on_node"))); });
  record.lane().post([&] {
    EXPECT_TRUE(record.guarded_even_aside("configure", call("configure")));
    EXPECT_TRUE(record.guarded_even_aside("stop", call("stop")));
    done.count_down();
  });
  go.count_down();
  done.wait();
  EXPECT_EQ(called, (std::vector<std::string>{"configure", "stop"}));
  EXPECT_EQ(record.report().calls, 5U);
  record.bring_back();
  EXPECT_TRUE(record.guarded("on_node", call("on_node")));
  record.never_started();
  EXPECT_FALSE(record.guarded_even_aside("stop", call("stop")));
}

TEST_F(PluginRecordTest, FailuresOfLongAgo_CountNoMore) {
  fail(2);
  clock.advance(PluginRecord::kForgotten);
  fail(2);
  EXPECT_TRUE(record.running());
  clock.advance(PluginRecord::kForgotten - 1s);
  fail(1);
  EXPECT_FALSE(record.running());
}

TEST_F(PluginRecordTest, WorkThatWaits_IsAFailure) {
  const auto free = std::make_shared<std::latch>(1);
  EXPECT_FALSE(answers([free] {
    free->wait();
    return 1;
  }));
  EXPECT_EQ(record.report().overruns, 1U);
  free->count_down();
}

// Others have asked for much before: that is nothing that this call could help.
TEST_F(PluginRecordTest, WorkThatWasInLine_IsNone) {
  const auto free = std::make_shared<std::latch>(1);
  record.lane().post([free] { free->wait(); });
  EXPECT_FALSE(answers([] { return 1; }));
  EXPECT_EQ(record.report().overruns, 0U);
  free->count_down();
  EXPECT_TRUE(answers([] { return 1; }));
}

}  // namespace
}  // namespace outrider
