#include "webui/task_explorer.hpp"

#include "tests/support/asked_robot.hpp"
#include "tests/support/scripted_memory.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace outrider::webui {
namespace {

using State = UrlFate::State;

struct TaskExplorerTest : ::testing::Test {
  test::ScriptedMemory memory;
  test::AskedRobot robot;
  FakeClock clock;
  TaskExplorer explorer{robot, &memory, clock};

  void link(std::string from, std::string to) {
    KnownLink link;
    link.source = std::move(from);
    link.link.target = std::move(to);
    memory.links.push_back(std::move(link));
  }
  void page(std::string url, std::string title) {
    Node node;
    node.url = std::move(url);
    node.page.title = std::move(title);
    node.status = 200;
    memory.nodes.push_back(std::move(node));
  }
  std::vector<std::string> urls(std::vector<State> states = {}) {
    std::vector<std::string> found;
    for (const TaskAddress& one : explorer.addresses(1, states, 0, 100).value().found) found.push_back(one.url);
    return found;
  }
  // s → a, b, out; a → b, c; b failed
  void small_site() {
    robot.add(1, "http://s/", TaskState::finished);
    link("http://s/", "http://s/a#top");
    link("http://s/", "http://s/b");
    link("http://s/", "http://out/");
    link("http://s/a", "http://s/b");
    link("http://s/a", "http://s/c");
    link("http://s/b", "http://s/never");
    page("http://s/a", "A");
    for (const char* url : {"http://s/", "http://s/a", "http://s/c"}) robot.set(url, State::fetched);
    robot.set("http://s/b", State::failed, Reason::error, "404");
    robot.set("http://out/", State::rejected, Reason::restriction, "another host");
  }
};

TEST_F(TaskExplorerTest, AddressesAreFoundInTheOrderOfTheirDistance) {
  small_site();
  const TaskAddresses all = explorer.addresses(1, {}, 0, 100).value();
  ASSERT_EQ(all.found.size(), 5U);
  EXPECT_EQ(urls(), (std::vector<std::string>{"http://s/", "http://s/a", "http://s/b", "http://out/", "http://s/c"}));
  EXPECT_EQ(all.found[0].from, "");
  EXPECT_EQ(all.found[4].from, "http://s/a");
  EXPECT_EQ(all.found[4].depth, 2U);
  EXPECT_EQ(all.found[1].node->page.title, "A");
  EXPECT_TRUE(all.complete);
  EXPECT_FALSE(all.next);
}

TEST_F(TaskExplorerTest, RejectedAddresses_ComeWithTheirReason) {
  small_site();
  const TaskAddresses rejected = explorer.addresses(1, {State::rejected}, 0, 100).value();
  ASSERT_EQ(rejected.found.size(), 1U);
  EXPECT_EQ(rejected.found[0].fate.reason, Reason::restriction);
  EXPECT_EQ(rejected.found[0].fate.detail, "another host");
  EXPECT_EQ(urls({State::failed}), std::vector<std::string>{"http://s/b"});
}

TEST_F(TaskExplorerTest, PagesOfTheList_HoldEveryAddressOnce) {
  small_site();
  std::vector<std::string> found;
  std::optional<std::uint32_t> at = 0;
  for (int pages = 0; at && pages < 10; ++pages) {
    const TaskAddresses page = explorer.addresses(1, {}, *at, 2).value();
    EXPECT_LE(page.found.size(), 2U);
    for (const TaskAddress& one : page.found) found.push_back(one.url);
    at = page.next;
  }
  EXPECT_EQ(found, urls());
}

TEST_F(TaskExplorerTest, AGraphThatGrows_TellsWhatIsNewAndWhatHasChanged) {
  robot.add(1, "http://s/");
  link("http://s/", "http://s/a");
  robot.set("http://s/", State::fetched);
  robot.set("http://s/a", State::queued);
  const TaskGraph first = explorer.graph(1, {}, 100).value();
  ASSERT_EQ(first.nodes.size(), 2U);
  EXPECT_EQ(first.nodes[1].state, State::queued);
  EXPECT_EQ(first.edges, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}}));

  EXPECT_TRUE(explorer.graph(1, first.next, 100).value().nodes.empty());

  link("http://s/a", "http://s/b");
  robot.set("http://s/a", State::fetched);
  robot.set("http://s/b", State::queued);
  TaskGraph second = explorer.graph(1, first.next, 100).value();
  if (second.more) {
    const TaskGraph rest = explorer.graph(1, second.next, 100).value();
    second.nodes.insert(second.nodes.end(), rest.nodes.begin(), rest.nodes.end());
  }
  ASSERT_EQ(second.nodes.size(), 2U);
  EXPECT_EQ(second.nodes[0].url, "http://s/a");
  EXPECT_EQ(second.nodes[0].state, State::fetched);
  EXPECT_EQ(second.nodes[1].url, "http://s/b");
  EXPECT_EQ(second.edges, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 2}}));
  EXPECT_FALSE(second.begins_anew);
}

