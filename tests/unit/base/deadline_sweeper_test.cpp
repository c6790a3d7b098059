#include "base/deadline_sweeper.hpp"

#include "base/reactor.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace outrider {
namespace {

using namespace std::chrono_literals;

struct Watch : Watched {
  explicit Watch(std::function<void()> action) : act(std::move(action)) {}
  void on_deadline() override { act(); }
  std::function<void()> act;
};

TEST(DeadlineSweeper, FiresOnceWhenTheTimeHasCome) {
  FakeClock clock;
  Reactor reactor{clock};
  int fired = 0;
  Watch watch{[&] { ++fired; }};
  reactor.sweeper().watch(watch);
  watch.set_deadline(reactor.sweeper().in(10s));
  clock.advance(9s);
  reactor.sweeper().sweep();
  EXPECT_EQ(fired, 0);
  clock.advance(1s);
  reactor.sweeper().sweep();
  reactor.sweeper().sweep();
  EXPECT_EQ(fired, 1);
  EXPECT_TRUE(watch.deadline().is_never());
}

TEST(DeadlineSweeper, WallClockJumps_DoNotMatter) {
  FakeClock clock;
  Reactor reactor{clock};
  int fired = 0;
  Watch watch{[&] { ++fired; }};
  reactor.sweeper().watch(watch);
  watch.set_deadline(reactor.sweeper().in(10s));
  clock.set(clock.now() + std::chrono::hours{24 * 3650});
  reactor.sweeper().sweep();
  clock.set(clock.now() - std::chrono::hours{24 * 7300});
  reactor.sweeper().sweep();
  EXPECT_EQ(fired, 0);
}

// Whoever runs out of time may take others along, itself included.
TEST(DeadlineSweeper, WatchedMayDestroyEachOther) {
  FakeClock clock;
  Reactor reactor{clock};
  std::vector<std::unique_ptr<Watch>> all;
  int fired = 0;
  for (int i = 0; i < 4; ++i) {
    all.push_back(std::make_unique<Watch>([&] {
      ++fired;
      all.clear();
    }));
    reactor.sweeper().watch(*all.back());
    all.back()->set_deadline(Deadline{clock.steady()});
  }
  reactor.sweeper().sweep();
  EXPECT_EQ(fired, 1);
  EXPECT_TRUE(all.empty());
}

TEST(DeadlineSweeper, OneForWhomThereIsNoMemory_DoesNotTakeTheOthersTurn) {
  FakeClock clock;
  Reactor reactor{clock};
  int tries = 0, fired = 0;
  Watch poor{[&] {
    if (++tries == 1) throw std::bad_alloc{};
  }};
  Watch other{[&] { ++fired; }};
  for (Watch* watch : {&poor, &other}) {
    reactor.sweeper().watch(*watch);
    watch->set_deadline(Deadline{clock.steady()});
  }
  reactor.sweeper().sweep();
  EXPECT_EQ(fired, 1);
  reactor.sweeper().sweep();
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(fired, 1);
}

}  // namespace
}  // namespace outrider
