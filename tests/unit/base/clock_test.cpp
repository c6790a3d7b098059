#include "base/clock.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;

TEST(FakeClock, StandsStillUntilAdvanced) {
  FakeClock clock;
  const auto wall = clock.now();
  const auto steady = clock.steady();
  EXPECT_EQ(clock.now(), wall);
  clock.advance(90s);
  EXPECT_EQ(clock.now() - wall, 90s);
  EXPECT_EQ(clock.steady() - steady, 90s);
}

TEST(FakeClock, ChangedWallClock_DoesNotMoveSteadyTime) {
  FakeClock clock;
  const auto steady = clock.steady();
  clock.set(clock.now() - 24h * 3650);
  EXPECT_EQ(clock.steady(), steady);
}

TEST(SystemClock, SteadyTimeNeverGoesBack) {
  const auto before = Clock::system().steady();
  EXPECT_GE(Clock::system().steady(), before);
}

TEST(Deadline, Default_NeverPasses) {
  FakeClock clock;
  const Deadline deadline;
  clock.advance(24h * 36500);
  EXPECT_TRUE(deadline.is_never());
  EXPECT_FALSE(deadline.passed(clock));
}

TEST(Deadline, PassesExactlyAtItsTime) {
  FakeClock clock;
  const auto deadline = Deadline::after(10s, clock);
  clock.advance(10s - 1ns);
  EXPECT_FALSE(deadline.passed(clock));
  clock.advance(1ns);
  EXPECT_TRUE(deadline.passed(clock));
}

TEST(Deadline, IsNotMovedByTheWallClock) {
  FakeClock clock;
  const auto deadline = Deadline::after(10s, clock);
  clock.set(clock.now() + 24h * 3650);
  EXPECT_FALSE(deadline.passed(clock));
}

TEST(Deadline, SoonerOf_IsTheEarlierOne_EvenAgainstNever) {
  FakeClock clock;
  const auto soon = Deadline::after(1s, clock);
  const auto late = Deadline::after(1min, clock);
  EXPECT_EQ(soon.sooner_of(late).at(), soon.at());
  EXPECT_EQ(late.sooner_of(soon).at(), soon.at());
  EXPECT_EQ(Deadline::never().sooner_of(late).at(), late.at());
  EXPECT_TRUE(Deadline::never().sooner_of(Deadline::never()).is_never());
}

}  // namespace
}  // namespace outrider
