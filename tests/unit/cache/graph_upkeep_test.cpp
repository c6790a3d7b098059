// Retention and eviction: what the robot fetched goes before what a person visited.
#include "cache/graph.hpp"
#include "tests/support/graph_fixture.hpp"

#include <random>

namespace outrider {
namespace {

using namespace std::chrono_literals;

class GraphUpkeepTest : public testing::GraphFixture {
 protected:
  GraphOptions limited() const {
    GraphOptions options = GraphFixture::options();
    options.disk_budget = 2 << 20;
    return options;
  }
  static std::string noise(unsigned seed, std::size_t size) {
    std::mt19937 random(seed);
    std::string text(size, ' ');
    for (char& letter : text) letter = static_cast<char>('a' + random() % 26);
    return text;
  }
  void put(const std::string& url, FetchedBy by, unsigned seed, std::size_t size) {
    Sighting page = sighting(url, {link("https://target.example/")});
    page.fetched_by = by;
    page.page.text = noise(seed, size);
    page.page.fingerprint = seed + 1;
    page.page.deep = true;
    record(page);
  }
  void upkeep() {
    while (graph_->upkeep()) {
    }
  }
};

TEST_F(GraphUpkeepTest, DiskBudget_TakesTheRobotsPagesFirst_OldestTextFirst) {
  for (unsigned i = 0; i < 60; ++i) {
    put(fmt::format("https://robot.example/{}", i), FetchedBy::robot, i, 50'000);
    put(fmt::format("https://person.example/{}", i), FetchedBy::browser, 1000 + i, 10'000);
    if (i == 20) clock_.advance(24h * 30);
  }
  visit("https://robot.example/0");  // old, fetched by the robot, but a person was there
  open(limited());
  upkeep();
  EXPECT_LE(graph_->stats().disk_bytes, 2u << 20);
  unsigned robot_texts = 0, old_texts = 0;
  for (unsigned i = 0; i < 60; ++i) {
    EXPECT_TRUE(node(fmt::format("https://person.example/{}", i))->has_text) << i;
    const auto robots = node(fmt::format("https://robot.example/{}", i));
    ASSERT_TRUE(robots);
    robot_texts += robots->has_text ? 1 : 0;
    old_texts += robots->has_text && i <= 20 && i != 0 ? 1 : 0;
  }
  EXPECT_TRUE(node("https://robot.example/0")->has_text);
  EXPECT_EQ(old_texts, 0u);
  EXPECT_GE(robot_texts, 1u);
  open(limited());
  upkeep();
  EXPECT_TRUE(node("https://person.example/0", {}, true)->page.text == noise(1000, 10'000));
}

TEST_F(GraphUpkeepTest, DiskBudget_IsSharedWithTheIndex) {
  for (unsigned i = 0; i < 30; ++i) put(fmt::format("https://robot.example/{}", i), FetchedBy::robot, i, 10'000);
  open(limited());
  std::uint64_t index_bytes = 0;
  bool shrinking = false;
  graph_->set_index_size([&] { return index_bytes; }, [&] { shrinking = true; }, [&] { return shrinking; });
  const auto texts = [this] {
    unsigned count = 0;
    for (unsigned i = 0; i < 30; ++i) {
      const auto found = node(fmt::format("https://robot.example/{}", i));
      count += found && found->has_text ? 1 : 0;
    }
    return count;
  };
  upkeep();
  EXPECT_EQ(texts(), 30u);
  index_bytes = 2 << 20;
  clock_.advance(60s);
  upkeep();
  const unsigned left = texts();
  EXPECT_LT(left, 30u);
  EXPECT_TRUE(shrinking) << "the index was asked to give something back";
  clock_.advance(60s);
  upkeep();
  EXPECT_EQ(texts(), left) << "until it has, nobody knows whether it was enough";
  graph_->set_index_size({}, {}, {});
}

// A disk of 100 MB, of which a tenth is left to others.
TEST_F(GraphUpkeepTest, DiskThatOthersFill_CostsTheRobotsTexts_ButNothingThatAPersonRead) {
  for (unsigned i = 0; i < 30; ++i) {
    put(fmt::format("https://robot.example/{}", i), FetchedBy::robot, i, 50'000);
    put(fmt::format("https://person.example/{}", i), FetchedBy::browser, 1000 + i, 10'000);
  }
  std::uint64_t available = 50 << 20;
  GraphOptions crowded = options();
  crowded.disk_space = [&](const auto&) { return DiskSpace{100 << 20, available}; };
  open(crowded);
  upkeep();
  EXPECT_TRUE(node("https://robot.example/7")->has_text);
  available = 1 << 20;
  clock_.advance(60s);
  upkeep();
  for (unsigned i = 0; i < 30; ++i) {
    EXPECT_FALSE(node(fmt::format("https://robot.example/{}", i)) &&
                 node(fmt::format("https://robot.example/{}", i))->has_text)
        << i;
    EXPECT_TRUE(node(fmt::format("https://person.example/{}", i))->has_text) << i;
  }
  put("https://robot.example/new", FetchedBy::robot, 77, 5000);
  put("https://person.example/new", FetchedBy::browser, 78, 5000);
  EXPECT_FALSE(node("https://robot.example/new")->has_text) << "its text can wait";
  EXPECT_TRUE(node("https://person.example/new")->has_text);
  available = 50 << 20;
  clock_.advance(60s);
  upkeep();
  put("https://robot.example/new", FetchedBy::robot, 79, 5000);
  EXPECT_TRUE(node("https://robot.example/new")->has_text);
}

TEST_F(GraphUpkeepTest, DiskBudget_WholePagesGoWhenTextIsNotEnough_WithTheirLinks) {
  for (unsigned i = 0; i < 3000; ++i) {
    Sighting page = sighting(fmt::format("https://robot.example/{}", i), {link("https://target.example/")});
    page.fetched_by = FetchedBy::robot;
    page.page.description = noise(i, 1500);
    record(page);
  }
  record(sighting("https://person.example/", {link("https://target.example/")}));
  open(limited());
  const EventCursor before = graph_->newest_event();
  upkeep();
  std::size_t left = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    const auto found = node(fmt::format("https://robot.example/{}", i));
    left += found ? 1 : 0;
  }
  EXPECT_LT(left, 3000u);
  EXPECT_EQ(in("https://target.example/").size(), std::min<std::size_t>(left + 1, 1000));
  EXPECT_TRUE(node("https://person.example/"));
  EXPECT_EQ(events(before).size(), std::min<std::size_t>(3000 - left, 10'000));
  EXPECT_EQ(graph_->next_to_unindex(10'000)->size(), 3000 - left);
  EXPECT_EQ(queued().size(), std::min<std::size_t>(left + 1, 1000)) << "what is gone waits for nothing";
}

TEST_F(GraphUpkeepTest, TextsOfTheRobot_GoAfterTheirTime) {
  GraphOptions ageing = options();
  ageing.keep_text = 24h * 10;
  open(ageing);
  put("https://robot.example/", FetchedBy::robot, 1, 1000);
  put("https://person.example/", FetchedBy::browser, 2, 1000);
  upkeep();
  EXPECT_TRUE(node("https://robot.example/")->has_text);
  clock_.advance(24h * 11);
  upkeep();
  EXPECT_FALSE(node("https://robot.example/")->has_text);
  EXPECT_TRUE(node("https://robot.example/")) << "its address, title and links stay";
  EXPECT_TRUE(node("https://person.example/")->has_text);
}

TEST_F(GraphUpkeepTest, Bodies_AreKeptWhereThatIsWanted) {
  put("https://a.example/", FetchedBy::robot, 1, 100);
  const PageRef page{"https://a.example/", "", StorageClass::open};
  ASSERT_TRUE(graph_->record_body(page, "<html>"));
  EXPECT_FALSE(node("https://a.example/")->has_body);
  GraphOptions keeping = options();
  keeping.keep_bodies = true;
  keeping.keep_body = 24h;
  open(keeping);
  ASSERT_TRUE(graph_->record_body(page, "<html>"));
  EXPECT_TRUE(node("https://a.example/")->has_body);
  EXPECT_EQ(**graph_->body({}, "https://a.example/"), "<html>");
  clock_.advance(48h);
  upkeep();
  EXPECT_FALSE(node("https://a.example/")->has_body);
  EXPECT_FALSE(*graph_->body({}, "https://a.example/"));
}

}  // namespace
}  // namespace outrider
