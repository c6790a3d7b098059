// Hosts whose robots.txt cannot be had (RFC 9309 section 2.3.1.4): nothing is asked for there, and whoever wants to
// know is told why, those who do not wait at once.
#include "tests/support/robot_stage.hpp"

namespace outrider::testing {
namespace {

struct Told {
  int status = 0;
  NodeError error = NodeError::none;
  bool refused = false;
};

struct UnreachableStage : RobotStage {
  UnreachableStage() {
    close();
    lab_hosts.clear();  // with the real pauses: five minutes until the next attempt
    allow_private = true;
    with_memory = true;
    settings.min_gap = settings.address_gap = std::chrono::milliseconds{1};
    settings.latency_factor = 0;
    open();
  }
  static std::string nobody_listens() { return ScriptedOrigin{}.url("/a"); }
  static TaskSpec look_at(std::string url) {
    TaskSpec made;
    made.start = {std::move(url)};
    made.depth = 0;
    return made;
  }
  TaskId run_impatient(const TaskSpec& spec) {
    TaskCompany company;
    company.impatient = true;
    company.observer.on_fetch = [this](const RobotFetch& fetch) {
      told.push_back({fetch.status, fetch.error, fetch.refused});
    };
    const Result<TaskId> task = robot().submit(spec, std::move(company));
    EXPECT_TRUE(task);
    finish(*task);
    return *task;
  }
  std::optional<Node> remembered(const std::string& url) {
    close();  // what is under way is written
    open();
    return *memory().graph().page({url, "", StorageClass::open}, false);
  }
  std::vector<Told> told;  // read after the end
};

TEST(RobotUnreachable, NobodyListens_IsToldAtOnce_AndRemembered) {
  UnreachableStage stage;
  const std::string url = UnreachableStage::nobody_listens();
  const TaskId task = stage.run_impatient(UnreachableStage::look_at(url));
  ASSERT_EQ(stage.told.size(), 1u);
  EXPECT_EQ(stage.told[0].status, 0);
  EXPECT_EQ(stage.told[0].error, NodeError::connect);
  EXPECT_FALSE(stage.told[0].refused);
  EXPECT_EQ(stage.why_not(task, url).state, UrlFate::State::failed);
  EXPECT_EQ(stage.why_not(task, url).reason, Reason::error);
  EXPECT_EQ(stage.remembered(url)->error, NodeError::connect);
}

TEST(RobotUnreachable, Preview_IsToldThatNobodyListens) {
  UnreachableStage stage;
  const std::string url = UnreachableStage::nobody_listens();
  TaskSpec spec = UnreachableStage::look_at(url);
  spec.prefetch = true;
  spec.apart = "x";
  const TaskId task = stage.submit(spec);
  EXPECT_EQ(stage.finish(task).statistics.failed, 1u);
  EXPECT_EQ(stage.why_not(task, url).reason, Reason::error);
}

TEST(RobotUnreachable, NameThatDoesNotExist_IsToldToEverybody) {
  UnreachableStage stage;
  const std::string url = "http://nobody.invalid/a";
  const TaskId task = stage.submit(UnreachableStage::look_at(url));
  EXPECT_EQ(stage.finish(task).statistics.failed, 1u);
  EXPECT_EQ(stage.why_not(task, url).detail, "dns_failure");
}

TEST(RobotUnreachable, WhereTheRobotMayNotGo_ThatIsTheReason) {
  UnreachableStage stage;
  stage.close();
  stage.allow_private = false;
  stage.open();
  stage.run_impatient(stage.spec("/a"));
  ASSERT_EQ(stage.told.size(), 1u);
  EXPECT_TRUE(stage.told[0].refused);
  EXPECT_EQ(stage.origin.count(), 0u);
}

TEST(RobotUnreachable, ErrorOfTheServer_ForbidsAtOnceForThoseWhoDoNotWait) {
  UnreachableStage stage;
  stage.origin.on("/a", html("x"));
  stage.origin.on("/robots.txt", std::string{"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"});
  const TaskId task = stage.run_impatient(stage.spec("/a"));
  EXPECT_EQ(stage.why_not(task, "/a").reason, Reason::robots);
  EXPECT_EQ(stage.origin.count("/a"), 0u);
}

// It is another host that cannot be reached.
TEST(RobotUnreachable, RobotsTxtThatIsMovedToADeadHost_SaysNothingOfThisOne) {
  UnreachableStage stage;
  stage.origin.on("/a", html("x"));
  stage.origin.on("/robots.txt", redirect_to(UnreachableStage::nobody_listens()));
  const TaskId task = stage.run_impatient(stage.spec("/a"));
  EXPECT_EQ(stage.why_not(task, "/a").reason, Reason::robots);
  EXPECT_TRUE(stage.told.empty());
}

// That one file is not answered does not mean that a page is gone which a person has read.
TEST(RobotUnreachable, RobotsTxtThatIsBrokenOff_IsToldButNotRememberedOfThePage) {
  UnreachableStage stage;
  stage.origin.on("/a", html("x"));
  stage.origin.talk("/robots.txt", [](const ScriptedOrigin::Request&, RawSocket&) { return false; });
  const TaskId task = stage.run_impatient(stage.spec("/a"));
  ASSERT_EQ(stage.told.size(), 1u);
  EXPECT_EQ(stage.told[0].error, NodeError::protocol);
  EXPECT_EQ(stage.why_not(task, "/a").reason, Reason::error);
  EXPECT_EQ(stage.origin.count("/a"), 0u);
  EXPECT_FALSE(stage.remembered(stage.origin.url("/a")));
}

TEST(RobotUnreachable, CrawlInTheEndFails_AsOftenAsItHasTried) {
  RobotStage stage;
  const std::string url = ScriptedOrigin{}.url("/a");
  TaskSpec spec;
  spec.start = {url};
  const TaskId task = stage.submit(spec);
  EXPECT_EQ(stage.finish(task).statistics.failed, 1u);
  EXPECT_EQ(stage.why_not(task, url).detail, "connect_refused");
}

}  // namespace
}  // namespace outrider::testing
