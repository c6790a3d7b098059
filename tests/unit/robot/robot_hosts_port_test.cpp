// What the robot knows of hosts, and what a person may change of it; and that browsers come first.
#include "tests/support/robot_stage.hpp"

namespace outrider::testing {
namespace {

// A stage whose origin is a host like any other: polite, but on this machine.
struct PoliteStage : RobotStage {
  PoliteStage() {
    lab_hosts.clear();
    allow_private = true;
    settings.min_gap = std::chrono::hours{1};
    settings.latency_factor = 0;
    close();
    open();
  }
  std::string host() const { return origin.url(""); }
  RobotHost known() {
    const Result<RobotHost> found = robot().host(origin.url("/"));
    EXPECT_TRUE(found);
    return found ? *found : RobotHost{};
  }
};

TEST(RobotHostsPort, WhatIsKnownOfAHostIsShown) {
  RobotStage stage;
  stage.origin.on("/robots.txt", page("User-agent: *\nCrawl-delay: 7\nSitemap: http://a.example/s.xml\n",
                                      "Content-Type: text/plain\r\n"));
  stage.origin.on("/", html("<a href=/gone>x</a>"));
  EXPECT_FALSE(stage.robot().host(stage.origin.url("/")));
  stage.run(stage.spec());
  const std::vector<RobotHost> hosts = stage.robot().hosts({});
  ASSERT_EQ(hosts.size(), 1u);
  EXPECT_EQ(hosts[0].host, stage.origin.url(""));
  EXPECT_EQ(hosts[0].robots, "rules");
  EXPECT_EQ(hosts[0].robots_status, 200);
  EXPECT_EQ(hosts[0].crawl_delay, std::optional<Duration>{std::chrono::seconds{7}});
  EXPECT_EQ(hosts[0].sitemaps, std::vector<std::string>{"http://a.example/s.xml"});
  EXPECT_EQ(hosts[0].fetched, 1u);
  EXPECT_EQ(hosts[0].failed, 1u);
  EXPECT_EQ(hosts[0].last_error, "status 404");
  RobotHostQuery other;
  other.contains = "nowhere";
  EXPECT_TRUE(stage.robot().hosts(other).empty());
  RobotHostQuery behind;
  behind.after = hosts[0].host;
  EXPECT_TRUE(stage.robot().hosts(behind).empty());
}

TEST(RobotHostsPort, ARobotsTxtIsFetchedAgainOnDemand) {
  RobotStage stage;
  stage.origin.on("/robots.txt", page("User-agent: *\nDisallow: /\n", "Content-Type: text/plain\r\n"));
  stage.origin.on("/", html("x"));
  EXPECT_EQ(stage.run(stage.spec()).statistics.downloaded, 0u);
  stage.origin.on("/robots.txt", page("User-agent: *\nAllow: /\n", "Content-Type: text/plain\r\n"));
  EXPECT_EQ(stage.run(stage.spec()).statistics.downloaded, 0u) << "for a day the rules are those that were read";
  EXPECT_TRUE(stage.robot().fetch_robots_again(stage.origin.url("/")));
  EXPECT_EQ(stage.run(stage.spec()).statistics.downloaded, 1u);
  EXPECT_EQ(stage.origin.count("/robots.txt"), 2u);
  EXPECT_FALSE(stage.robot().fetch_robots_again("http://unknown.example/"));
}

TEST(RobotHostsPort, AHostThatFailedMayBeAskedAgainWhenSomebodySaysSo) {
  PoliteStage stage;
  stage.settings.min_gap = Duration::zero();
  stage.settings.address_gap = Duration::zero();
  stage.robot().set_settings(stage.settings);
  stage.origin.on("/robots.txt", page("", "Content-Type: text/plain\r\n"));
  stage.origin.on("/", html("x"));
  stage.origin.on("/busy", "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
  TaskSpec busy = stage.spec("/busy");
  busy.max_attempts = 1;
  stage.run(busy);
  EXPECT_TRUE(stage.known().blocked);
  EXPECT_EQ(stage.known().failures, 1);
  EXPECT_NE(stage.known().not_before, WallTime{});
  const TaskId waiting = stage.submit(stage.spec("/"));
  EXPECT_EQ(stage.origin.count("/"), 0u);
  EXPECT_TRUE(stage.robot().clear_block(stage.origin.url("/")));
  EXPECT_EQ(stage.finish(waiting).statistics.downloaded, 1u);
  EXPECT_FALSE(stage.known().blocked);
}

// "Browser traffic has precedence": the robot steps back for a gap after a request of a browser.
TEST(RobotHostsPort, ARequestOfABrowserMakesTheRobotWait) {
  PoliteStage stage;
  stage.origin.on("/robots.txt", page("", "Content-Type: text/plain\r\n"));
  stage.origin.on("/", html("x"));
  Url url = Url::parse(stage.origin.url("/")).value();
  stage.robot().browser_asks(url.host());
  EXPECT_FALSE(stage.robot().host(stage.origin.url("/"))) << "while the robot rests nothing is kept";
  const TaskId task = stage.submit(stage.spec("/"));  // its robots.txt is fetched at once, the page an hour later
  while (stage.origin.count("/robots.txt") == 0) std::this_thread::yield();
  while (stage.known().robots == "unknown") std::this_thread::yield();
  const WallTime before = stage.known().not_before;
  EXPECT_NE(before, WallTime{});
  stage.robot().browser_asks(url.host());
  EXPECT_GT(stage.known().not_before, before);
  EXPECT_EQ(stage.origin.count("/"), 0u);
  EXPECT_TRUE(stage.robot().remove(task));
}

}  // namespace
}  // namespace outrider::testing
