// Who is next: fairness between tasks, what overtakes, and the order by worth.
#include "tests/support/robot_stage.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider::testing {
namespace {

using Paths = std::vector<std::string>;

// One page with very many links, and a small task that comes later: it is served in turn, not behind them.
TEST(RobotSchedule, ATaskWithManyLinksDoesNotStarveAnother) {
  RobotStage stage;
  stage.concurrency = 1;
  stage.close();
  stage.open();
  Gate gate;
  std::string many;
  for (int i = 0; i < 2000; ++i) many += fmt::format("<a href=/many/{}>x</a>", i);
  stage.origin.on("/many/", html(many));
  for (int i = 0; i < 2000; ++i) stage.origin.on(fmt::format("/many/{}", i), html("x"));
  for (int i = 0; i < 10; ++i)
    stage.origin.on(fmt::format("/few/{}", i), html(fmt::format("<a href=/few/{}>next</a>", i + 1)));
  stage.origin.on("/many/0", [&gate](const ScriptedOrigin::Request&) {
    gate.wait();  // until the second task is there
    return html("x");
  });
  stage.origin.on("/few/10", html("end"));
  const TaskId big = stage.submit(stage.spec("/many/"));
  const TaskId small = stage.submit(stage.spec("/few/0"));
  gate.open();
  EXPECT_EQ(stage.finish(small).statistics.downloaded, 11u);
  // Turn by turn: when the small one had its 11 pages, the big one had about as many.
  const auto pages = stage.pages();
  const auto end = std::find(pages.begin(), pages.end(), "/few/10");
  const auto others =
      std::count_if(pages.begin(), end, [](const std::string& path) { return path.starts_with("/many/"); });
  EXPECT_LE(others, 11 + 3);
  EXPECT_TRUE(stage.robot().remove(big));
}

// What a task of little priority pays for its turn is not what one that comes later has to wait for.
TEST(RobotSchedule, ATaskThatComesLaterBeginsWhereTheOthersAre) {
  RobotStage stage;
  stage.concurrency = 1;
  stage.close();
  stage.open();
  Gate second_is_there, third_is_there;
  std::string many;
  for (int i = 0; i < 200; ++i) many += fmt::format("<a href=/many/{}>x</a>", i);
  stage.origin.on("/many/", html(many));
  for (int i = 0; i < 200; ++i) stage.origin.on(fmt::format("/many/{}", i), html("x"));
  stage.origin.on("/many/0", [&](const ScriptedOrigin::Request&) {
    second_is_there.wait();
    return html("x");
  });
  stage.origin.on("/low/0", [&](const ScriptedOrigin::Request&) {
    third_is_there.wait();
    return html("<a href=/low/1>x</a>");
  });
  stage.origin.on("/low/1", html("x"));
  for (int i = 0; i < 5; ++i)
    stage.origin.on(fmt::format("/few/{}", i), html(fmt::format("<a href=/few/{}>next</a>", i + 1)));
  stage.origin.on("/few/5", html("end"));
  const TaskId big = stage.submit(stage.spec("/many/"));
  TaskSpec low = stage.spec("/low/0");
  low.priority = -10;
  stage.submit(low);
  second_is_there.open();
  while (stage.origin.count("/low/0") == 0) std::this_thread::yield();
  const TaskId small = stage.submit(stage.spec("/few/0"));
  third_is_there.open();
  EXPECT_EQ(stage.finish(small).statistics.downloaded, 6u);
  const auto pages = stage.pages();
  const auto end = std::find(pages.begin(), pages.end(), "/few/5");
  const auto others =
      std::count_if(pages.begin(), end, [](const std::string& path) { return path.starts_with("/many/"); });
  EXPECT_LE(others, 6 + 5);
  EXPECT_TRUE(stage.robot().remove(big));
}

// An origin that answers in rounds: nobody before so many ask at the same time.
class Rounds {
 public:
  explicit Rounds(std::size_t of) : of_(of) {}
  std::size_t arrive() {  // the number of the round
    std::unique_lock lock(mutex_);
    const std::size_t mine = round_;
    if (++waiting_ == of_) {
      waiting_ = 0;
      ++round_;
      changed_.notify_all();
    } else {
      changed_.wait_for(lock, std::chrono::minutes{1}, [&] { return round_ != mine || over_; });
    }
    return mine;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t of_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0, round_ = 0;
  bool over_ = false;
};

// "Two tasks, one with a 10,000-link page: the small task finishes as if alone (≤ 1.3×)": a chain of pages, each of
// which can be asked for only after the one before it, needs as many rounds of requests as alone.
TEST(RobotSchedule, BesideATaskWithTenThousandLinksAChainOfPagesTakesAsManyRoundsAsAlone) {
  constexpr std::size_t kChain = 20;
  constexpr std::size_t kAtOnce = 8;
  Rounds rounds{kAtOnce};
  std::atomic<std::size_t> first = 0, last = 0;
  RobotStage stage;  // its origin's threads use those above
  stage.concurrency = kAtOnce;
  stage.close();
  stage.open();
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += fmt::format("<a href=/many/{}>x</a>", i);
  stage.origin.on("/many/", html(many));
  for (int i = 0; i < 1000; ++i)
    stage.origin.on(fmt::format("/many/{}", i), [&rounds](const ScriptedOrigin::Request&) {
      rounds.arrive();
      return html("x");
    });
  for (std::size_t i = 0; i < kChain; ++i)
    stage.origin.on(fmt::format("/few/{}", i), [&, i](const ScriptedOrigin::Request&) {
      const std::size_t round = rounds.arrive();
      if (i == 0) first = round;
      last = round;
      return html(i + 1 < kChain ? fmt::format("<a href=/few/{}>next</a>", i + 1) : "end");
    });
  const TaskId big = stage.submit(stage.spec("/many/"));
  while (stage.origin.count("/many/0") == 0) std::this_thread::yield();  // its links are queued
  const TaskId small = stage.submit(stage.spec("/few/0"));
  EXPECT_EQ(stage.finish(small).statistics.downloaded, kChain);
  EXPECT_LE(last - first + 1, kChain * 13 / 10);
  rounds.end();
  EXPECT_TRUE(stage.robot().remove(big));
}

// OPIC: a page shares what it got among its links. /x gets all of /a's, the others a tenth of /b's each.
TEST(RobotSchedule, ByOpicWhatGetsMostOfTheWorthIsNext) {
  for (const LinkScore score : {LinkScore::opic, LinkScore::in_degree}) {
    RobotStage stage;
    stage.concurrency = 1;
    stage.close();
    stage.open();
    std::string ten;
    for (int i = 0; i < 10; ++i) ten += fmt::format("<a href=/y{}>y</a>", i);
    stage.origin.on("/", html("<a href=/b>b</a><a href=/a>a</a>"));
    stage.origin.on("/b", html(ten));
    stage.origin.on("/a", html("<a href=/x>x</a>"));
    stage.origin.on("/x", html("x"));
    for (int i = 0; i < 10; ++i) stage.origin.on(fmt::format("/y{}", i), html("y"));
    TaskSpec spec = stage.spec();
    spec.order = QueueOrder::best_first;
    spec.score = score;
    stage.run(spec);
    const Paths pages = stage.pages();
    ASSERT_EQ(pages.size(), 14u);
    const auto place = [&pages](const char* path) {
      return std::find(pages.begin(), pages.end(), path) - pages.begin();
    };
    if (score == LinkScore::opic) {
      EXPECT_LT(place("/x"), place("/y0"));
    } else {
      EXPECT_GT(place("/x"), place("/y0")) << "all have one link each: the first that was found";
    }
  }
}

TEST(RobotSchedule, WhatSomebodyWaitsForOvertakes) {
  RobotStage stage;
  stage.concurrency = 1;
  stage.close();
  stage.open();
  Gate gate, asked;
  stage.origin.on("/slow", [&](const ScriptedOrigin::Request&) {
    asked.open();
    gate.wait();
    return html("<a href=/more>x</a>");
  });
  stage.origin.on("/more", html("x"));
  stage.origin.on("/now", html("x"));
  const TaskId bulk = stage.submit(stage.spec("/slow"));
  ASSERT_TRUE(asked.wait());  // the only place is taken
  TaskSpec urgent = stage.spec("/now");
  urgent.interactive = true;
  EXPECT_EQ(stage.run(urgent).statistics.downloaded, 1u) << "while the other is still under way";
  gate.open();
  EXPECT_EQ(stage.finish(bulk).statistics.downloaded, 2u);
}

}  // namespace
}  // namespace outrider::testing
