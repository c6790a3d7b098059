#include "cache/ingest_pool.hpp"

#include "tests/support/ingest_fixture.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace outrider {
namespace {

class IngestPoolTest : public testing::IngestFixture {};

TEST_F(IngestPoolTest, a_page_becomes_a_node_with_links_in_both_directions) {
  std::vector<Arrival> arrivals;
  arrivals.push_back(page("http://a.example/"));
  take_in(std::move(arrivals));
  const auto found = node("http://a.example/");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->page.title, "T");
  EXPECT_TRUE(found->page.deep);
  EXPECT_EQ(found->fetched_by, FetchedBy::browser);
  EXPECT_TRUE(found->has_body);
  EXPECT_EQ(*graph_->body({}, "http://a.example/"), "<title>T</title><a href=/b>to b</a>");
  const Result<LinkPage> in = graph_->links_to({}, "http://a.example/b", {});
  ASSERT_TRUE(in);
  ASSERT_EQ(in->links.size(), 1U);
  EXPECT_EQ(in->links[0].source, "http://a.example/");
  EXPECT_EQ(in->links[0].link.text, "to b");
}

TEST_F(IngestPoolTest, the_robot_hears_of_the_links) {
  std::atomic<int> heard = 0;
  Arrival arrival = page("http://a.example/");
  arrival.by = FetchedBy::robot;
  arrival.on_scanned = [&](const Ingested& ingested) {
    if (ingested.is_new && ingested.links.size() == 1 && ingested.node.page.title == "T") ++heard;
  };
  std::vector<Arrival> arrivals;
  arrivals.push_back(std::move(arrival));
  take_in(std::move(arrivals));
  EXPECT_EQ(heard, 1);
  EXPECT_TRUE(node("http://a.example/")->page.deep);
}

TEST_F(IngestPoolTest, nothing_but_url_and_time_of_what_must_never_be_kept) {
  Arrival secret = page("http://bank.example/", "<title>canary</title>");
  secret.storage = StorageClass::never;
  secret.visit.emplace();
  secret.visit->certain = true;
  std::vector<Arrival> arrivals;
  arrivals.push_back(std::move(secret));
  take_in(std::move(arrivals));
  const std::vector<Visit> noted = visits();
  ASSERT_EQ(noted.size(), 1U);
  EXPECT_EQ(noted[0].url, "http://bank.example/");
  EXPECT_EQ(noted[0].title, "");
  const auto found = node("http://bank.example/");
  if (found) {
    EXPECT_EQ(found->page.title, "");
    EXPECT_EQ(found->fetched_by, FetchedBy::nobody);
  }
}

TEST_F(IngestPoolTest, personal_pages_are_for_their_owner) {
  Arrival mine = page("http://a.example/inbox");
  mine.storage = StorageClass::personal;
  mine.user = "ann";
  std::vector<Arrival> arrivals;
  arrivals.push_back(std::move(mine));
  take_in(std::move(arrivals));
  EXPECT_TRUE(node("http://a.example/inbox", {"ann", true}));
  EXPECT_FALSE(node("http://a.example/inbox", {"bob", true}));
  EXPECT_FALSE(node("http://a.example/inbox", Viewer::nobody()));
}

TEST_F(IngestPoolTest, a_frame_is_no_visit_where_the_browser_does_not_tell) {
  std::vector<Arrival> first;
  first.push_back(page("http://a.example/", "<iframe src=/frame></iframe><a href=/click>x</a>"));
  take_in(std::move(first));
  std::vector<Arrival> arrivals;
  for (const char* url : {"http://a.example/frame", "http://a.example/click"}) {
    Arrival arrival = page(url);
    arrival.visit = VisitClaim{false, "http://a.example/"};
    arrivals.push_back(std::move(arrival));
  }
  take_in(std::move(arrivals));
  const std::vector<Visit> noted = visits();
  ASSERT_EQ(noted.size(), 1U);
  EXPECT_EQ(noted[0].url, "http://a.example/click");
}

