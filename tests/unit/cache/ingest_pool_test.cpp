#include "cache/ingest_pool.hpp"

#include "tests/support/process.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace outrider {
namespace {

class IngestPoolTest : public ::testing::Test {
 protected:
  IngestPoolTest() {
    GraphOptions options;
    options.folder = folder_.path() / "memory";
    options.background = false;
    graph_ = std::move(*Graph::open(options, metrics_, clock_));
  }
  ~IngestPoolTest() override { graph_->close(); }

  Arrival page(std::string_view url, std::string body = "<title>T</title><a href=/b>to b</a>") const {
    Arrival arrival;
    arrival.url = *Url::parse(url);
    arrival.status = 200;
    arrival.at = clock_.now();
    arrival.headers.add("Content-Type", "text/html; charset=utf-8");
    arrival.body = std::move(body);
    return arrival;
  }
  void take_in(std::vector<Arrival> arrivals, IngestOptions options = {}) {
    IngestPool pool{*graph_, options, metrics_};
    for (Arrival& arrival : arrivals) EXPECT_TRUE(pool.submit(std::move(arrival)));
    pool.close();
  }
  std::optional<Node> node(std::string_view url, const Viewer& viewer = {}) const {
    return *graph_->node(viewer, url, true);
  }
  std::vector<Visit> visits() const { return *graph_->visits({}, {}); }

  testing_support::TemporaryDirectory folder_;
  Metrics metrics_;
  FakeClock clock_;
  std::unique_ptr<Graph> graph_;
};

TEST_F(IngestPoolTest, a_page_becomes_a_node_with_links_in_both_directions) {
  std::vector<Arrival> arrivals;
  arrivals.push_back(page("http://a.example/"));
  take_in(std::move(arrivals));
  const auto found = node("http://a.example/");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->page.title, "T");
  EXPECT_TRUE(found->page.deep);
  EXPECT_EQ(found->fetched_by, FetchedBy::browser);
  const Result<LinkPage> in = graph_->links_to({}, "http://a.example/b", {});
  ASSERT_TRUE(in);
  ASSERT_EQ(in->links.size(), 1U);
  EXPECT_EQ(in->links[0].source, "http://a.example/");
  EXPECT_EQ(in->links[0].link.text, "to b");
}

TEST_F(IngestPoolTest, the_robot_hears_of_the_links_and_the_deep_parse_follows) {
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
  EXPECT_TRUE(pool.submit(page("http://a.example/2")));
  EXPECT_FALSE(pool.submit(page("http://a.example/3")));
  Arrival visited = page("http://a.example/4");
  visited.visit.emplace();
  EXPECT_TRUE(pool.submit(std::move(visited)));
  EXPECT_EQ(pool.queued(), 3U);
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

}  // namespace
}  // namespace outrider
