// What cards are told, and what the robot is sent for. The robot is a scripted one.
#include "plugins/hyperscout/look_ups.hpp"

#include "tests/unit/plugins/hyperscout/look_ups_stage.hpp"

#include <gmock/gmock.h>

#include <future>
#include <thread>

namespace outrider::hyperscout {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct LookUpsTest : LookUpsStage {};

// The server that the robot goes to must not see what is known.
TEST_F(LookUpsTest, KnownPage_IsToldAtOnce_AndTheRobotGoesAllTheSameButNothingComesOfIt) {
  known_page("http://a.example/x");
  const std::shared_ptr<PluginStream> stream = begin("http://a.example/x");
  const std::string line = stream->take().text;
  EXPECT_THAT(line, HasSubstr("\"title\":\"Known\""));
  EXPECT_THAT(line, Not(HasSubstr("looking")));
  begin("http://a.example/y");
  ASSERT_EQ(robot.submitted.size(), 2U);
  TaskSpec known = robot.submitted[0];
  EXPECT_FALSE(known.keep);
  EXPECT_TRUE(robot.submitted[1].keep);
  known.start = robot.submitted[1].start;
  known.keep = true;
  EXPECT_EQ(known, robot.submitted[1]) << "what else is asked of the robot";
  bring_page(1, "http://a.example/x");
  EXPECT_EQ(stream->take().text, "") << "the card has changed";
}

TEST_F(LookUpsTest, SamePage_IsAskedForOncePerSite_HoweverOftenAndWhateverIsKnown) {
  for (const char* url : {"http://a.example/known", "http://a.example/new"}) {
    if (std::string_view{url}.ends_with("known")) known_page(url);
    const std::size_t before = robot.submitted.size();
    begin(url, "www.page.example");
    bring_page(static_cast<TaskId>(before + 1), url);
    begin(url, "page.example");
    EXPECT_EQ(robot.submitted.size(), before + 1) << url;
    begin(url, "other.example");
    EXPECT_EQ(robot.submitted.size(), before + 2) << url << ": another site must not see what this one asked for";
    EXPECT_NE(robot.submitted[before].apart, robot.submitted[before + 1].apart);
    EXPECT_THAT(robot.submitted[before].apart, Not(HasSubstr("page.example")));
    end_task(static_cast<TaskId>(before + 2), fate(UrlFate::State::fetched, ""));
    clock.advance(settings.refresh_after);
    begin(url, "page.example");
    EXPECT_EQ(robot.submitted.size(), before + 3) << url;
    end_task(static_cast<TaskId>(before + 3), fate(UrlFate::State::fetched, ""));
  }
}

// When it is asked for again depends on what the site answered, which it knows itself.
TEST_F(LookUpsTest, SomethingIsForgotten_AllMayBeAskedForAgain) {
  begin("http://a.example/x");
  bring_page(1, "http://a.example/x");
  ++memory.forgotten;
  begin("http://a.example/x");
  EXPECT_EQ(robot.submitted.size(), 2U);
}

TEST_F(LookUpsTest, UnknownPage_RobotGoesForItsBeginningUnderTheGuard) {
  EXPECT_EQ(begin("http://a.example/x")->take().text, "{\"looking\":true}\n");
  ASSERT_EQ(robot.submitted.size(), 1U);
  const TaskSpec& spec = robot.submitted[0];
  EXPECT_THAT(spec.start, ElementsAre("http://a.example/x"));
  EXPECT_TRUE(spec.prefetch);
  EXPECT_TRUE(spec.interactive);
  EXPECT_TRUE(spec.obey_robots);
  EXPECT_EQ(spec.depth, 0);
  EXPECT_FALSE(spec.head_only);
  EXPECT_GT(spec.first_bytes, 0U);
}

TEST_F(LookUpsTest, Film_OnlyItsHeadIsAskedFor) {
  begin("http://a.example/film.mp4");
  ASSERT_EQ(robot.submitted.size(), 1U);
  EXPECT_TRUE(robot.submitted[0].head_only);
}

TEST_F(LookUpsTest, PageOfTheRobot_StreamsIntoTheOpenCard) {
  const std::shared_ptr<PluginStream> stream = begin("http://a.example/x");
  stream->take();
  Node node;
  node.url = "http://a.example/x";
  node.status = 200;
  node.page.title = "Fresh";
  look_ups->arrived({1, node, {}, ""});
  const std::string line = stream->take().text;
  EXPECT_THAT(line, HasSubstr("\"title\":\"Fresh\""));
  EXPECT_THAT(line, HasSubstr("\"fresh\":true"));
  EXPECT_THAT(line, Not(HasSubstr("looking")));
}

TEST_F(LookUpsTest, TwoCardsForOnePage_OneErrand) {
  begin("http://a.example/x");
  const std::shared_ptr<PluginStream> second = begin("http://a.example/x");
  EXPECT_EQ(robot.submitted.size(), 1U);
  second->take();
  end_task(1, fate(UrlFate::State::failed, "404"));
  EXPECT_THAT(second->take().text, HasSubstr("\"state\":\"dead\",\"status\":404"));
}

// Offline, for example: the robot has asked nobody, so nothing is said of the page, and the next card may try again.
TEST_F(LookUpsTest, EveryStream_LastsEquallyLong) {
  Node node;
  node.url = "http://a.example/known";
  node.fetched_by = FetchedBy::browser;
  node.status = 200;
  node.page.title = "Known";
  node.last_fetched = clock.now();
  memory.nodes.push_back(node);
  const std::shared_ptr<PluginStream> known = begin("http://a.example/known"), unknown = begin("http://a.example/x");
  end_task(1, fate(UrlFate::State::fetched, ""));
  clock.advance(LookUps::kStreamLasts - std::chrono::milliseconds{1});
  look_ups->tick();
  EXPECT_FALSE(known->take().last);
  EXPECT_FALSE(unknown->take().last);
  clock.advance(std::chrono::milliseconds{1});
  look_ups->tick();
  EXPECT_TRUE(known->take().last);
  EXPECT_TRUE(unknown->take().last);
}

TEST_F(LookUpsTest, Budget_HoldsForAMinute) {
  settings.fetches_per_minute = 2;
  begin("http://a.example/1");
  begin("http://a.example/2");
  EXPECT_THAT(begin("http://a.example/3")->take().text, testing::EndsWith("{}\n"));
  EXPECT_EQ(robot.submitted.size(), 2U);
  clock.advance(std::chrono::seconds{61});
  begin("http://a.example/4");
  EXPECT_EQ(robot.submitted.size(), 3U);
}

TEST_F(LookUpsTest, Budget_IsThatOfASiteUnderAllItsNames_AndDoesNotTellOfOthers) {
  settings.fetches_per_minute = 2;
  begin("http://a.example/1", "x.page.example");
  begin("http://a.example/2", "y.page.example");
  begin("http://a.example/3", "z.page.example");
  EXPECT_EQ(robot.submitted.size(), 2U);
  for (const char* site : {"b.example", "c.example", "d.example"})
    for (const char* url : {"http://a.example/4", "http://a.example/5", "http://a.example/6"}) begin(url, site);
  EXPECT_EQ(robot.submitted.size(), 8U);
}

// Else a page would learn from what is left how many of the addresses it asked about are known.
TEST_F(LookUpsTest, Budget_IsTheSameWhateverIsKnown) {
  settings.fetches_per_minute = 2;
  known_page("http://a.example/known");
  begin("http://a.example/known");
  begin("http://a.example/known");
  begin("http://a.example/unknown");
  EXPECT_EQ(robot.submitted.size(), 1U);
}

TEST_F(LookUpsTest, ManyCardsForOnePage_WaitInALineOfLimitedLength) {
  settings.fetches_per_minute = 100;
  for (std::size_t i = 0; i < LookUps::kMostForOne; ++i) begin("http://a.example/x");
  EXPECT_THAT(begin("http://a.example/x")->take().text, testing::EndsWith("{}\n"));
  clock.advance(LookUps::kStreamLasts);
  look_ups->tick();
  EXPECT_EQ(begin("http://a.example/x")->take().text, "{\"looking\":true}\n");
  EXPECT_EQ(robot.submitted.size(), 1U);
}

TEST_F(LookUpsTest, RobotThatIsBusy_NeedNotCome) {
  begin("http://a.example/x");
  ASSERT_EQ(robot.submitted.size(), 1U);
  EXPECT_EQ(robot.submitted[0].expires, clock.now() + std::chrono::seconds{30});
}

TEST_F(LookUpsTest, OpenedPage_LikelyLinksAreFetchedQuietly_KnownOrNot) {
  settings.quiet_links = 2;
  open_page("http://a.example/");
  for (const char* target :
       {"http://a.example/known", "http://a.example/1", "http://a.example/2", "http://a.example/3"})
    link("http://a.example/", target);
  known_page("http://a.example/known");
  look_ups->visited({"", true}, "http://a.example/#top", settings);
  ASSERT_EQ(robot.submitted.size(), 2U);
  EXPECT_THAT(robot.submitted[0].start, ElementsAre("http://a.example/known"));
  EXPECT_FALSE(robot.submitted[0].keep);
  EXPECT_THAT(robot.submitted[1].start, ElementsAre("http://a.example/1"));
  EXPECT_TRUE(robot.submitted[1].keep);
  for (const TaskSpec& spec : robot.submitted) {
    EXPECT_FALSE(spec.interactive);
    EXPECT_TRUE(spec.prefetch);
    EXPECT_NE(spec.apart, "");
  }
  bring_page(1, "http://a.example/known");
  bring_page(2, "http://a.example/1");
  EXPECT_THAT(robot.removed, ElementsAre(TaskId{1}, TaskId{2}));
  look_ups->visited({"", true}, "http://a.example/", settings);  // for this site all of them were asked for
  EXPECT_EQ(robot.submitted.size(), 2U);
}

// That it becomes urgent must not depend on what is known either.
TEST_F(LookUpsTest, CardForAPageThatIsUnderWayInAdvance_WaitsForThat_AndItBecomesUrgent) {
  known_page("http://b.example/known");
  look_ups->passing({"", true}, page_at("http://a.example/"),
                    {"", {written("http://b.example/new"), written("http://b.example/known")}}, settings);
  ASSERT_EQ(robot.submitted.size(), 2U);
  const std::shared_ptr<PluginStream> card = begin("http://b.example/new", "www.a.example");
  begin("http://b.example/known", "www.a.example");
  EXPECT_EQ(robot.submitted.size(), 2U);
  ASSERT_EQ(robot.changed.size(), 2U);
  for (const auto& [task, spec] : robot.changed) EXPECT_TRUE(spec.interactive && spec.priority == 0) << task;
  EXPECT_FALSE(robot.changed[2].keep);
  EXPECT_EQ(card->take().text, "{\"looking\":true}\n");
  bring_page(1, "http://b.example/new");
  EXPECT_THAT(card->take().text, HasSubstr("\"fresh\":true"));
}

TEST_F(LookUpsTest, CardOfSomebodyWhoDoesNotKnowThePage_WhatIsUnderWayIsKeptForHim) {
  known_page("http://b.example/x").storage = StorageClass::personal;
  memory.nodes.back().owner = "ann";
  look_ups->begin({{"ann", true}, "http://b.example/x", "text", "page.example", false}, settings);
  ASSERT_EQ(robot.submitted.size(), 1U);
  EXPECT_FALSE(robot.submitted[0].keep);
  look_ups->begin({{"ben", true}, "http://b.example/x", "text", "page.example", false}, settings);
  EXPECT_EQ(robot.submitted.size(), 1U);
  EXPECT_TRUE(robot.changed[1].keep);
}

// What only this person may see has links that only he may follow.
TEST_F(LookUpsTest, OpenedPersonalPage_ItsLinksAreLeftAlone) {
  Node& page = open_page("http://a.example/");
  page.storage = StorageClass::personal;
  page.owner = "ann";
  link("http://a.example/", "http://a.example/1");
  look_ups->visited({"ann", true}, "http://a.example/", settings);
  EXPECT_THAT(robot.submitted, IsEmpty());
}

TEST_F(LookUpsTest, OpenedPageThatSaysNofollow_ItsLinksAreLeftAlone) {
  open_page("http://a.example/").page.robots.nofollow = true;
  link("http://a.example/", "http://a.example/1");
  look_ups->visited({"", true}, "http://a.example/", settings);
  EXPECT_THAT(robot.submitted, IsEmpty());
}

TEST_F(LookUpsTest, OpenedPageThatTheMemoryDoesNotKeep_ItsLinksAreLeftAlone) {
  link("http://a.example/", "http://a.example/1");
  look_ups->visited({"", true}, "http://a.example/", settings);
  EXPECT_THAT(robot.submitted, IsEmpty());
}

TEST_F(LookUpsTest, PassingPage_ItsLikelyLinksAreFetchedBeforeItsVisit_AndOnce) {
  settings.quiet_links = 2;
  look_ups->passing({"ann", true}, page_at("http://a.example/deep/page?x#top"),
                    {"/base/", {written("one"), written("//b.example/two#part"), written("three")}}, settings);
  ASSERT_EQ(robot.submitted.size(), 2U);
  EXPECT_THAT(robot.submitted[0].start, ElementsAre("http://a.example/base/one"));
  EXPECT_THAT(robot.submitted[1].start, ElementsAre("http://b.example/two"));
  EXPECT_TRUE(robot.submitted[0].prefetch);
  EXPECT_FALSE(robot.submitted[0].interactive);
  open_page("http://a.example/deep/page?x");
  link("http://a.example/deep/page?x", "http://a.example/four");
  look_ups->visited({"ann", true}, "http://a.example/deep/page?x#top", settings);
  EXPECT_EQ(robot.submitted.size(), 2U);
  look_ups->visited({"ann", true}, "http://a.example/deep/page?x", settings);  // again, from the browser's own cache
  ASSERT_EQ(robot.submitted.size(), 3U);
  EXPECT_THAT(robot.submitted[2].start, ElementsAre("http://a.example/four"));
}

TEST_F(LookUpsTest, PassingPage_VisitOfAnotherPersonIsAnother) {
  look_ups->passing({"ann", true}, page_at("http://a.example/"), {"", {written("one")}}, settings);
  open_page("http://a.example/");
  link("http://a.example/", "http://a.example/two");
  look_ups->visited({"ben", true}, "http://a.example/", settings);
  EXPECT_EQ(robot.submitted.size(), 2U);
}

TEST_F(LookUpsTest, PassingPage_PaysFromTheBudgetInAdvance) {
  settings.quiet_links = 3;
  settings.fetches_per_minute = 3;
  EXPECT_TRUE(look_ups->may_look_ahead("a.example", settings));
  const SeenLinks seen{"", {written("one"), written("two"), written("three"), written("four")}};
  look_ups->passing({"", true}, page_at("http://a.example/"), seen, settings);
  EXPECT_FALSE(look_ups->may_look_ahead("www.a.example", settings));
  EXPECT_TRUE(look_ups->may_look_ahead("b.example", settings));
  look_ups->passing({"", true}, page_at("http://a.example/2"), seen, settings);
  EXPECT_EQ(robot.submitted.size(), 3U);
  clock.advance(std::chrono::seconds{61});
  EXPECT_TRUE(look_ups->may_look_ahead("a.example", settings));
  settings.fetch = false;
  EXPECT_FALSE(look_ups->may_look_ahead("a.example", settings));
}

TEST_F(LookUpsTest, WithoutARobot_TheCardIsOfTheMemoryAlone) {
  ports.robot = nullptr;
  look_ups = std::make_unique<LookUps>(ports);
  EXPECT_EQ(begin("http://a.example/x")->take().text, "{}\n");
}

TEST_F(LookUpsTest, SwitchedOff_TheRobotIsNotSent) {
  settings.fetch = false;
  begin("http://a.example/x");
  EXPECT_THAT(robot.submitted, IsEmpty());
}

// A page that measures how long the answer takes must not learn what is known: not even from a disk that takes its
// time.
TEST_F(LookUpsTest, Marks_AreToldWhenTheirTimeIsOver_WhateverIsStillBeingRead) {
  struct SlowMemory final : test::ScriptedMemory {
    std::promise<void> answered;
    Result<std::optional<Node>> node(const Viewer& viewer, std::string_view url, bool a, bool b) const override {
      until_.wait();
      return ScriptedMemory::node(viewer, url, a, b);
    }
    std::shared_future<void> until_{answered.get_future()};
  } slow;
  test::ThreadByHand thread;
  ports.memory = &slow;
  ports.own_thread = &thread;
  look_ups = std::make_unique<LookUps>(ports);
  const std::shared_ptr<PluginStream> stream = look_ups->marks({"", true}, {"http://a.example/dead"});
  EXPECT_EQ(test::all_of(*stream), "{}");
  slow.answered.set_value();
  look_ups->stop();
}

}  // namespace
}  // namespace outrider::hyperscout
