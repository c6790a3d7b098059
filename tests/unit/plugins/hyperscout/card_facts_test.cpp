#include "plugins/hyperscout/card_facts.hpp"

#include "tests/support/scripted_memory.hpp"

#include <gtest/gtest.h>
#include <boost/json/serialize.hpp>

namespace outrider::hyperscout {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow{1'700'000'000s};

Node page(std::string url) {
  Node node;
  node.url = std::move(url);
  node.fetched_by = FetchedBy::browser;
  node.status = 200;
  node.mime = "text/html";
  node.page.title = "A title";
  node.page.deep = true;
  node.last_fetched = kNow - 1h;
  return node;
}

struct CardFactsTest : ::testing::Test {
  KnownFacts ask(std::string url = "http://a.example/") {
    return facts_from_memory(memory, {{"", true}, std::move(url), kNow, 24h * 7});
  }
  std::string text(std::string_view key, std::string url = "http://a.example/") {
    const boost::json::object facts = ask(std::move(url)).facts;
    const boost::json::value* value = facts.if_contains(key);
    return value == nullptr ? "absent" : boost::json::serialize(*value);
  }
  test::ScriptedMemory memory;
};

TEST_F(CardFactsTest, WhatIsNotKnown_IsAbsent) {
  EXPECT_TRUE(ask().facts.empty());
  EXPECT_TRUE(ask().worth_a_look);
  memory.nodes.push_back(page("http://a.example/"));
  for (const char* key : {"description", "author", "published", "visits", "visited", "changed", "links_in", "links_out",
                          "linked_by", "reading", "size", "language", "site", "moved_to", "copy"})
    EXPECT_EQ(text(key), "absent") << key;
  EXPECT_EQ(text("title"), "\"A title\"");
  EXPECT_EQ(text("state"), "\"alive\"");
  EXPECT_FALSE(ask().worth_a_look);
}

TEST_F(CardFactsTest, OnlyTheBeginningIsKnown_NobodySaysHowLongItTakesToRead) {
  Node node = page("http://a.example/");
  node.page.reading_seconds = 120;
  node.decoded_size = 4'000'000;
  memory.nodes = {node};
  EXPECT_EQ(text("reading"), "120");
  memory.nodes[0].partial = true;
  EXPECT_EQ(text("reading"), "absent");
  EXPECT_EQ(text("size"), "4000000");
}

TEST_F(CardFactsTest, NoDescription_FirstSentencesOfTheText) {
  Node node = page("http://a.example/");
  node.page.text = "First sentence. Second one.";
  node.has_text = true;
  memory.nodes.push_back(node);
  EXPECT_EQ(text("description"), "\"First sentence. Second one.\"");
  EXPECT_EQ(text("copy"), "true");
}

TEST_F(CardFactsTest, HeadingsAboveTheText_AreNotItsFirstSentences) {
  Node node = page("http://a.example/");
  node.page.headings = {{1, "A title"}, {2, "About it"}};
  node.page.text = "A title\nAbout it\nThe first sentence.\nA title";
  memory.nodes = {node};
  EXPECT_EQ(text("description"), "\"The first sentence. A title\"");
  memory.nodes[0].page.text = "A title";
  EXPECT_EQ(text("description"), "absent");
}

TEST_F(CardFactsTest, Visits_AreTheReaders) {
  Node node = page("http://a.example/");
  node.visit_count = 3;
  node.last_visit = kNow - 48h;
  node.last_changed = kNow - 2h;
  memory.nodes.push_back(node);
  EXPECT_EQ(text("visits"), "3");
  EXPECT_EQ(text("visited"), std::to_string((1'700'000'000LL - 48 * 3600) * 1000));
  EXPECT_EQ(text("changed"), "true");
}

TEST_F(CardFactsTest, GoneAndUnreachable_AreDead_TroubleIsNot) {
  Node gone = page("http://a.example/404");
  gone.status = 404;
  Node lost = page("http://a.example/lost");
  lost.error = NodeError::dns;
  Node busy = page("http://a.example/503");
  busy.status = 503;
  memory.nodes = {gone, lost, busy};
  EXPECT_EQ(text("state", gone.url), "\"dead\"");
  EXPECT_EQ(text("status", gone.url), "404");
  EXPECT_EQ(text("state", lost.url), "\"dead\"");
  EXPECT_EQ(text("trouble", lost.url), "\"no such server\"");
  EXPECT_EQ(text("state", busy.url), "\"failing\"");
  EXPECT_EQ(dead_word(gone), "404");
  EXPECT_EQ(dead_word(lost), "no such server");
  EXPECT_EQ(dead_word(busy), std::nullopt);
}

TEST_F(CardFactsTest, Redirect_IsFollowed_AndToldIfItLeadsElsewhere) {
  Node old = page("http://a.example/old");
  old.status = 301;
  old.redirects_to = "http://b.example/new";
  Node secure = page("http://a.example/");
  secure.status = 301;
  secure.redirects_to = "https://www.a.example/";
  Node there = page("http://b.example/new"), same = page("https://www.a.example/");
  there.page.title = "New home";
  memory.nodes = {old, secure, there, same};
  EXPECT_EQ(text("title", old.url), "\"New home\"");
  EXPECT_EQ(text("state", old.url), "\"moved\"");
  EXPECT_EQ(text("moved_to", old.url), "\"http://b.example/new\"");
  EXPECT_EQ(text("state", secure.url), "\"alive\"");
}

TEST_F(CardFactsTest, RedirectToAPageThatNobodyHasSeen_IsToldAndWorthALookNowAndThen) {
  Node old = page("http://a.example/"), heard_of;
  old.status = 301;
  old.mime = "text/plain";
  old.wire_size = 20;
  old.page = {};
  old.redirects_to = "http://b.example/new";
  heard_of.url = "http://b.example/new";
  memory.nodes = {old, heard_of};
  EXPECT_EQ(text("state"), "\"moved\"");
  EXPECT_EQ(text("moved_to"), "\"http://b.example/new\"");
  EXPECT_EQ(text("kind"), "absent");  // that is of the message, not of the page
  EXPECT_EQ(text("size"), "absent");
  EXPECT_FALSE(ask().worth_a_look);
  memory.nodes[0].last_fetched = kNow - 2h;
  EXPECT_TRUE(ask().worth_a_look);
}

TEST_F(CardFactsTest, RedirectsInACircle_End) {
  Node round = page("http://a.example/");
  round.status = 302;
  round.redirects_to = "http://a.example/";
  memory.nodes = {round};
  EXPECT_EQ(text("state"), "\"alive\"");
}

TEST_F(CardFactsTest, Neighbourhood_NamesOtherPagesOnce) {
  Node node = page("http://a.example/");
  node.in_degree = 2;
  node.out_degree = 7;
  Node one = page("http://one.example/");
  one.page.title = "One";
  memory.nodes = {node, one};
  for (const char* source :
       {"http://one.example/", "http://one.example/", "http://a.example/", "http://unknown.example/"}) {
    KnownLink link;
    link.source = source;
    link.link.target = "http://a.example/";
    memory.links.push_back(link);
  }
  EXPECT_EQ(text("links_in"), "2");
  EXPECT_EQ(text("links_out"), "7");
  EXPECT_EQ(text("linked_by"), R"([{"url":"http://one.example/","title":"One"}])");
}

TEST_F(CardFactsTest, OldOrOnlyHeardOf_IsWorthALook) {
  Node old = page("http://a.example/old");
  old.last_fetched = kNow - 24h * 8;
  Node heard = page("http://a.example/heard");
  heard.fetched_by = FetchedBy::nobody;
  Node dead = page("http://a.example/dead");
  dead.status = 404;
  dead.last_fetched = kNow - 10min;
  Node away = page("http://a.example/away");  // its server was, a moment ago
  away.error = NodeError::connect;
  away.last_fetched = kNow - 10min;
  memory.nodes = {old, heard, dead, away};
  EXPECT_TRUE(ask(away.url).worth_a_look);
  EXPECT_TRUE(ask(old.url).worth_a_look);
  EXPECT_TRUE(ask(heard.url).worth_a_look);
  EXPECT_FALSE(ask(dead.url).worth_a_look);
}

TEST(FirstSentencesTest, CutsBetweenSentencesElseBetweenWords) {
  EXPECT_EQ(first_sentences("Short.", 100), "Short.");
  EXPECT_EQ(first_sentences("One two three four. Five six seven eight.", 30), "One two three four.");
  EXPECT_EQ(first_sentences("one two three four five six", 12), "one two…");
  EXPECT_EQ(first_sentences("ääääääää", 5), "ää…");  // two bytes each: no half characters
}

}  // namespace
}  // namespace outrider::hyperscout
