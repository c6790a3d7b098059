// Judges, and an observer, that come with a task.
#include "robot/classifiers/guest_judges.hpp"

#include "tests/support/robot_stage.hpp"

#include <stdexcept>

namespace outrider::testing {
namespace {

void write_site(RobotStage& stage) {
  stage.origin.on("/", html("<a href=/good>good one</a><a href=/bad>bad one</a>"));
  stage.origin.on("/good", html("<title>good</title><a href=/deep>deep</a>"));
  stage.origin.on("/bad", html("<title>bad</title><a href=/never>never</a>"));
  stage.origin.on("/deep", html("x"));
  stage.origin.on("/never", html("x"));
}

TEST(GuestJudges, ALinkThatTheirFilterRejectsIsNotFetchedAndItsReasonIsKept) {
  RobotStage stage;
  write_site(stage);
  TaskCompany company;
  company.judges.classify_link = [](const JudgedLink& link, const Attributes&, Attributes& out) {
    out.set("bad", link.text.starts_with("bad") ? 1 : 0);
  };
  company.judges.filter_link = [](const JudgedLink& link, const Attributes& attributes) {
    EXPECT_TRUE(link.page.url.href().starts_with("http://127.0.0.1"));
    return attributes.get("bad") == 1 ? UrlDecision{Decision::reject, "bad words"} : UrlDecision{};
  };
  const Result<TaskId> task = stage.robot().submit(stage.spec(), company);
  ASSERT_TRUE(task);
  EXPECT_EQ(stage.finish(*task).statistics.pages, 3u);
  EXPECT_EQ(stage.origin.count("/bad"), 0u);
  EXPECT_EQ(stage.why_not(*task, "/bad").reason, Reason::link_filter);
  EXPECT_EQ(stage.why_not(*task, "/bad").detail, "bad words");
}

TEST(GuestJudges, APageThatTheirFilterRejectsLeadsNoFurther) {
  RobotStage stage;
  write_site(stage);
  TaskCompany company;
  company.judges.filter_page = [](const JudgedPage& page, const Attributes&) {
    return UrlDecision{page.page.title == "bad" ? Decision::reject : Decision::none, "a bad page"};
  };
  const Result<TaskId> task = stage.robot().submit(stage.spec(), company);
  ASSERT_TRUE(task);
  EXPECT_EQ(stage.finish(*task).statistics.pages, 3u);
  EXPECT_EQ(stage.why_not(*task, "/never").reason, Reason::page_filter);
}

TEST(GuestJudges, AFilterThatThrowsRejects) {
  RobotStage stage;
  write_site(stage);
  TaskCompany company;
  company.judges.classify_page = [](const JudgedPage&, Attributes&) { throw std::runtime_error("tired"); };
  company.judges.filter_link = [](const JudgedLink&, const Attributes&) -> UrlDecision {
    throw std::runtime_error("tired");
  };
  const Result<TaskId> task = stage.robot().submit(stage.spec(), company);
  ASSERT_TRUE(task);
  EXPECT_EQ(stage.finish(*task).statistics.pages, 1u);
  EXPECT_NE(stage.why_not(*task, "/good").detail.find("tired"), std::string::npos);
}

TEST(GuestJudges, AfterARestartTheirTaskWaitsForThem) {
  RobotStage stage;
  write_site(stage);
  TaskCompany company;
  company.judges.filter_link = [](const JudgedLink& link, const Attributes&) {
    return UrlDecision{link.text.starts_with("bad") ? Decision::reject : Decision::none, "bad"};
  };
  TaskSpec spec = stage.spec();
  spec.name = "judged";
  stage.robot().stop(Duration::zero());  // so that nothing of it is done before the restart
  const Result<TaskId> task = stage.robot().submit(spec, company);
  ASSERT_TRUE(task);
  stage.close();
  stage.open();
  const Result<TaskStatus> waiting = stage.robot().status(*task);
  ASSERT_TRUE(waiting);
  EXPECT_NE(waiting->why.find("judges"), std::string::npos);
  // Another task is done meanwhile; this one has not begun.
  EXPECT_EQ(stage.run(stage.spec("/deep")).statistics.pages, 1u);
  EXPECT_EQ(stage.origin.count("/"), 0u);
  ASSERT_TRUE(stage.robot().accompany(*task, company));
  EXPECT_EQ(stage.finish(*task).statistics.pages, 3u);
  EXPECT_EQ(stage.origin.count("/bad"), 0u);
}

TEST(TaskCompany, TheirObserverHearsOfItsTaskFromTheBeginningAndOfNoOther) {
  RobotStage stage;
  write_site(stage);
  std::mutex mutex;
  std::vector<std::string> pages;
  std::vector<TaskState> states;
  TaskCompany company;
  company.observer.on_page = [&](const RobotPage& page) {
    const std::lock_guard lock(mutex);
    pages.push_back(page.node.url);
  };
  company.observer.on_state = [&](TaskId, TaskState state) {
    const std::lock_guard lock(mutex);
    states.push_back(state);
  };
  TaskSpec spec = stage.spec("/good");
  spec.depth = 0;
  const Result<TaskId> task = stage.robot().submit(spec, company);
  ASSERT_TRUE(task);
  stage.finish(*task);
  stage.run(stage.spec("/deep"));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(pages, std::vector<std::string>{stage.origin.url("/good")});
  EXPECT_EQ(states, std::vector<TaskState>{TaskState::finished});
}

}  // namespace
}  // namespace outrider::testing