TEST_F(TaskExplorerTest, RejectedAddresses_AreNotInTheGraph) {
  small_site();
  for (const TaskGraph::Spot& spot : explorer.graph(1, {}, 100).value().nodes) EXPECT_NE(spot.url, "http://out/");
}

TEST_F(TaskExplorerTest, WhatIsForgotten_IsNotToldAgain) {
  small_site();
  const TaskGraph before = explorer.graph(1, {}, 100).value();
  std::erase_if(memory.links, [](const KnownLink& link) { return link.link.target == "http://s/c"; });
  explorer.forget();
  const TaskGraph after = explorer.graph(1, before.next, 100).value();
  EXPECT_TRUE(after.begins_anew);
  for (const TaskGraph::Spot& spot : after.nodes) EXPECT_NE(spot.url, "http://s/c");
}

TEST_F(TaskExplorerTest, AMenuOnEveryPage_DoesNotFillTheGraph) {
  robot.add(1, "http://s/", TaskState::finished);
  robot.set("http://s/", State::fetched);
  for (int i = 0; i < 50; ++i) {
    link("http://s/", fmt::format("http://s/{}", i));
    robot.set(fmt::format("http://s/{}", i), State::fetched);
    for (int j = 0; j < 50; ++j) link(fmt::format("http://s/{}", i), fmt::format("http://s/{}", j));
  }
  TaskGraph graph = explorer.graph(1, {}, 1000).value();
  graph = explorer.graph(1, {}, 1000).value();
  EXPECT_LE(graph.edges.size(), 50U + 51 * 8);
  EXPECT_EQ(graph.nodes.size(), 51U);
}

// A task of a million addresses: whoever asks for a page of its list is not kept waiting for the rest.
TEST_F(TaskExplorerTest, OneQuestion_LooksAtNoMoreThanItNeeds) {
  robot.add(1, "http://s/", TaskState::finished);
  robot.set("http://s/", State::fetched);
  for (int i = 0; i < 2000; ++i) {
    link("http://s/", fmt::format("http://s/{}", i));
    robot.set(fmt::format("http://s/{}", i), State::fetched);
  }
  const TaskAddresses page = explorer.addresses(1, {}, 0, 10).value();
  EXPECT_EQ(page.found.size(), 10U);
  EXPECT_TRUE(page.next);
  EXPECT_LE(robot.questions, 40U);
}

TEST_F(TaskExplorerTest, APageOfManyLinks_IsFollowedToItsEnd) {
  robot.add(1, "http://s/", TaskState::finished).statistics.queued = 2501;
  robot.set("http://s/", State::fetched);
  for (int i = 0; i < 2500; ++i) {
    link("http://s/", fmt::format("http://s/{}", i));
    robot.set(fmt::format("http://s/{}", i), State::fetched);
  }
  const TaskAddresses all = explorer.addresses(1, {}, 0, 5000).value();
  EXPECT_EQ(all.found.size(), 2501U);
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(explorer.graph(1, {}, 5000).value().edges.size(), 2500U);
}

