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

// Their number is bounded elsewhere; a robots.txt may have half a megabyte.
TEST(RobotHosts, RulesThatWereLetGoAreReadFromDisk) {
  RobotStage stage;
  stage.close();
  stage.lab_hosts.clear();
  stage.allow_private = true;
  stage.most_rules_bytes = 1;
  stage.settings.min_gap = stage.settings.address_gap = std::chrono::milliseconds{1};
  stage.settings.latency_factor = 0;
  stage.open();
  ScriptedOrigin other;
  const std::string rules = page("User-agent: *\nDisallow: /private\n", "Content-Type: text/plain\r\n");
  for (ScriptedOrigin* each : {&stage.origin, &other}) {
    each->on("/robots.txt", rules);
    each->on("/", html("<a href=/private>x</a>"));
  }
  for (int i = 0; i < 3; ++i) {
    TaskSpec spec = stage.spec();
    EXPECT_EQ(stage.run(spec).statistics.filtered, 1u);
    spec.start = {other.url("/")};
    EXPECT_EQ(stage.run(spec).statistics.filtered, 1u);
  }
  EXPECT_EQ(stage.origin.count("/robots.txt"), 1u);
  EXPECT_EQ(other.count("/robots.txt"), 1u);
}

}  // namespace
}  // namespace outrider::testing
