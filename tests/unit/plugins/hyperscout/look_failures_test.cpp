// What comes of looks that brought no page: what the card says, and when the robot goes again.
#include "tests/unit/plugins/hyperscout/look_ups_stage.hpp"

#include <gmock/gmock.h>

namespace outrider::hyperscout {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct LookFailuresTest : LookUpsStage {};

TEST_F(LookFailuresTest, PageThatCouldNotBeHad_IsAskedForAgainAfterAnHour) {
  begin("http://a.example/x");
  end_task(1, fate(UrlFate::State::failed, "status 404"));
  begin("http://a.example/x");
  EXPECT_EQ(robot.submitted.size(), 1U);
  clock.advance(std::chrono::hours{1});
  begin("http://a.example/x");
  EXPECT_EQ(robot.submitted.size(), 2U);
}

TEST_F(LookFailuresTest, ServerThatWasAway_IsAskedAgainSoon_WhateverIsKnown) {
  known_page("http://a.example/known");
  for (const char* url : {"http://a.example/known", "http://a.example/new"}) {
    const std::size_t before = robot.submitted.size();
    begin(url);
    fail(static_cast<TaskId>(before + 1), NodeError::connect, "connect_refused");
    clock.advance(std::chrono::seconds{119});
    begin(url);
    EXPECT_EQ(robot.submitted.size(), before + 1) << url;
    clock.advance(std::chrono::seconds{1});
    begin(url);
    EXPECT_EQ(robot.submitted.size(), before + 2) << url;
    end_task(static_cast<TaskId>(before + 2), fate(UrlFate::State::fetched, ""));
  }
}

TEST_F(LookFailuresTest, PageThatNobodyMayKeep_IsAskedForEachTime) {
  begin("http://a.example/x");
  bring_page(1, "http://a.example/x", StorageClass::never);
  begin("http://a.example/x");
  EXPECT_EQ(robot.submitted.size(), 2U);
}

TEST_F(LookFailuresTest, PageThatTheRobotDidNotAskFor_IsTriedAgain) {
  begin("http://a.example/x");
  end_task(1, fate(UrlFate::State::rejected, "the budget of today is spent"));
  begin("http://a.example/x");
  EXPECT_EQ(robot.submitted.size(), 2U);
  end_task(2, fate(UrlFate::State::queued, ""));  // nobody had time
  begin("http://a.example/x");
  EXPECT_EQ(robot.submitted.size(), 3U);
}

TEST_F(LookFailuresTest, RefusedByTheGuard_CardSaysWhy_AndTheTaskIsRemoved) {
  const std::shared_ptr<PluginStream> stream = begin("http://a.example/logout");
  stream->take();
  end_task(1, fate(UrlFate::State::rejected, "looks like an action: logout"));
  EXPECT_THAT(stream->take().text, HasSubstr("\"refused\":\"looks like an action: logout\""));
  EXPECT_THAT(robot.removed, ElementsAre(TaskId{1}));
}

TEST_F(LookFailuresTest, DeadHost_CardSaysSoInTheSameWordsAsFromTheMemory) {
  const std::shared_ptr<PluginStream> stream = begin("http://a.example/x");
  stream->take();
  fail(1, NodeError::connect, "connect: 127.0.0.1: refused");  // the number is no status
  const std::string line = stream->take().text;
  EXPECT_THAT(line, HasSubstr("\"state\":\"dead\",\"trouble\":\"no connection\",\"tried\":"));
  EXPECT_THAT(line, Not(HasSubstr("fresh")));
}

TEST_F(LookFailuresTest, LookThatFailed_IsToldInsteadOfWhatWasKnown) {
  Node& node = known_page("http://a.example/x");
  node.last_fetched = clock.now() - std::chrono::hours{24 * 30};
  const std::shared_ptr<PluginStream> stream = begin("http://a.example/x");
  EXPECT_THAT(stream->take().text, HasSubstr("\"state\":\"alive\""));
  fail(1, NodeError::timeout, "timeout");
  const std::string line = stream->take().text;
  EXPECT_THAT(line, HasSubstr("\"state\":\"dead\""));
  EXPECT_THAT(line, HasSubstr("\"trouble\":\"no answer\""));
  EXPECT_THAT(line, HasSubstr("\"title\":\"Known\""));
}

TEST_F(LookFailuresTest, RobotThatMayNotAsk_SaysNothingOfThePage) {
  const std::shared_ptr<PluginStream> stream = begin("http://a.example/x");
  stream->take();
  end_task(1, fate(UrlFate::State::rejected, "Outrider is offline and has no copy of this page"));
  const std::string line = stream->take().text;
  EXPECT_THAT(line, HasSubstr("\"refused\":\"Outrider is offline"));
  EXPECT_THAT(line, Not(HasSubstr("state")));
  EXPECT_THAT(line, Not(HasSubstr("fresh")));
  begin("http://a.example/x");
  EXPECT_EQ(robot.submitted.size(), 2U);
}

TEST_F(LookFailuresTest, RobotThatHadNoTime_HasFetchedNothing) {
  const std::shared_ptr<PluginStream> stream = begin("http://a.example/x");
  stream->take();
  end_task(1, fate(UrlFate::State::queued, ""));
  EXPECT_EQ(stream->take().text, "{}\n");
}

TEST_F(LookFailuresTest, OnlyAnswersAreCounted) {
  for (const char* url : {"http://a.example/1", "http://a.example/2", "http://a.example/3"}) begin(url);
  bring_page(1, "http://a.example/1");
  fail(2, NodeError::connect, "connect_refused");
  look_ups->passing({"", true}, page_at("http://b.example/"),
                    {"", {written("http://c.example/1"), written("http://c.example/2")}}, settings);
  end_task(4, fate(UrlFate::State::fetched, "status 200"));
  end_task(5, fate(UrlFate::State::rejected, "robots.txt forbids it"));
  EXPECT_EQ(look_ups->counts().for_cards, 1U);
  EXPECT_EQ(look_ups->counts().in_advance, 1U);
}

TEST_F(LookFailuresTest, PageThatComesAfterTheEnd_IsHarmless) {
  begin("http://a.example/x");
  look_ups->stop();
  EXPECT_THAT(robot.removed, ElementsAre(TaskId{1}));
  look_ups->arrived({1, Node{}, {}, ""});
  look_ups->ended(1);
}

}  // namespace
}  // namespace outrider::hyperscout
