#include "proxy/plugin_robot.hpp"

#include "base/config_loader.hpp"
#include "proxy/plugin_host.hpp"
#include "tests/support/idle_robot.hpp"
#include "tests/support/scripted_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace outrider::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Rider : Plugin {
  explicit Rider(std::string n) : name(std::move(n)) {}
  PluginInfo info() const override { return {name, "T", "1", "D", {Hook::robot_page, Hook::task_end}}; }
  void start(const PluginPorts& given) override { robot = given.robot; }
  void on_robot_page(const RobotPage& page) override {
    if (hold != nullptr) {
      entered.open();
      hold->wait();
    }
    const std::lock_guard lock(mutex);
    heard.push_back(page.node.url + std::string{page.source});
  }
  void on_task_end(std::uint64_t task, std::string_view state) override {
    {
      const std::lock_guard lock(mutex);
      heard.push_back("end " + std::to_string(task) + " " + std::string{state});
    }
    ended.open();
  }
  std::string name;
  Robot* robot = nullptr;
  Gate* hold = nullptr;
  Gate entered, ended;
  std::mutex mutex;
  std::vector<std::string> heard;
};

struct PluginRobotTest : ::testing::Test {
  PluginRobotTest()
      : folder(std::filesystem::temp_directory_path() / ("outrider-plugin-robot-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder);
  }
  ~PluginRobotTest() override {
    host.reset();
    std::filesystem::remove_all(folder);
  }
  void begin(const std::vector<std::shared_ptr<Plugin>>& plugins) {
    settings.patience = std::chrono::minutes{1};
    host = std::make_unique<PluginHost>(settings, folder, metrics, PluginHost::Ports{});
    for (const std::shared_ptr<Plugin>& plugin : plugins) host->add({plugin, "built in", false});
    ConfigSchema schema;
    schema.add<PluginSettings>();
    host->start(*load_config_text(schema, "", "test"), &robot);
  }
  static TaskSpec spec() {
    TaskSpec made;
    made.start = {"http://a.example/"};
    made.owner = "somebody else";
    return made;
  }

  const std::filesystem::path folder;
  PluginSettings settings;
  Metrics metrics;
  IdleRobot robot;
  std::unique_ptr<PluginHost> host;
  std::shared_ptr<Rider> a = std::make_shared<Rider>("a"), b = std::make_shared<Rider>("b");
};

TEST_F(PluginRobotTest, TaskOfAPlugin_BelongsToIt_AndOthersCannotTouchIt) {
  begin({a, b});
  ASSERT_NE(a->robot, nullptr);
  const Result<TaskId> task = a->robot->submit(spec());
  ASSERT_TRUE(task);
  EXPECT_EQ(robot.tasks[*task].spec.owner, "a");
  const Result<TaskId> persons = robot.submit(spec());
  for (const TaskId other : {*task, *persons}) {
    EXPECT_FALSE(b->robot->pause(other));
    EXPECT_FALSE(b->robot->resume(other));
    EXPECT_FALSE(b->robot->stop(other));
    EXPECT_FALSE(b->robot->remove(other));
    EXPECT_FALSE(b->robot->change(other, spec()));
    EXPECT_FALSE(b->robot->accompany(other, {}));
    EXPECT_FALSE(b->robot->status(other));
    EXPECT_FALSE(b->robot->why_not(other, "http://a.example/"));
  }
  EXPECT_EQ(robot.tasks.size(), 2u);
  EXPECT_EQ(robot.tasks[*task].state, TaskState::running);
  EXPECT_TRUE(b->robot->list().empty());
  EXPECT_EQ(a->robot->list().size(), 1u);
  EXPECT_TRUE(a->robot->change(*task, spec()));
  EXPECT_EQ(robot.tasks[*task].spec.owner, "a") << "it cannot give it away either";
  EXPECT_TRUE(a->robot->remove(*task));
}

TEST_F(PluginRobotTest, Pages_AreToldToTheOwnerOnly_InOrder_OnItsOwnThread) {
  begin({a, b});
  const Result<TaskId> task = a->robot->submit(spec());
  std::vector<std::string> observed;
  const auto handle =
      a->robot->observe(*task, {[&](const RobotPage& page) { observed.push_back("saw " + page.node.url); }, {}});
  Gate hold;
  a->hold = &hold;
  robot.source = " bytes";
  robot.page(*task, "/1");  // would hang here if the hook were called by this thread
  robot.page(*task, "/2");
  robot.end(*task, TaskState::finished);
  hold.open();
  ASSERT_TRUE(a->ended.wait());
  EXPECT_THAT(a->heard, ElementsAre("/1 bytes", "/2 bytes", "end 1 finished"));
  EXPECT_THAT(observed, ElementsAre("saw /1", "saw /2"));
  EXPECT_TRUE(b->heard.empty());
}

TEST_F(PluginRobotTest, PluginThatIsBusy_LosesPages_AndTheyAreCounted) {
  begin({a});
  const Result<TaskId> task = a->robot->submit(spec());
  Gate hold;
  a->hold = &hold;
  robot.page(*task, "/first");
  ASSERT_TRUE(a->entered.wait());
  for (std::size_t i = 0; i < PluginRobot::kMostPagesWaiting + 9; ++i) robot.page(*task, "/more");
  robot.end(*task, TaskState::finished);
  hold.open();
  ASSERT_TRUE(a->ended.wait());
  EXPECT_EQ(a->heard.size(), PluginRobot::kMostPagesWaiting + 1) << "pages, and the end";
  EXPECT_THAT(metrics.to_prometheus(), HasSubstr("outrider_plugin_robot_dropped_total{plugin=\"a\"} 10"));
}

TEST_F(PluginRobotTest, TasksOfAnEarlierRun_AreHeardOf) {
  TaskSpec old = spec();
  old.owner = "a";
  const Result<TaskId> task = robot.submit(old);
  begin({a});
  robot.end(*task, TaskState::expired);
  ASSERT_TRUE(a->ended.wait());
  EXPECT_THAT(a->heard, ElementsAre("end 1 expired"));
}

TEST_F(PluginRobotTest, JudgeThatFailsThreeTimes_SetsThePluginAside_AndRejectsFromThenOn) {
  begin({a});
  TaskCompany company;
  company.judges.filter_page = [](const JudgedPage&, const Attributes&) -> UrlDecision {
    throw std::runtime_error("broken");
  };
  const Result<TaskId> task = a->robot->submit(spec(), company);
  const Url url = Url::parse("http://a.example/").value();
  const PageContent page;
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(robot.companies[*task].judges.filter_page({url, 200, page}, {}).decision, Decision::reject);
  EXPECT_FALSE(host->find("a")->running());
  EXPECT_EQ(host->find("a")->report().exceptions, 3u);
}

}  // namespace
}  // namespace outrider::testing
