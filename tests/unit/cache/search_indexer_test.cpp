#include "cache/search_indexer.hpp"

#include "tests/support/search_fixture.hpp"

#include <fmt/format.h>

#include <future>

namespace outrider {
namespace {

using std::chrono::milliseconds;

// A queue in memory. Tickets are "v…" for visited pages and "w…" for others: the map sorts the visited first.
class FakeSource final : public IndexSource {
 public:
  Result<std::vector<IndexEntry>> next(std::size_t limit) override {
    const std::lock_guard lock{mutex};
    std::vector<IndexEntry> entries;
    for (const auto& [ticket, page] : queue) {
      if (entries.size() == limit) break;
      entries.push_back({ticket, page, page.id});
    }
    largest = std::max(largest, entries.size());
    return entries;
  }
  Result<void> done(std::span<const std::string> tickets) override {
    const std::lock_guard lock{mutex};
    if (fail_done) return Error{ErrorKind::io, Side::self, "as if killed before this"};
    for (const std::string& ticket : tickets) {
      order.push_back(ticket);
      queue.erase(ticket);
    }
    changed.notify_all();
    return {};
  }
  Result<std::vector<IndexRemoval>> removals(std::size_t) override {
    const std::lock_guard lock{mutex};
    return to_remove;
  }
  Result<void> removed(std::span<const std::string> tickets) override {
    const std::lock_guard lock{mutex};
    EXPECT_EQ(tickets.size(), to_remove.size());
    to_remove.clear();
    return {};
  }
  Result<void> queue_everything() override {
    const std::lock_guard lock{mutex};
    ++everything;
    for (const SearchDocument& page : known) queue["w" + page.id] = page;
    return {};
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, SearchDocument> queue;
  std::vector<SearchDocument> known;
  std::vector<std::string> order;
  std::vector<IndexRemoval> to_remove;
  std::size_t largest = 0;
  int everything = 0;
  bool fail_done = false;
};

struct SearchIndexerTest : testing::SearchFixture {
  void queue(const std::string& ticket, SearchDocument page) {
    keep_text(page);
    const std::lock_guard lock{source.mutex};
    source.queue[ticket] = std::move(page);
  }
  void work() {
    SearchIndexer indexer{*index, source, clock};
    for (;;) {
      const auto more = indexer.step();
      ASSERT_TRUE(more.has_value()) << more.error().to_string();
      if (!*more) break;
    }
  }