// A memory that needs longer for one answer than a question may take.
TEST_F(TaskExplorerTest, WhatOneQuestionHasNoTimeFor_IsLeftToTheNext) {
  struct SlowMemory final : test::ScriptedMemory {
    explicit SlowMemory(FakeClock& c) : time(c) {}
    FakeClock& time;
    Result<LinkPage> links_from(const Viewer& viewer, std::string_view url, const LinkQuery& query) const override {
      time.advance(std::chrono::seconds{1});
      return ScriptedMemory::links_from(viewer, url, query);
    }
  } slow{clock};
  robot.add(1, "http://s/", TaskState::finished).statistics.queued = 2501;
  robot.set("http://s/", State::fetched);
  for (int i = 0; i < 2500; ++i) {
    link("http://s/", fmt::format("http://s/{}", i));
    robot.set(fmt::format("http://s/{}", i), State::failed);  // they lead no further
  }
  slow.links = memory.links;
  TaskExplorer patient{robot, &slow, clock};
  std::size_t found = 0;
  int questions = 0;
  bool complete = false;
  for (std::optional<std::uint32_t> at = 0; at && questions < 100; ++questions) {
    const TaskAddresses page = patient.addresses(1, {}, *at, 1000).value();
    EXPECT_TRUE(page.next || page.complete) << page.why_incomplete;
    found += page.found.size();
    complete = page.complete;
    at = page.next;
  }
  EXPECT_EQ(found, 2501U);
  EXPECT_TRUE(complete);
  EXPECT_GE(questions, 4);
}

TEST_F(TaskExplorerTest, AListThatLacksWhatTheRobotFetched_IsNotComplete_AndSaysWhy) {
  small_site();
  TaskStatistics& statistics = robot.tasks[1].statistics;
  statistics.queued = 4;  // s, a, b, c
  EXPECT_TRUE(explorer.addresses(1, {}, 0, 100).value().complete);
  statistics.queued = 9;
  TaskAddresses page = explorer.addresses(1, {}, 0, 100).value();
  EXPECT_FALSE(page.complete);
  EXPECT_NE(page.why_incomplete.find("5 of 9 addresses"), std::string::npos) << page.why_incomplete;
  EXPECT_EQ(page.why_incomplete.find("sitemaps"), std::string::npos);
  robot.tasks[1].spec.sitemaps = true;
  page = explorer.addresses(1, {}, 0, 100).value();
  EXPECT_NE(page.why_incomplete.find("sitemaps"), std::string::npos) << page.why_incomplete;
  robot.tasks[1].state = TaskState::running;
  EXPECT_FALSE(explorer.addresses(1, {}, 0, 100).value().complete);
}

TEST_F(TaskExplorerTest, WithoutAMemory_TheStartPagesAreKnown) {
  small_site();
  robot.tasks[1].statistics.queued = 4;
  TaskExplorer alone{robot, nullptr, clock};
  const TaskAddresses page = alone.addresses(1, {}, 0, 100).value();
  ASSERT_EQ(page.found.size(), 1U);
  EXPECT_EQ(page.found[0].url, "http://s/");
  EXPECT_FALSE(page.complete);
  EXPECT_NE(page.why_incomplete.find("memory is off"), std::string::npos) << page.why_incomplete;
  EXPECT_EQ(alone.graph(1, {}, 100).value().nodes.size(), 1U);
}

TEST_F(TaskExplorerTest, ATaskThatDoesNotExist_HasNoAddresses) {
  EXPECT_EQ(explorer.addresses(7, {}, 0, 10).error().kind, ErrorKind::not_found);
  EXPECT_EQ(explorer.graph(7, {}, 10).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace outrider::webui