TEST_F(IngestPoolTest, a_frame_that_must_not_be_kept_is_no_visit_either_and_its_referrer_is_not_written) {
  std::vector<Arrival> first;
  first.push_back(page("http://a.example/", "<iframe src=/frame></iframe><a href=/click>x</a>"));
  take_in(std::move(first));
  std::vector<Arrival> arrivals;
  for (const char* url : {"http://a.example/frame", "http://a.example/click"}) {
    Arrival arrival = page(url);
    arrival.storage = StorageClass::never;
    arrival.visit = VisitClaim{false, "http://a.example/"};
    arrivals.push_back(std::move(arrival));
  }
  take_in(std::move(arrivals));
  const std::vector<Visit> noted = visits();
  ASSERT_EQ(noted.size(), 1U);
  EXPECT_EQ(noted[0].url, "http://a.example/click");
  EXPECT_EQ(noted[0].referrer, "");
  EXPECT_EQ(noted[0].came_from, 0U);
  EXPECT_EQ(noted[0].link_text, "");
}

TEST_F(IngestPoolTest, a_hit_is_taken_in_only_if_the_memory_does_not_know_it) {
  Arrival hit = page("http://a.example/", "<title>first</title>");
  hit.from_store = true;
  std::vector<Arrival> arrivals;
  arrivals.push_back(std::move(hit));
  take_in(std::move(arrivals));
  EXPECT_EQ(node("http://a.example/")->page.title, "first");
  Arrival again = page("http://a.example/", "<title>second</title>");
  again.from_store = true;
  arrivals.clear();
  arrivals.push_back(std::move(again));
  take_in(std::move(arrivals));
  EXPECT_EQ(node("http://a.example/")->page.title, "first");
  EXPECT_EQ(node("http://a.example/")->fetches, 1U);
}

TEST_F(IngestPoolTest, too_much_is_turned_away_but_visits_are_not) {
  IngestOptions options;
  options.threads = 0;  // nobody takes anything out
  options.most_waiting = 2;
  IngestPool pool{*graph_, options, metrics_};
  EXPECT_TRUE(pool.submit(page("http://a.example/1")));
  EXPECT_FALSE(pool.turns_away_asides());
  EXPECT_TRUE(pool.submit(page("http://a.example/2")));
  EXPECT_TRUE(pool.turns_away_asides());
  EXPECT_FALSE(pool.submit(page("http://a.example/3")));
  Arrival visited = page("http://a.example/4");
  visited.visit.emplace();
  EXPECT_TRUE(pool.submit(std::move(visited)));
  EXPECT_EQ(pool.queued(), 3U);
}

TEST_F(IngestPoolTest, when_some_of_it_is_read_there_is_room_again) {
  IngestOptions options;
  options.most_waiting = 1;
  IngestPool pool{*graph_, options, metrics_};
  for (int i = 0; i < 20; ++i) {
    while (pool.turns_away_asides()) std::this_thread::yield();
    Arrival picture = page("http://a.example/" + std::to_string(i), "");
    picture.headers.set("Content-Type", "image/png");
    EXPECT_TRUE(pool.submit(std::move(picture)));
  }
  pool.close();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(node("http://a.example/" + std::to_string(i))->mime, "image/png") << i;
}

TEST_F(IngestPoolTest, close_finishes_what_waits) {
  std::vector<Arrival> arrivals;
  for (int i = 0; i < 300; ++i) {
    Arrival arrival = page("http://a.example/" + std::to_string(i));
    arrival.by = FetchedBy::robot;
    arrivals.push_back(std::move(arrival));
  }
  take_in(std::move(arrivals));
  for (int i = 0; i < 300; ++i) {
    const auto found = node("http://a.example/" + std::to_string(i));
    ASSERT_TRUE(found) << i;
    EXPECT_TRUE(found->page.deep) << i;
  }
}

TEST_F(IngestPoolTest, half_a_page_does_not_take_the_place_of_the_whole) {
  std::vector<Arrival> arrivals;
  arrivals.push_back(page("http://a.example/", "<title>whole</title><p>words<a href=/b>b</a>"));
  take_in(std::move(arrivals));
  for (const FetchedBy by : {FetchedBy::browser, FetchedBy::robot}) {
    Arrival half = page("http://a.example/", "<title>ha");
    half.body_complete = false;
    half.by = by;
    arrivals.clear();
    arrivals.push_back(std::move(half));
    take_in(std::move(arrivals));
  }
  const auto found = node("http://a.example/");
  EXPECT_EQ(found->page.title, "whole");
  EXPECT_NE(found->page.text.find("words"), std::string::npos);
  EXPECT_EQ(found->out_degree, 1U);
  EXPECT_EQ(found->fetches, 3U);
  Arrival unknown = page("http://a.example/new", "<title>beginning</title>");
  unknown.body_complete = false;
  arrivals.clear();
  arrivals.push_back(std::move(unknown));
  arrivals.push_back(page("http://a.example/new", "<title>all of it</title>"));
  take_in(std::move(arrivals), {1});
  EXPECT_EQ(node("http://a.example/new")->page.title, "all of it");
}

