// Forgetting: what the robot's tasks had to do on forgotten pages is in no file any more.
#include "tests/support/robot_stage.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <fstream>
#include <sstream>

namespace outrider::testing {
namespace {

namespace json = boost::json;

// Files below the folder that contain the text.
std::vector<std::string> files_with(const std::filesystem::path& folder, std::string_view text) {
  std::vector<std::string> found;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (!file.is_regular_file()) continue;
    std::ostringstream bytes;
    bytes << std::ifstream(file.path(), std::ios::binary).rdbuf();
    if (bytes.str().find(text) != std::string::npos) found.push_back(file.path().filename());
  }
  return found;
}
using Files = std::vector<std::string>;

json::object forget(RobotStage& stage, const json::object& question) {
  const Result<json::object> done = stage.robot().forget(question);
  EXPECT_TRUE(done) << done.error().detail;
  return done ? *done : json::object{};
}

// A site links to another one, which is slow to answer: its pages are queued and under way.
struct TwoSites : RobotStage {
  TwoSites() {
    close();
    lab_hosts = {"127.0.0.1", "localhost"};
    concurrency = 2;
    open();
    std::string links;
    for (int i = 0; i < 50; ++i) links += fmt::format("<a href='{}'>x</a>", there(fmt::format("/queued-canary-{}", i)));
    origin.on("/", html(links + "<a href=/here>here</a>"));
    origin.on("/here", html("<p>nothing"));
  }
  std::string there(const std::string& path) const {
    std::string url = origin.url(path);
    return url.replace(url.find("127.0.0.1"), 9, "localhost");
  }
  TaskId paused_with_queue() {
    TaskSpec wanted = spec();
    wanted.restriction = Restriction::all;
    const TaskId task = submit(wanted);
    for (;;) {
      const Result<TaskStatus> status = robot().status(task);
      EXPECT_TRUE(status);
      if (!status || status->statistics.queued >= 52) break;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    EXPECT_TRUE(robot().pause(task));
    return task;
  }
};

TEST(RobotForget, QueueOfAnotherTasksSite_IsInNoFile) {
  TwoSites stage;
  const TaskId task = stage.paused_with_queue();
  ASSERT_NE(files_with(stage.folder(), "queued-canary-4"), Files{});
  const json::object report = forget(stage, {{"site", "localhost"}});
  EXPECT_GT(report.at("urls").to_number<int>(), 0);
  EXPECT_EQ(report.at("tasks").to_number<int>(), 0);
  EXPECT_EQ(files_with(stage.folder(), "queued-canary"), Files{});
  EXPECT_EQ(files_with(stage.folder(), "localhost"), Files{});
  EXPECT_TRUE(stage.robot().resume(task));
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(status.state, TaskState::finished);
  EXPECT_TRUE(status.statistics.holds());
  EXPECT_GT(status.statistics.rejected[static_cast<std::size_t>(Reason::forgotten)], 0u);
  EXPECT_EQ(stage.why_not(task, "/here").state, UrlFate::State::fetched) << "the other site's pages are still visited";
  EXPECT_EQ(files_with(stage.folder(), "queued-canary"), Files{}) << "nor does it come back";
}

TEST(RobotForget, TaskOfTheSite_GoesWithIt) {
  TwoSites stage;
  const TaskId task = stage.paused_with_queue();
  EXPECT_EQ(forget(stage, {{"site", "127.0.0.1"}}).at("tasks").to_number<int>(), 1);
  EXPECT_FALSE(stage.robot().status(task));
  EXPECT_EQ(files_with(stage.folder(), "queued-canary"), Files{});
  EXPECT_EQ(files_with(stage.folder(), "127.0.0.1"), Files{});
}

TEST(RobotForget, TaskOfSeveralSites_LosesOneOfThem) {
  TwoSites stage;
  TaskSpec wanted = stage.spec("/here");
  wanted.name = "127.0.0.1 and Localhost";
  wanted.start.push_back(stage.there("/start-canary"));
  const TaskId task = stage.submit(wanted);
  stage.finish(task);
  EXPECT_EQ(forget(stage, {{"site", "localhost"}}).at("tasks").to_number<int>(), 0);
  const Result<TaskStatus> status = stage.robot().status(task);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->spec.start, stage.spec("/here").start);
  EXPECT_EQ(status->spec.name, "");
  EXPECT_EQ(files_with(stage.folder(), "start-canary"), Files{});
}

TEST(RobotForget, WordsOfRejections_AreInNoFile) {
  TwoSites stage;
  stage.origin.on("/same-canary-1", html("<p>the same words"));
  stage.origin.on("/same-canary-2", html("<p>the same words"));
  TaskSpec wanted = stage.spec("/same-canary-1");
  wanted.start.push_back(stage.origin.url("/same-canary-2"));
  wanted.start.push_back(stage.there("/here"));
  wanted.content_seen_test = true;
  const TaskId task = stage.submit(wanted);
  stage.finish(task);
  ASSERT_NE(files_with(stage.folder(), "same-canary-1"), Files{});
  forget(stage, {{"site", "127.0.0.1"}});
  EXPECT_TRUE(stage.robot().status(task));
  EXPECT_EQ(files_with(stage.folder(), "same-canary"), Files{});
}

TEST(RobotForget, PlannedLooks_GoWithTheirPages) {
  RobotStage stage;
  stage.origin.on("/", html("<a href=/planned-canary>x</a>"));
  stage.origin.on("/planned-canary", html("x"));
  TaskSpec wanted = stage.spec();
  wanted.revisit = true;
  wanted.revisit_every = std::chrono::hours{1};
  const TaskId task = stage.submit(wanted);
  while (stage.robot().status(task)->statistics.downloaded < 2)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  ASSERT_NE(files_with(stage.folder(), "planned-canary"), Files{});
  EXPECT_EQ(forget(stage, {{"url", stage.origin.url("/planned-canary")}}).at("urls").to_number<int>(), 1);
  EXPECT_EQ(files_with(stage.folder(), "planned-canary"), Files{});
  EXPECT_TRUE(stage.robot().stop(task));
}

TEST(RobotForget, LastHour_TakesTheTasksThatCameThen) {
  TwoSites stage;
  const TaskId task = stage.paused_with_queue();
  EXPECT_EQ(forget(stage, {{"last", "1h"}}).at("tasks").to_number<int>(), 1);
  EXPECT_FALSE(stage.robot().status(task));
  EXPECT_EQ(files_with(stage.folder(), "queued-canary"), Files{});
}

TEST(RobotForget, LastSecond_LeavesWhatIsOlder) {
  TwoSites stage;
  const TaskId task = stage.paused_with_queue();
  std::this_thread::sleep_for(std::chrono::milliseconds{2100});  // times of entries are full seconds
  const json::object report = forget(stage, {{"last", "1s"}});
  EXPECT_EQ(report.at("tasks").to_number<int>(), 0);
  EXPECT_EQ(report.at("urls").to_number<int>(), 0);
  EXPECT_TRUE(stage.robot().status(task));
}

TEST(RobotForget, Person_TakesTheOwnTasksAlone) {
  TwoSites stage;
  TaskSpec wanted = stage.spec("/here");
  wanted.owner = "anna";
  const TaskId annas = stage.submit(wanted);
  wanted.owner = "bert";
  const TaskId berts = stage.submit(wanted);
  forget(stage, {{"user", "anna"}});
  EXPECT_FALSE(stage.robot().status(annas));
  EXPECT_TRUE(stage.robot().status(berts));
}

TEST(RobotForget, Everything_LeavesNothing) {
  TwoSites stage;
  stage.paused_with_queue();
  forget(stage, {{"all", true}});
  EXPECT_TRUE(stage.robot().list().empty());
  EXPECT_EQ(files_with(stage.folder(), "127.0.0.1"), Files{});
  const TaskStatus status = stage.run(stage.spec("/here"));
  EXPECT_EQ(status.statistics.pages, 1u) << "it works as on the first day";
}

TEST(RobotForget, WhatWasLearntOfAHost_GoesWithIt) {
  RobotStage stage;
  stage.close();
  stage.lab_hosts = {};
  stage.allow_private = true;
  stage.settings.min_gap = std::chrono::milliseconds{0};
  stage.open();
  stage.origin.on("/robots.txt", page("User-agent: *\nDisallow: /robots-canary\n", "Content-Type: text/plain\r\n"));
  stage.origin.on("/", html("x"));
  stage.run(stage.spec());
  ASSERT_NE(files_with(stage.folder(), "robots-canary"), Files{});
  EXPECT_GT(forget(stage, {{"site", "127.0.0.1"}}).at("hosts").to_number<int>(), 0);
  EXPECT_EQ(files_with(stage.folder(), "robots-canary"), Files{});
  EXPECT_EQ(files_with(stage.folder(), "127.0.0.1"), Files{});
}

TEST(RobotForget, WrongQuestion_IsRefused) {
  RobotStage stage;
  for (const json::object& question : {json::object{}, json::object{{"site", "not a host"}}, json::object{{"x", 1}}})
    EXPECT_FALSE(stage.robot().forget(question)) << json::serialize(question);
}

}  // namespace
}  // namespace outrider::testing
