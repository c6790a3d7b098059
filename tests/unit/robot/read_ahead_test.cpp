#include "robot/read_ahead.hpp"

#include "tests/support/idle_robot.hpp"
#include "tests/support/scripted_memory.hpp"

#include <gtest/gtest.h>

namespace outrider::testing {
namespace {

const std::string kPage = "http://a.example/page";

KnownLink link_to(const std::string& target, std::uint32_t position, std::uint16_t flags = 0) {
  KnownLink known;
  known.source = kPage;
  known.link.target = target;
  known.link.text = "a link";
  known.link.position = position;
  known.link.flags = flags;
  return known;
}

std::vector<std::string> chosen(const std::vector<KnownLink>& links, std::size_t most,
                                const std::string& visited = "") {
  std::vector<std::string> urls;
  const auto visits = [&visited](const std::string& url) { return url == visited ? 5u : 0u; };
  for (const LikelyLink& link : likely_links(kPage, links, visits, most)) urls.push_back(link.url);
  return urls;
}

TEST(LikelyLinks, LinksOfTheTextComeBeforeThoseOfTheNavigation) {
  const std::vector<KnownLink> links{link_to("http://a.example/home", 0, LinkFlags::in_navigation),
                                     link_to("http://a.example/story", 7)};
  EXPECT_EQ(chosen(links, 1), (std::vector<std::string>{"http://a.example/story"}));
}

TEST(LikelyLinks, TheNextPageOfASeriesAndKnownPlacesComeFirst) {
  std::vector<KnownLink> links{link_to("http://a.example/1", 0), link_to("http://a.example/2", 1),
                               link_to("http://a.example/next", 90)};
  links[2].link.kind = LinkKind::pagination;
  links[2].link.rel = "next";
  EXPECT_EQ(chosen(links, 2), (std::vector<std::string>{"http://a.example/next", "http://a.example/1"}));
  EXPECT_EQ(chosen(links, 2, "http://a.example/2"),
            (std::vector<std::string>{"http://a.example/next", "http://a.example/2"}));
}

TEST(LikelyLinks, WhatCannotOrMustNotBeFollowedIsLeftOut) {
  std::vector<KnownLink> links{link_to("http://a.example/no", 0, LinkFlags::nofollow),
                               link_to("http://a.example/file", 1, LinkFlags::download),
                               link_to("mailto:a@example.com", 2),
                               link_to(kPage + "#here", 3),
                               link_to("http://a.example/picture", 4),
                               link_to("http://a.example/good", 5),
                               link_to("http://a.example/good#twice", 6)};
  links[4].link.kind = LinkKind::embedded;
  EXPECT_EQ(chosen(links, 9), (std::vector<std::string>{"http://a.example/good"}));
}

struct ReadAheadTest : ::testing::Test {
  ReadAheadTest() {
    Node node;
    node.url = kPage;
    memory.nodes.push_back(node);
    memory.links = {link_to("http://a.example/1", 0), link_to("http://a.example/2", 1)};
  }
  void visit() {
    MemoryEvent event;
    event.kind = MemoryEventKind::visit;
    event.url = kPage;
    memory.write(event);
  }
  // What is submitted when the reader has stopped: everything before is done by then.
  void run_with(bool on) {
    ReadAhead ahead{memory, robot};
    ahead.set(on, 1);
    ahead.start();
    visit();
    while (on && robot.submitted == 0) std::this_thread::yield();
    ahead.stop();
  }
  test::ScriptedMemory memory;
  IdleRobot robot;
};

TEST_F(ReadAheadTest, AVisitLoadsTheLikeliestLinksUnderTheGuard) {
  run_with(true);
  ASSERT_EQ(robot.tasks.size(), 1u);
  const TaskSpec& spec = robot.tasks.begin()->second.spec;
  EXPECT_EQ(spec.start, (std::vector<std::string>{"http://a.example/1"}));
  EXPECT_EQ(spec.start_texts, (std::vector<std::string>{"a link"}));
  EXPECT_TRUE(spec.prefetch);
  EXPECT_EQ(spec.depth, 0);
  EXPECT_EQ(spec.owner, ReadAhead::kOwner);
}

TEST_F(ReadAheadTest, SwitchedOffNothingIsLoaded) {
  run_with(false);
  EXPECT_EQ(robot.submitted, 0u);
}

TEST_F(ReadAheadTest, WhatWasVisitedBeforeItWasSwitchedOn_IsNotLoaded) {
  ReadAhead ahead{memory, robot};
  ahead.start();
  for (int i = 0; i < 5; ++i) visit();
  ahead.set(true, 1);
  visit();
  while (robot.submitted == 0) std::this_thread::yield();
  ahead.stop();
  EXPECT_EQ(robot.submitted, 1u);
}

}  // namespace
}  // namespace outrider::testing
