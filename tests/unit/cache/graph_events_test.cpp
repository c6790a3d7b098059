// The log of events, and the queue of the full-text index.
#include "cache/graph.hpp"
#include "tests/support/graph_fixture.hpp"

#include <gmock/gmock.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = MemoryEventKind;

class GraphEventsTest : public testing::GraphFixture {
 protected:
  GraphOptions options() const override {
    GraphOptions options = GraphFixture::options();
    options.keep_events = 50;
    options.keep_events_for = 24h;
    return options;
  }
};

std::vector<Kind> kinds(const std::vector<MemoryEvent>& events) {
  std::vector<Kind> all;
  for (const MemoryEvent& event : events) all.push_back(event.kind);
  return all;
}

TEST_F(GraphEventsTest, EveryNewThing_IsAnEvent_InOrder) {
  record(sighting("https://a.example/", {link("https://b.example/", "to b")}, "A"));
  auto all = events();
  EXPECT_THAT(kinds(all), ElementsAre(Kind::node_new, Kind::link_new));
  EXPECT_EQ(all[0].text, "A");
  EXPECT_EQ(all[1].url, "https://a.example/");
  EXPECT_EQ(all[1].target, "https://b.example/");
  EXPECT_EQ(all[1].text, "to b");
  const EventCursor middle = all[0].cursor;
  EXPECT_THAT(kinds(events(middle)), ElementsAre(Kind::link_new)) << "a cursor may stand anywhere";
  const EventCursor before = graph_->newest_event();
  EXPECT_EQ(before, all[1].cursor);
  record(sighting("https://a.example/", {link("https://b.example/", "to b")}, "A"));
  EXPECT_THAT(events(before), IsEmpty()) << "nothing is new";
  record(sighting("https://a.example/", {link("https://c.example/")}, "A2"));
  visit("https://a.example/");
  Sighting gone = sighting("https://a.example/");
  gone.status = 410;
  gone.has_page = false;
  record(gone);
  EXPECT_THAT(kinds(events(before)), ElementsAre(Kind::node_changed, Kind::link_new, Kind::visit, Kind::node_gone));
  const EventCursor newest = graph_->newest_event();
  open();
  EXPECT_EQ(graph_->newest_event(), newest);
  EXPECT_EQ(events().size(), 6u);
  EXPECT_EQ(graph_->events({}, 0, 3)->size(), 3u);
}

TEST_F(GraphEventsTest, Visits_AreSeenByTheirPerson_AndByTheHostOfPlugins) {
  record(sighting("https://a.example/"));
  const EventCursor before = graph_->newest_event();
  for (const char* user : {"", "ann", "ben"}) visit("https://a.example/", "", user);
  const auto users = [](const std::vector<MemoryEvent>& events) {
    std::vector<std::string> all;
    for (const MemoryEvent& event : events) all.push_back(event.user);
    return all;
  };
  EXPECT_THAT(users(events(before)), ElementsAre(""));
  EXPECT_THAT(users(events(before, {"ann", true})), ElementsAre("ann"));
  EXPECT_THAT(events(before, Viewer::nobody()), IsEmpty());
  EXPECT_THAT(users(*graph_->everybodys_events(before, 10)), ElementsAre("", "ann", "ben"));
  EXPECT_THAT(users(*graph_->everybodys_events(before + 1, 1)), ElementsAre("ann"));
}

TEST_F(GraphEventsTest, Subscribers_AreWoken_UntilTheyLetGo) {
  int woken = 0;
  auto handle = graph_->on_events([&] { ++woken; });
  record(sighting("https://a.example/"));
  EXPECT_EQ(woken, 1);
  record(sighting("https://a.example/"));
  EXPECT_EQ(woken, 1) << "nothing new";
  handle.reset();
  record(sighting("https://b.example/"));
  EXPECT_EQ(woken, 1);
}

TEST_F(GraphEventsTest, Log_IsTrimmedByNumberAndAge) {
  for (int i = 0; i < 200; ++i) record(sighting(fmt::format("https://a.example/{}", i)));
  graph_->upkeep();
  EXPECT_EQ(events().size(), 50u);
  EXPECT_EQ(events()[0].cursor, 151u);
  clock_.advance(48h);
  record(sighting("https://b.example/"));
  graph_->upkeep();
  EXPECT_EQ(events().size(), 1u);
  EXPECT_EQ(graph_->stats().events, 1u);
}

TEST_F(GraphEventsTest, IndexQueue_VisitedFirst_AndNothingIsLostByARestart) {
  Sighting robots = sighting("https://robot.example/");
  robots.fetched_by = FetchedBy::robot;
  record(robots);
  robots.url = "https://visited-later.example/";
  record(robots);
  record(sighting("https://browser.example/"));
  visit("https://visited-later.example/");
  open();
  EXPECT_THAT(queued(),
              ElementsAre("https://browser.example/", "https://visited-later.example/", "https://robot.example/"));
  const auto items = graph_->next_to_index(1);
  ASSERT_EQ(items->size(), 1u);
  EXPECT_TRUE(items->front().visited);
  ASSERT_TRUE(graph_->indexed(std::vector{items->front().ticket}));
  EXPECT_THAT(queued(), ElementsAre("https://visited-later.example/", "https://robot.example/"));
  record(sighting("https://browser.example/"));
  EXPECT_EQ(queued().size(), 2u) << "nothing changed, nothing to index";
}

TEST_F(GraphEventsTest, IndexQueue_PageThatChangesWhileItIsIndexed_IsIndexedAgain) {
  record(sighting("https://a.example/"));
  const auto items = graph_->next_to_index(10);
  record(sighting("https://a.example/", {}, "Changed"));
  ASSERT_TRUE(graph_->indexed(std::vector{items->front().ticket}));
  EXPECT_THAT(queued(), ElementsAre("https://a.example/"));
  EXPECT_NE(graph_->next_to_index(10)->front().key, "");
  ASSERT_TRUE(graph_->indexed(std::vector{graph_->next_to_index(10)->front().ticket}));
  EXPECT_THAT(queued(), IsEmpty());
  ASSERT_TRUE(graph_->queue_everything_for_index());
  EXPECT_THAT(queued(), ElementsAre("https://a.example/"));
}

}  // namespace
}  // namespace outrider
