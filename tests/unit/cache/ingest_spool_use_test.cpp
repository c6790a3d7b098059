// What the robot brings in bulk waits on disk until it is read (decision 0092).
#include "cache/ingest_pool.hpp"
#include "tests/support/ingest_fixture.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace outrider {
namespace {

// What the robot brings faster than it can be read.
struct IngestSpoolUseTest : testing::IngestFixture {
  IngestSpoolUseTest() { spool_ = std::move(*IngestSpool::open({folder_.path() / "unread", 1 << 20, 4096})); }
  Arrival bulk(std::string_view url, std::string body) {
    Arrival arrival = page(url, std::move(body));
    arrival.by = FetchedBy::robot;
    arrival.may_wait = true;
    arrival.on_scanned = [this](const Ingested& ingested) { links_ += ingested.links.size(); };
    return arrival;
  }
  IngestOptions with_spool() {
    IngestOptions options;
    options.spool = spool_.get();
    return options;
  }
  // With a memory that cannot be written nothing comes out of the spool.
  void put_into_spool(std::string_view url, std::string body) { ASSERT_TRUE(spool_->put(bulk(url, std::move(body)))); }
  void read_all() {
    IngestPool pool{*graph_, with_spool(), metrics_};
    while (pool.unread() > 0) std::this_thread::yield();
    pool.close();
  }
  static constexpr char kBody[] =
      "<title>T</title><h1>Birds</h1><p>All pelicans eat <a href=/fish>fish</a>, and they eat much of it.</p>";
  std::atomic<std::size_t> links_ = 0;
  std::unique_ptr<IngestSpool> spool_;
};

TEST_F(IngestSpoolUseTest, ItsLinksAreHeardOfAtOnce_AndItIsReadBehind) {
  IngestPool pool{*graph_, with_spool(), metrics_};
  ASSERT_TRUE(pool.submit(bulk("http://a.example/", kBody)));
  while (links_ == 0 || pool.unread() > 0) std::this_thread::yield();
  pool.close();
  const auto found = node("http://a.example/");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->page.deep);
  EXPECT_NE(found->page.text.find("pelicans"), std::string::npos);
  EXPECT_EQ(found->fetched_by, FetchedBy::robot);
  EXPECT_EQ(found->fetches, 1u);
  EXPECT_EQ(graph_->links_to({}, "http://a.example/fish", {})->links.size(), 1u);
  EXPECT_EQ(graph_->next_to_index(10)->size(), 1u);
}

TEST_F(IngestSpoolUseTest, WhoWantsOnlyLinks_GetsWhereTheyLead_InsteadOfTheirWords) {
  std::vector<std::string> urls;
  Arrival arrival = bulk("http://a.example/", kBody);
  arrival.only_links = true;
  arrival.headers.add("Link", "</next>; rel=next");
  arrival.on_scanned = [&](const Ingested& ingested) {
    for (const Url& url : ingested.urls) urls.push_back(url.href());
    for (const Link& link : ingested.links) urls.push_back(link.target);
    ++links_;
  };
  IngestPool pool{*graph_, with_spool(), metrics_};
  ASSERT_TRUE(pool.submit(std::move(arrival)));
  while (links_ == 0 || pool.unread() > 0) std::this_thread::yield();
  pool.close();
  EXPECT_EQ(urls, (std::vector<std::string>{"http://a.example/fish", "", "http://a.example/next"}));
  EXPECT_EQ(graph_->links_to({}, "http://a.example/fish", {})->links.front().link.text, "fish");
}

// One thread finds the links of all of them, or two do: none may be left lying, however they come.
TEST_F(IngestSpoolUseTest, OfManyThatComeTogether_AllAreHeard) {
  constexpr std::size_t kMany = 500;
  IngestPool pool{*graph_, with_spool(), metrics_};
  for (std::size_t i = 0; i < kMany; ++i) {
    Arrival arrival = bulk("http://a.example/" + std::to_string(i), "<a href=/>a</a>");
    arrival.only_links = i % 7 != 0;
    ASSERT_TRUE(pool.submit(std::move(arrival)));
    if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds{2});  // all of them sleep again
  }
  while (links_ < kMany) std::this_thread::yield();
  pool.close();
}

TEST_F(IngestSpoolUseTest, LinksDoNotWaitForAThreadThatHasMoreToDo) {
  std::atomic<bool> reading = false, may_go_on = false;
  Arrival slow = page("http://a.example/slow");
  slow.on_scanned = [&](const Ingested&) {
    reading = true;
    while (!may_go_on) std::this_thread::yield();
  };
  IngestPool pool{*graph_, with_spool(), metrics_};
  ASSERT_TRUE(pool.submit(std::move(slow)));
  while (!reading) std::this_thread::yield();
  Arrival arrival = bulk("http://a.example/", kBody);
  arrival.only_links = true;
  ASSERT_TRUE(pool.submit(std::move(arrival)));
  while (links_ == 0) std::this_thread::yield();
  may_go_on = true;
  pool.close();
}