  FakeSource source;
  FakeClock clock;
};

TEST_F(SearchIndexerTest, QueuedPages_BecomeSearchable_VisitedOnesFirst) {
  for (int i = 0; i < 300; ++i)
    queue(fmt::format("w{:03}", i), page(fmt::format("https://a{}.example/", i), "robot found", ""));
  queue("v1", page("https://visited.example/", "person read", ""));
  work();
  EXPECT_TRUE(source.queue.empty());
  EXPECT_EQ(source.order.front(), "v1");
  EXPECT_EQ(urls("person"), "https://visited.example/ ");
  EXPECT_EQ(index->pages(), 301u);
}

TEST_F(SearchIndexerTest, Batches_GrowWhileThereIsWork) {
  for (int i = 0; i < 1500; ++i)
    queue(fmt::format("w{:04}", i), page(fmt::format("https://a{}.example/", i), "robot found", ""));
  work();
  EXPECT_GT(source.largest, 64u);
}

TEST_F(SearchIndexerTest, NothingIsReportedAsDone_BeforeItIsCommitted) {
  queue("w1", page("https://a.example/", "something", ""));
  source.fail_done = true;
  {
    SearchIndexer indexer{*index, source, clock};
    EXPECT_FALSE(indexer.step().has_value());
  }
  EXPECT_EQ(source.queue.size(), 1u);
  open();  // as after a crash: it is in the index already, and comes again
  EXPECT_EQ(urls("something"), "https://a.example/ ");
  source.fail_done = false;
  work();
  EXPECT_TRUE(source.queue.empty());
  EXPECT_EQ(index->pages(), 1u);
}

TEST_F(SearchIndexerTest, Removals_LeaveTheIndex) {
  queue("w1", page("https://a.example/", "something", ""));
  work();
  source.to_remove = {{"r1", "https://a.example/"}};
  work();
  EXPECT_EQ(urls("something"), "");
  EXPECT_TRUE(source.to_remove.empty());
}

TEST_F(SearchIndexerTest, NewIndex_IsFedWithEverything_Once) {
  source.known = {page("https://a.example/", "something", ""), page("https://b.example/", "something", "")};
  work();
  EXPECT_EQ(index->pages(), 2u);
  open();
  work();
  EXPECT_EQ(source.everything, 1);
}

TEST_F(SearchIndexerTest, LostIndex_IsBuiltAnewFromTheSource) {
  source.known = {page("https://a.example/", "something", "")};
  work();
  index.reset();
  std::filesystem::remove(*SearchFolder{folder.path() / "search"}.current() / "iamglass");
  open();
  work();
  EXPECT_EQ(source.everything, 2);
  EXPECT_EQ(urls("something"), "https://a.example/ ");
}

TEST_F(SearchIndexerTest, PageThatIsGoneWhenItsTurnComes_LeavesTheIndex) {
  queue("w1", page("https://a.example/", "something", ""));
  work();
  struct Gone final : IndexSource {
    bool asked = false;
    Result<std::vector<IndexEntry>> next(std::size_t) override {
      std::vector<IndexEntry> entries;
      if (!std::exchange(asked, true)) entries.push_back({"w2", std::nullopt, "https://a.example/"});
      return entries;
    }
    Result<void> done(std::span<const std::string>) override { return {}; }
    Result<std::vector<IndexRemoval>> removals(std::size_t) override { return std::vector<IndexRemoval>{}; }
    Result<void> removed(std::span<const std::string>) override { return {}; }
    Result<void> queue_everything() override { return {}; }
  } gone;
  SearchIndexer indexer{*index, gone, clock};
  ASSERT_TRUE(indexer.step().value());
  EXPECT_EQ(urls("something"), "");
}

TEST_F(SearchIndexerTest, ErasedPage_IsInNoFile_WhileTheThreadRuns) {
  SearchIndexer indexer{*index, source};
  indexer.start();
  for (int i = 0; i < 50; ++i)
    queue(fmt::format("w{:03}", i), page(fmt::format("https://a{}.example/", i), "robot found", ""));
  queue("v1", page("https://secret.example/", "canaryquux canaryquux", ""));
  indexer.wake();
  {
    std::unique_lock lock{source.mutex};
    source.changed.wait(lock, [this] { return source.queue.empty(); });
  }
  const std::vector<std::string> ids{"https://secret.example/"};
  const auto erased = indexer.erase(ids);
  ASSERT_TRUE(erased.has_value()) << erased.error().to_string();
  EXPECT_FALSE(on_disk("canaryquux"));
  queue("v2", page("https://later.example/", "later", ""));
  indexer.wake();
  {
    std::unique_lock lock{source.mutex};
    source.changed.wait(lock, [this] { return source.queue.empty(); });
  }
  indexer.stop();
  EXPECT_EQ(urls("later"), "https://later.example/ ");
}

// The forgotten page linked to another one, which is found by the words of that link: they have to go, too.
TEST_F(SearchIndexerTest, WordsOfAForgottenPageOnOthers_AreErased_IfThoseAreQueuedAnew) {
  SearchDocument target = page("https://target.example/", "target", "");
  target.anchor_texts = {"canaryanchor"};
  queue("w1", page("https://secret.example/", "secret", ""));
  queue("w2", target);
  work();
  ASSERT_TRUE(on_disk("canaryanchor"));
  target.anchor_texts.clear();
  queue("w3", target);
  SearchIndexer indexer{*index, source, clock};
  const std::vector<std::string> ids{"https://secret.example/"};
  ASSERT_TRUE(indexer.erase(ids).has_value());
  EXPECT_FALSE(on_disk("canaryanchor"));
  EXPECT_EQ(urls("target"), "https://target.example/ ");
}

TEST_F(SearchIndexerTest, ManyReaders_WhileItWritesAndErases) {
  SearchIndexer indexer{*index, source, clock};
  std::atomic<bool> stop{false};
  std::vector<std::future<int>> readers;
  for (int r = 0; r < 3; ++r)
    readers.push_back(std::async(std::launch::async, [this, &stop] {
      int failures = 0;
      while (!stop)
        if (!index->query({}, {"shared words", 0, 10}, now)) ++failures;
      return failures;
    }));
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 20; ++i)
      queue(fmt::format("w{:03}", i), page(fmt::format("https://a{}.example/", i), "shared words", "text"));
    ASSERT_TRUE(indexer.step().has_value());
    if (round % 4 == 3) {
      ASSERT_TRUE(indexer.erase({}).has_value());
    }
  }
  stop = true;
  for (auto& reader : readers) EXPECT_EQ(reader.get(), 0);
}

}  // namespace
}  // namespace outrider
