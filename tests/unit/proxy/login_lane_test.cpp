#include "proxy/login_lane.hpp"

#include "tests/support/reactor_fixture.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

namespace outrider {
namespace {

using Verdict = LoginLane::Verdict;
using namespace std::chrono_literals;

struct LoginLaneTest : ::testing::Test {
  WorkerPool workers{4, 1024};
  LoginLane lane{2, 8};
  Reactor reactor;
  std::vector<Verdict> verdicts;
  std::atomic<int> checks{0};
  std::atomic<int> inside{0};
  std::atomic<int> most_inside{0};

  LoginLane::Check slow(Verdict verdict, Duration how_long = 10ms) {
    return [this, verdict, how_long] {
      ++checks;
      int now = ++inside;
      for (int most = most_inside; now > most && !most_inside.compare_exchange_weak(most, now);) {
      }
      std::this_thread::sleep_for(how_long);
      --inside;
      return verdict;
    };
  }
  void start(std::uint64_t key, LoginLane::Check check) {
    asio::co_spawn(reactor.executor(), one(Digest128{key, key}, std::move(check)), [](std::exception_ptr e) {
      if (e) std::rethrow_exception(e);
    });
  }
  Task<> one(Digest128 key, LoginLane::Check check) {
    const Verdict verdict = co_await lane.run(key, std::move(check), workers);
    verdicts.push_back(verdict);
  }
  long count(Verdict verdict) const { return std::count(verdicts.begin(), verdicts.end(), verdict); }
};

TEST_F(LoginLaneTest, SameCredentialsAtOnce_AreCheckedOnce) {
  for (int i = 0; i < 6; ++i) start(1, slow(Verdict::right));
  reactor.run();
  EXPECT_EQ(checks, 1);
  EXPECT_EQ(count(Verdict::right), 6);
}

TEST_F(LoginLaneTest, NoMoreThanTwoAtATime_TheOthersWaitTheirTurn) {
  for (std::uint64_t key = 1; key <= 8; ++key) start(key, slow(key % 2 == 0 ? Verdict::right : Verdict::wrong));
  reactor.run();
  EXPECT_EQ(checks, 8);
  EXPECT_EQ(most_inside, 2);
  EXPECT_EQ(count(Verdict::right), 4);
  EXPECT_EQ(count(Verdict::wrong), 4);
}

TEST_F(LoginLaneTest, TooManyWaiting_AreSentAway) {
  for (std::uint64_t key = 1; key <= 20; ++key) start(key, slow(Verdict::right));
  reactor.run();
  EXPECT_EQ(count(Verdict::right), 2 + 8);
  EXPECT_EQ(count(Verdict::busy), 10);
  verdicts.clear();
  reactor.context().restart();
  start(99, slow(Verdict::right));
  reactor.run();
  EXPECT_EQ(count(Verdict::right), 1) << "places are free again";
}

TEST_F(LoginLaneTest, ThrowingCheck_GivesItsPlaceBack) {
  for (int round = 0; round < 3; ++round) {
    asio::co_spawn(reactor.executor(),
                   lane.run(
                       Digest128{7, 7},
                       [this]() -> Verdict {
                         ++checks;
                         throw std::runtime_error("x");
                       },
                       workers),
                   [](std::exception_ptr e, Verdict) { EXPECT_NE(e, nullptr); });
    start(7, slow(Verdict::right));
    reactor.context().restart();
    reactor.run();
    EXPECT_EQ(verdicts.back(), Verdict::busy) << "who shared the check is told that there was none";
  }
  start(7, slow(Verdict::right));
  reactor.context().restart();
  reactor.run();
  EXPECT_EQ(verdicts.back(), Verdict::right);
}

// A client that leaves takes neither the others' turn nor their answer with it.
TEST_F(LoginLaneTest, AbandonedWaiters_KeepNobodyWaiting) {
  TaskGroup leaving{reactor.executor()};
  start(1, slow(Verdict::right, 50ms));
  start(2, slow(Verdict::right, 50ms));
  reactor.context().poll();
  leaving.spawn(one(Digest128{3, 3}, slow(Verdict::right)), "queued leader");
  leaving.spawn(one(Digest128{1, 1}, slow(Verdict::right)), "follower");
  reactor.context().poll();
  start(3, slow(Verdict::right));  // follows the leader that is about to leave
  reactor.context().poll();
  leaving.cancel();
  reactor.context().restart();
  reactor.run();
  EXPECT_EQ(leaving.active(), 0U);
  EXPECT_EQ(count(Verdict::right), 2);
  EXPECT_EQ(count(Verdict::busy), 1) << "the follower of a leader that left";
  EXPECT_EQ(checks, 2);
  verdicts.clear();
  for (std::uint64_t key = 10; key < 20; ++key) start(key, slow(Verdict::right, 1ms));
  reactor.context().restart();
  reactor.run();
  EXPECT_EQ(count(Verdict::right), 10) << "all places and waiting places are free again";
}

TEST_F(LoginLaneTest, SeveralReactors_ShareTheLane) {
  constexpr int kThreads = 4;
  std::atomic<int> right{0};
  std::latch ready{kThreads};
  std::vector<std::thread> threads;
  LoginLane wide{2, 1000};
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      Reactor own;
      for (std::uint64_t key = 0; key < 20; ++key)
        asio::co_spawn(own.executor(), wide.run(Digest128{key, key}, slow(Verdict::right, 1ms), workers),
                       [&right](std::exception_ptr, Verdict verdict) { right += verdict == Verdict::right; });
      ready.arrive_and_wait();
      own.run();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 80);
  EXPECT_LE(most_inside, 2);
  EXPECT_LE(checks, 80);
}

}  // namespace
}  // namespace outrider
