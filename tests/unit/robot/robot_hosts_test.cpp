// What has to be known of a host first, and who waits for that.
#include "tests/support/robot_stage.hpp"

namespace outrider::testing {
namespace {

bool eventually(const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return true;
}

TEST(RobotHosts, WhoWaitsForAHostsPaceDoesNotKeepOthersFromLearning) {
  RobotStage stage;
  stage.close();
  stage.lab_hosts.clear();
  stage.allow_private = true;
  stage.concurrency = 1;
  stage.settings.min_gap = std::chrono::hours{1};
  stage.settings.address_gap = std::chrono::milliseconds{1};
  stage.open();
  ScriptedOrigin other;
  stage.origin.on("/", html("x"));
  TaskSpec spec = stage.spec();
  spec.obey_robots = false;
  stage.run(spec);  // from now on the host has to be left alone
  stage.submit(stage.spec("/second"));
  spec.start = {other.url("/")};
  spec.obey_robots = true;
  stage.submit(spec);
  EXPECT_TRUE(eventually([&] { return other.count("/robots.txt") == 1; }));
  EXPECT_EQ(stage.origin.count("/robots.txt"), 0u);
}

}  // namespace
}  // namespace outrider::testing