TEST_F(IngestSpoolUseTest, WhatWasLeftUnread_IsReadByTheNextProcess) {
  for (int i = 0; i < 50; ++i) put_into_spool("http://a.example/" + std::to_string(i), kBody);
  spool_.reset();
  spool_ = std::move(*IngestSpool::open({folder_.path() / "unread", 1 << 20, 4096}));
  read_all();
  for (int i = 0; i < 50; ++i) {
    const auto found = node("http://a.example/" + std::to_string(i));
    ASSERT_TRUE(found) << i;
    EXPECT_TRUE(found->page.deep) << i;
  }
}

TEST_F(IngestSpoolUseTest, ThatAPageHasNotChanged_IsRememberedWithoutThePage) {
  put_into_spool("http://a.example/", kBody);
  read_all();
  const std::size_t looks = node("http://a.example/")->observations.size();
  clock_.advance(std::chrono::hours{1});
  for (const char* url : {"http://a.example/", "http://a.example/unknown"}) {
    Arrival note = bulk(url, "");
    note.status = 304;
    note.not_modified = true;
    note.on_scanned = nullptr;
    IngestPool pool{*graph_, with_spool(), metrics_};
    ASSERT_TRUE(pool.submit(std::move(note)));
    pool.close();  // from its queue it comes to the spool, at least
  }
  read_all();
  EXPECT_EQ(node("http://a.example/")->observations.size(), looks + 1);
  EXPECT_EQ(node("http://a.example/")->status, 200);
  EXPECT_EQ(node("http://a.example/")->page.title, "T");
  EXPECT_FALSE(node("http://a.example/unknown"));
}

TEST_F(IngestSpoolUseTest, AnswersThatAreNoPages_WaitLikeOthers) {
  const auto answer = [this](const char* url, int status, std::string_view location) {
    Arrival arrival = bulk(url, "");
    arrival.on_scanned = nullptr;
    arrival.status = status;
    arrival.error = status >= 400 ? NodeError::http : NodeError::none;
    if (!location.empty()) arrival.headers.add("Location", location);
    return arrival;
  };
  {
    IngestPool pool{*graph_, with_spool(), metrics_};
    ASSERT_TRUE(pool.submit(answer("http://a.example/gone", 404, "")));
    ASSERT_TRUE(pool.submit(answer("http://a.example/moved", 301, "/here")));
    pool.close();
  }
  read_all();
  ASSERT_TRUE(node("http://a.example/gone"));
  EXPECT_EQ(node("http://a.example/gone")->status, 404);
  EXPECT_EQ(node("http://a.example/gone")->error, NodeError::http);
  ASSERT_TRUE(node("http://a.example/moved"));
  EXPECT_EQ(node("http://a.example/moved")->redirects_to, "http://a.example/here");
}

TEST_F(IngestSpoolUseTest, WhatWasSeenMeanwhile_IsNewer_AndStays) {
  put_into_spool("http://a.example/", "<title>old</title>");
  clock_.advance(std::chrono::seconds{1});
  std::vector<Arrival> arrivals;
  arrivals.push_back(page("http://a.example/", "<title>new</title>"));
  take_in(std::move(arrivals));
  read_all();
  EXPECT_EQ(node("http://a.example/")->page.title, "new");
  EXPECT_EQ(node("http://a.example/")->fetches, 1u);
}

TEST_F(IngestSpoolUseTest, WhatIsReadTwiceAfterACrash_CountsOnce) {
  put_into_spool("http://a.example/", kBody);
  put_into_spool("http://a.example/", kBody);
  read_all();
  EXPECT_EQ(node("http://a.example/")->fetches, 1u);
  EXPECT_EQ(node("http://a.example/")->observations.size(), 1u);
}

TEST_F(IngestSpoolUseTest, WhereThereIsNoRoom_ItIsReadAtOnce) {
  spool_ = std::move(*IngestSpool::open({folder_.path() / "small", 100, 4096}));
  std::vector<Arrival> arrivals;
  arrivals.push_back(bulk("http://a.example/", kBody));
  take_in(std::move(arrivals), with_spool());
  EXPECT_EQ(links_, 1u);
  EXPECT_TRUE(node("http://a.example/")->page.deep);
  EXPECT_EQ(spool_->waiting(), 0u);
}

TEST_F(IngestSpoolUseTest, WhoLooksAtThePage_FindsItThere) {
  Arrival preview = bulk("http://a.example/", kBody);
  preview.may_wait = false;
  std::atomic<bool> found = false;
  preview.on_scanned = [&](const Ingested&) { found = node("http://a.example/").has_value(); };
  std::vector<Arrival> arrivals;
  arrivals.push_back(std::move(preview));
  take_in(std::move(arrivals), with_spool());
  EXPECT_TRUE(found);
}

TEST_F(IngestSpoolUseTest, ForgettingASite_ReachesWhatWaits) {
  graph_->set_waiting_eraser([this](const Graph::Doomed& doomed) { return spool_->forget(doomed); });
  put_into_spool("http://www.a.example/", kBody);
  put_into_spool("http://b.example/", kBody);
  clock_.advance(std::chrono::seconds{1});
  ASSERT_TRUE(graph_->forget(ForgetScope::of_site("a.example")));
  read_all();
  EXPECT_FALSE(node("http://www.a.example/"));
  EXPECT_TRUE(node("http://b.example/"));
}

}  // namespace
}  // namespace outrider
