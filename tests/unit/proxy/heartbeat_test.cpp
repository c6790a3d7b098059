#include "proxy/heartbeat.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

struct HeartbeatTest : ::testing::Test {
  Reactor first;
  Reactor second;
  Heartbeat heartbeat{{&first, &second}};

  static void turn(Reactor& reactor) {
    reactor.context().restart();
    reactor.context().poll();
  }
};

TEST_F(HeartbeatTest, AllTurn_ItGoesOn) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(heartbeat.beat());
    turn(first);
    turn(second);
  }
}

TEST_F(HeartbeatTest, OneHangs_ItStopsUntilThatOneTurnsAgain) {
  EXPECT_TRUE(heartbeat.beat());
  turn(first);
  EXPECT_FALSE(heartbeat.beat());
  turn(first);
  EXPECT_FALSE(heartbeat.beat()) << "the others cannot make up for it";
  turn(second);
  EXPECT_TRUE(heartbeat.beat());
}

TEST_F(HeartbeatTest, Question_MayOutliveWhoAsked) {
  {
    Heartbeat gone{{&first}};
    EXPECT_TRUE(gone.beat());
  }
  turn(first);
}

}  // namespace
}  // namespace outrider