TEST_F(IngestPoolTest, a_confirmed_page_that_the_memory_does_not_know_is_read) {
  Arrival validated = page("http://a.example/", "<title>T</title>words");
  validated.not_modified = true;
  std::vector<Arrival> arrivals;
  arrivals.push_back(std::move(validated));
  take_in(std::move(arrivals));
  EXPECT_EQ(node("http://a.example/")->page.text, "words");
  EXPECT_EQ(node("http://a.example/")->fetched_by, FetchedBy::browser);
}

TEST_F(IngestPoolTest, a_304_for_the_browser_confirms_the_page_that_is_known_and_makes_none) {
  std::vector<Arrival> arrivals;
  arrivals.push_back(page("http://a.example/"));
  take_in(std::move(arrivals));
  clock_.advance(std::chrono::hours{1});
  arrivals.clear();
  for (const char* url : {"http://a.example/", "http://a.example/unknown"}) {
    Arrival confirmed = page(url, "");
    confirmed.status = 304;
    confirmed.not_modified = true;
    confirmed.storage = StorageClass::personal;
    confirmed.user = "ann";
    confirmed.visit.emplace();
    confirmed.visit->certain = true;
    arrivals.push_back(std::move(confirmed));
  }
  take_in(std::move(arrivals));
  const auto found = node("http://a.example/", {"ann", true});
  EXPECT_EQ(found->page.title, "T");
  EXPECT_EQ(found->storage, StorageClass::open);
  EXPECT_EQ(found->last_fetched, clock_.now());
  const PageRef unknown{"http://a.example/unknown", "ann", StorageClass::personal};
  EXPECT_FALSE(*graph_->page(unknown, false));
  EXPECT_EQ(graph_->visits({"ann", true}, {})->size(), 2U);
}

TEST_F(IngestPoolTest, a_page_without_its_deep_parse_is_read_when_it_is_seen_again) {
  Arrival arrival = page("http://a.example/", "<title>T</title>words");
  Arrival again = arrival;
  ASSERT_TRUE(graph_->record(scan_answer(arrival).sighting));  // and then the process ended
  ASSERT_FALSE(node("http://a.example/")->page.deep);
  std::vector<std::string> tickets;
  for (const IndexItem& item : *graph_->next_to_index(10)) tickets.push_back(item.ticket);
  ASSERT_TRUE(graph_->indexed(tickets));
  again.from_store = true;
  std::vector<Arrival> arrivals;
  arrivals.push_back(std::move(again));
  take_in(std::move(arrivals));
  EXPECT_EQ(node("http://a.example/")->page.text, "words");
  EXPECT_EQ(graph_->next_to_index(10)->size(), 1U);
}

TEST_F(IngestPoolTest, the_robot_gets_the_links_also_if_nothing_can_be_written_and_the_visit_survives_its_listener) {
  Arrival arrival = page("http://a.example/");
  arrival.visit.emplace();
  arrival.visit->certain = true;
  int called = 0;
  arrival.on_scanned = [&](const Ingested&) {
    ++called;
    throw std::runtime_error{"listener"};
  };
  std::vector<Arrival> arrivals;
  arrivals.push_back(std::move(arrival));
  take_in(std::move(arrivals));
  EXPECT_EQ(called, 1);
  EXPECT_EQ(visits().size(), 1U);

  graph_->close();
  std::size_t links = 0;
  Arrival later = page("http://a.example/later");
  later.by = FetchedBy::robot;
  later.on_scanned = [&](const Ingested& ingested) { links = ingested.links.size(); };
  arrivals.clear();
  arrivals.push_back(std::move(later));
  take_in(std::move(arrivals));
  EXPECT_EQ(links, 1U);
}

TEST_F(IngestPoolTest, one_answer_is_taken_whatever_its_size) {
  IngestOptions small;
  small.most_waiting_bytes = 10;
  std::vector<Arrival> arrivals;
  arrivals.push_back(page("http://a.example/"));
  take_in(std::move(arrivals), small);
  EXPECT_EQ(node("http://a.example/")->page.title, "T");
}

}  // namespace
}  // namespace outrider
