#include "plugins/rearmirror/search_source.hpp"

#include "tests/support/web_robot.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using test::WebRobot;

struct SearchSourceTest : ::testing::Test {
  WebRobot robot;
  FakeClock clock;
  SearchSource source{robot, clock};
  std::shared_ptr<RearMirrorSettings> settings = std::make_shared<RearMirrorSettings>();
  const std::string page = "https://page.org/a";
  const std::string results = "https://search.example/?q=https%3A%2F%2Fpage.org%2Fa";

  SearchSourceTest() {
    settings->search_url = "https://search.example/?q={url}";
    robot.web[results].links = {
        WebRobot::link("https://search.example/next", "Next"), WebRobot::link("https://mentions.net/", "Mentions"),
        WebRobot::link("https://links.net/", "Links"),
        WebRobot::link("https://search.example/go?url=https%3A%2F%2Fwrapped.net%2F", "Wrapped")};
    robot.web["https://links.net/"].links = {WebRobot::link("https://page.org/a#part", "the very page")};
    robot.web["https://wrapped.net/"].links = {WebRobot::link("https://page.org/a", "it, too")};
  }
  const SearchState& ask() {
    EXPECT_TRUE(source.ask(page, "A title", settings));
    for (int i = 0; i < 10; ++i) source.advance();
    return *source.find(page);
  }
};

// ANCESTORS, Rückspiegel: ask, mark the engine's own links, drop them, load the hits.
TEST_F(SearchSourceTest, Hits_AreLoadedAndLookedThrough) {
  const SearchState& state = ask();
  EXPECT_EQ(state.stage, SearchState::Stage::done);
  ASSERT_EQ(state.hits.size(), 3u);
  EXPECT_EQ(state.hits[0].url, "https://links.net/") << "those that link first";
  EXPECT_TRUE(state.hits[0].links);
  EXPECT_EQ(state.hits[0].text, "the very page");
  EXPECT_EQ(state.hits[1].url, "https://wrapped.net/");
  EXPECT_TRUE(state.hits[1].links);
  EXPECT_EQ(state.hits[2].url, "https://mentions.net/");
  EXPECT_TRUE(state.hits[2].looked_at);
  EXPECT_FALSE(state.hits[2].links);
  EXPECT_EQ(robot.requests, (std::vector<std::string>{"GET " + results, "GET https://mentions.net/",
                                                      "GET https://links.net/", "GET https://wrapped.net/"}))
      << "no page of the engine but the one";
  EXPECT_TRUE(robot.list().empty());
  for (const TaskSpec& spec : robot.submitted) EXPECT_TRUE(spec.obey_robots);
}

TEST_F(SearchSourceTest, HitThatRedirects_IsThePageWhereItEnds) {
  robot.moved("https://links.net/", "http://www.links.net/");
  robot.moved("http://www.links.net/", "https://www.links.net/#top");
  robot.web["https://www.links.net/"].links = {WebRobot::link("https://page.org/a", "the very page")};
  robot.moved("https://wrapped.net/", "https://www.wrapped.net/");
  robot.web["https://www.wrapped.net/"].links = {WebRobot::link("https://page.org/a", "it, too")};
  const SearchState& state = ask();
  ASSERT_EQ(state.hits.size(), 3u);
  EXPECT_EQ(state.hits[0].url, "https://www.links.net/");
  EXPECT_TRUE(state.hits[0].links);
  EXPECT_EQ(state.hits[1].url, "https://www.wrapped.net/");
  EXPECT_TRUE(state.hits[1].looked_at);
}

TEST_F(SearchSourceTest, HitsThatEndAtTheSamePage_AreOne) {
  robot.moved("https://mentions.net/", "https://links.net/");
  robot.moved("https://wrapped.net/", "ftp://wrapped.net/");
  const SearchState& state = ask();
  ASSERT_EQ(state.hits.size(), 2u);
  EXPECT_EQ(state.hits[0].url, "https://links.net/");
  EXPECT_TRUE(state.hits[0].links);
  EXPECT_EQ(state.hits[1].url, "https://wrapped.net/");
  EXPECT_FALSE(state.hits[1].looked_at);
}

TEST_F(SearchSourceTest, Limit_HoldsForTheRobot) {
  settings->search_hits = 1;
  EXPECT_EQ(ask().hits.size(), 1u);
  EXPECT_EQ(robot.requests.size(), 2u);
}

TEST_F(SearchSourceTest, AnAnswer_IsGoodForAnHour) {
  ask();
  const std::size_t before = robot.requests.size();
  ask();
  EXPECT_EQ(robot.requests.size(), before);
  clock.advance(2h);
  ask();
  EXPECT_GT(robot.requests.size(), before);
}

TEST_F(SearchSourceTest, Silence_HasAReason) {
  robot.web[results].status = 503;
  EXPECT_EQ(ask().why, "the search engine answered with status 503");
  robot.web[results].robots_forbid = true;
  EXPECT_EQ(ask().why, "the robots.txt of the search engine does not allow it");
  robot.refuses = true;
  EXPECT_EQ(ask().why, "the disk is full");
  EXPECT_EQ(source.find(page)->stage, SearchState::Stage::failed);
}

TEST_F(SearchSourceTest, Questions_AreBounded) {
  robot.holds = true;
  for (std::size_t i = 0; i <= SearchSource::kMostWaiting; ++i)
    EXPECT_TRUE(source.ask(page + std::to_string(i), "", settings));
  EXPECT_FALSE(source.ask(page + "more", "", settings));
  EXPECT_EQ(robot.list().size(), 1u) << "one at a time";
  source.stop();
  EXPECT_TRUE(robot.list().empty());
}

}  // namespace
}  // namespace outrider
