#include "base/alertness.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kClient = 7, kOrigin = 8;

void take_turns(Alertness& alertness, unsigned times, Duration after = 20us) {
  for (unsigned i = 0; i < times; ++i) alertness.heard(i % 2 == 0 ? kClient : kOrigin, after);
}

TEST(Alertness, TwoWhoTakeQuickTurns_KeepItAwake) {
  Alertness alertness;
  EXPECT_FALSE(alertness.awake());
  take_turns(alertness, 2 + Alertness::kEnough - 1);
  EXPECT_FALSE(alertness.awake());
  take_turns(alertness, 1);
  EXPECT_TRUE(alertness.awake());
}

TEST(Alertness, WhoLetsUsWait_LetsItSleep) {
  Alertness alertness;
  take_turns(alertness, 2 + Alertness::kEnough);
  alertness.heard(kClient, 2 * Alertness::kAwake);
  EXPECT_FALSE(alertness.awake());
  take_turns(alertness, 100, 2 * Alertness::kAwake);
  EXPECT_FALSE(alertness.awake());
}

// With many there is always something to do, and sleep in between is well earned.
TEST(Alertness, ACrowdLetsItSleep) {
  Alertness alertness;
  for (std::uint64_t i = 0; i < 1000; ++i) alertness.heard(i % 5, 1us);
  EXPECT_FALSE(alertness.awake());
  take_turns(alertness, 100);
  EXPECT_TRUE(alertness.awake());
  alertness.heard_several();
  EXPECT_FALSE(alertness.awake());
}

TEST(Alertness, InVain_ItTakesTwiceAsMuchToBeBelieved_AndSuccessHelps) {
  Alertness alertness;
  take_turns(alertness, 2 + Alertness::kEnough);
  alertness.in_vain();
  take_turns(alertness, 2 * Alertness::kEnough - 1);
  EXPECT_FALSE(alertness.awake());
  take_turns(alertness, 1);
  EXPECT_TRUE(alertness.awake());
  take_turns(alertness, 1);  // it came while we were awake
  alertness.heard_several();
  take_turns(alertness, Alertness::kEnough);
  EXPECT_TRUE(alertness.awake());
}

void wait_in_vain(Alertness& alertness) {
  alertness.in_vain();
  alertness.heard(kClient, 10 * Alertness::kAwake);
}

// Somebody else had the processor for a moment: no reason to be slow to those who were quick all the time.
TEST(Alertness, InVainNowAndThen_ItStaysAwake) {
  Alertness alertness;
  take_turns(alertness, 2 + Alertness::kEnough);
  for (int i = 0; i < 100; ++i) {
    take_turns(alertness, Alertness::kPardon);
    EXPECT_TRUE(alertness.awake());
    wait_in_vain(alertness);
    EXPECT_TRUE(alertness.awake());
  }
}

TEST(Alertness, InVainSeveralTimesInARow_ItSleeps) {
  Alertness alertness;
  take_turns(alertness, 10000);
  for (unsigned i = 0; i < Alertness::kMostSaved / Alertness::kPardon; ++i) wait_in_vain(alertness);
  EXPECT_TRUE(alertness.awake());
  wait_in_vain(alertness);
  EXPECT_FALSE(alertness.awake());
  take_turns(alertness, 2 * Alertness::kEnough - 1);
  EXPECT_FALSE(alertness.awake());
}

TEST(Alertness, HoweverOftenInVain_ItRecovers) {
  Alertness alertness;
  for (int i = 0; i < 100; ++i) alertness.in_vain();
  take_turns(alertness, Alertness::kMostNeeded + 3);
  EXPECT_TRUE(alertness.awake());
}

}  // namespace
}  // namespace outrider
