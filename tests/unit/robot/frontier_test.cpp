#include "robot/frontier.hpp"

#include "robot/strategies/strategy.hpp"
#include "tests/support/process.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace outrider {
namespace {

class FrontierTest : public ::testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    frontier_.reset();
    auto opened = Frontier::open(directory_.path() / "robot");
    ASSERT_TRUE(opened) << opened.error().detail;
    frontier_ = std::move(*opened);
  }
  QueueEntry entry(std::uint64_t number) const {
    QueueEntry made;
    made.url = fmt::format("http://example.com/{}", number);
    made.id = frontier_->id_of(made.url);
    append_rising(made.key, number, 8);
    made.remaining = 3;
    made.depth = 7;
    made.redirects = 2;
    return made;
  }
  std::vector<std::string> urls(TaskId task, std::string_view after = "", std::size_t limit = 1000) const {
    std::vector<QueueEntry> loaded;
    more_ = frontier_->load(task, after, limit, loaded);
    std::vector<std::string> all;
    for (const QueueEntry& each : loaded) all.push_back(each.url.substr(19));
    return all;
  }
  SeenMark mark(TaskId task, const UrlId& id) {
    SeenMark found;
    frontier_->look_up(task, {&id, 1}, {&found, 1});
    return found;
  }
  using Urls = std::vector<std::string>;

  testing_support::TemporaryDirectory directory_;
  std::unique_ptr<Frontier> frontier_;
  mutable bool more_ = false;
};

TEST_F(FrontierTest, EntriesComeInTheOrderOfTheirKeys) {
  Frontier::Batch batch{*frontier_, 1};
  for (const std::uint64_t number : {300, 2, 70'000, 1}) batch.enqueue(entry(number));
  ASSERT_TRUE(batch.commit());
  EXPECT_EQ(urls(1), (Urls{"1", "2", "300", "70000"}));
  EXPECT_FALSE(more_);
  EXPECT_EQ(urls(1, "", 2), (Urls{"1", "2"}));
  EXPECT_TRUE(more_);
  EXPECT_EQ(urls(1, entry(2).key, 10), (Urls{"300", "70000"}));
}

TEST_F(FrontierTest, AnEntryKeepsAllItsFields) {
  Frontier::Batch batch{*frontier_, 1};
  QueueEntry given = entry(5);
  given.again = true;
  given.found = WallTime{std::chrono::seconds{1'790'000'000}};
  batch.enqueue(given);
  ASSERT_TRUE(batch.commit());
  const auto read = frontier_->entry(1, given.key);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->url, given.url);
  EXPECT_EQ(read->id, given.id);
  EXPECT_EQ(read->remaining, 3);
  EXPECT_EQ(read->depth, 7);
  EXPECT_EQ(read->redirects, 2);
  EXPECT_TRUE(read->again);
  EXPECT_EQ(read->found, given.found);
}

TEST_F(FrontierTest, TasksDoNotSeeEachOther) {
  for (const TaskId task : {1u, 2u, 0x01000000u}) {
    Frontier::Batch batch{*frontier_, task};
    batch.enqueue(entry(task));
    ASSERT_TRUE(batch.commit());
  }
  EXPECT_EQ(urls(1), (Urls{"1"}));
  EXPECT_EQ(mark(2, entry(1).id).state, UrlFate::State::unknown);
  ASSERT_TRUE(frontier_->remove(1));
  EXPECT_EQ(urls(1), Urls{});
  EXPECT_EQ(mark(1, entry(1).id).state, UrlFate::State::unknown);
  EXPECT_EQ(urls(2), (Urls{"2"}));
  EXPECT_EQ(urls(0x01000000u), (Urls{"16777216"}));
}

TEST_F(FrontierTest, WhatIsNotCommittedDidNotHappen) {
  {
    Frontier::Batch batch{*frontier_, 1};
    batch.enqueue(entry(1));
  }
  EXPECT_EQ(urls(1), Urls{});
  EXPECT_EQ(mark(1, entry(1).id).state, UrlFate::State::unknown);
}

TEST_F(FrontierTest, AResultAndItsLinksSurviveTheProcessTogether) {
  TaskStatistics statistics;
  statistics.checked = statistics.queued = 2;
  statistics.downloaded = statistics.pending = 1;
  statistics.under_way = 1;
  {
    Frontier::Batch begin{*frontier_, 1};
    begin.enqueue(entry(1));
    begin.save("the task");
    ASSERT_TRUE(begin.commit());
    Frontier::Batch page{*frontier_, 1};
    page.finish(entry(1), UrlFate::State::fetched, Reason::none, "200");
    page.enqueue(entry(2));
    page.reject(entry(3).id, Reason::robots, "Disallow: /3");
    page.save(statistics);
    ASSERT_TRUE(page.commit());
  }
  open();
  EXPECT_EQ(urls(1), (Urls{"2"}));
  EXPECT_EQ(mark(1, entry(1).id).state, UrlFate::State::fetched);
  EXPECT_EQ(mark(1, entry(2).id).state, UrlFate::State::queued);
  EXPECT_EQ(mark(1, entry(2).id).remaining, 3);
  const auto rejected = frontier_->seen(1, entry(3).id);
  ASSERT_TRUE(rejected);
  EXPECT_EQ(rejected->reason, Reason::robots);
  EXPECT_EQ(rejected->detail, "Disallow: /3");
  const auto tasks = frontier_->tasks();
  ASSERT_TRUE(tasks);
  ASSERT_EQ(tasks->size(), 1u);
  EXPECT_EQ(tasks->front().record, "the task");
  statistics.under_way = 0;  // nothing is under way in a new process
  EXPECT_EQ(tasks->front().statistics, statistics);
}

TEST_F(FrontierTest, AnEntryCanMoveToABetterPlace) {
  Frontier::Batch batch{*frontier_, 1};
  batch.enqueue(entry(5));
  batch.enqueue(entry(9));
  ASSERT_TRUE(batch.commit());
  QueueEntry better = entry(9);
  better.key = entry(1).key;
  Frontier::Batch move{*frontier_, 1};
  move.move(better, entry(9).key, *frontier_->seen(1, better.id));
  ASSERT_TRUE(move.commit());
  EXPECT_EQ(urls(1), (Urls{"9", "5"}));
  EXPECT_EQ(frontier_->seen(1, better.id)->key, better.key);
}

TEST_F(FrontierTest, TheCacheOfSeenUrlsNeverContradictsTheDisk) {
  // More URLs than the cache has places for: whether an answer comes from it or from the disk must not matter.
  constexpr std::uint64_t kMany = 300'000;
  for (std::uint64_t begin = 0; begin < kMany; begin += 10'000) {
    Frontier::Batch batch{*frontier_, 1};
    for (std::uint64_t i = begin; i < begin + 10'000; ++i)
      if (i % 2 == 0) batch.reject(entry(i).id, i % 4 == 0 ? Reason::depth : Reason::robots, "");
    ASSERT_TRUE(batch.commit());
  }
  std::vector<UrlId> ids;
  for (std::uint64_t i = 0; i < kMany; i += 7) ids.push_back(entry(i).id);
  std::vector<SeenMark> marks(ids.size());
  frontier_->look_up(1, ids, marks);
  for (std::size_t n = 0; n < ids.size(); ++n) {
    const std::uint64_t i = n * 7;
    ASSERT_EQ(marks[n].state, i % 2 == 0 ? UrlFate::State::rejected : UrlFate::State::unknown) << i;
    if (i % 2 != 0) continue;
    ASSERT_EQ(marks[n].reason, i % 4 == 0 ? Reason::depth : Reason::robots) << i;
  }
}

TEST_F(FrontierTest, WhatATaskHasSeenIsKnown_WhereverItBegan) {
  constexpr TaskId kOld = 1, kNew = 2;
  const auto begin = [this](TaskId task, std::uint64_t first, std::uint64_t end, bool anew = false) {
    Frontier::Batch batch{*frontier_, task};
    if (anew) batch.begin_anew();
    batch.save("record");
    for (std::uint64_t i = first; i < end; ++i) batch.enqueue(entry(i));
    ASSERT_TRUE(batch.commit());
  };
  const auto known = [this](TaskId task, std::uint64_t first, std::uint64_t end) {
    std::vector<UrlId> ids;
    for (std::uint64_t i = first; i < end; ++i) ids.push_back(entry(i).id);
    std::vector<SeenMark> marks(ids.size());
    frontier_->look_up(task, ids, marks);
    return std::count_if(marks.begin(), marks.end(),
                         [](const SeenMark& each) { return each.state == UrlFate::State::queued; });
  };
  begin(kOld, 0, 100);
  EXPECT_EQ(known(kOld, 0, 200), 100);
  open();
  begin(kNew, 50, 60);
  EXPECT_EQ(known(kOld, 0, 200), 100);
  EXPECT_EQ(known(kNew, 0, 200), 10);
  begin(kOld, 150, 151, true);
  EXPECT_EQ(known(kOld, 0, 200), 1);
  ASSERT_TRUE(frontier_->remove(kNew));
  EXPECT_EQ(known(kNew, 0, 200), 0);
}

TEST_F(FrontierTest, OfAUrlThatABatchNotesTwice_TheLastNoteCounts) {
  Frontier::Batch batch{*frontier_, 1};
  batch.reject(entry(1).id, Reason::depth, "too deep");
  for (std::uint64_t i = 2; i < 40; ++i) batch.reject(entry(i).id, Reason::depth, "");
  batch.enqueue(entry(1));
  ASSERT_TRUE(batch.commit());
  EXPECT_EQ(frontier_->seen(1, entry(1).id)->state, UrlFate::State::queued);
  EXPECT_EQ(frontier_->seen(1, entry(39).id)->state, UrlFate::State::rejected);
}

TEST_F(FrontierTest, LinksAreThereAtOnce_AndAfterAnEndInPeace) {
  const auto keep = [this](std::uint64_t page, std::string record) {
    Frontier::Batch batch{*frontier_, 1};
    batch.keep_links(entry(page).id, std::move(record));
    ASSERT_TRUE(batch.commit());
  };
  keep(1, "first");
  keep(1, "second");
  EXPECT_EQ(frontier_->links_of(entry(1).id), "second");
  for (std::uint64_t i = 2; i < 100; ++i) keep(i, std::string(20'000, 'x'));  // more than is held back
  EXPECT_EQ(frontier_->links_of(entry(1).id), "second");
  keep(1, "third");
  frontier_->put_down();
  open();
  EXPECT_EQ(frontier_->links_of(entry(1).id), "third");
  EXPECT_EQ(frontier_->links_of(entry(99).id)->size(), 20'000u);
  keep(1, "fourth");
  ASSERT_TRUE(frontier_->forget_links());
  EXPECT_EQ(frontier_->links_of(entry(1).id), std::nullopt);
  EXPECT_EQ(frontier_->links_of(entry(99).id), std::nullopt);
}

TEST(SeenFilter, SaysNoOnlyOfWhatItWasNotGiven) {
  SeenFilter filter{1 << 10};
  const auto id = [](std::uint64_t i) { return UrlId{i, i * 0x9E3779B97F4A7C15ull}; };
  EXPECT_FALSE(filter.may_hold(1, id(1)));
  for (std::uint64_t i = 0; i < 4096; ++i) filter.put(1, id(i));
  int wrong = 0;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    EXPECT_TRUE(filter.may_hold(1, id(i)));
    wrong += filter.may_hold(2, id(i)) ? 1 : 0;
    wrong += filter.may_hold(1, id(i + 4096)) ? 1 : 0;
  }
  EXPECT_LT(wrong, 8192 / 10);
  for (std::uint64_t i = 0; i < 1 << 14; ++i) filter.put(1, id(i));
  EXPECT_TRUE(filter.may_hold(7, id(1 << 20)));  // full: it knows nothing any more
}

TEST(FrontierCodec, DamagedRecordsAreNoRecords) {
  SeenRecord record;
  record.key = "key";
  const std::string bytes = encode_seen(record);
  for (std::size_t length = 0; length < 12; ++length)
    EXPECT_FALSE(decode_seen(std::string_view{bytes}.substr(0, length))) << length;
  EXPECT_TRUE(decode_seen(bytes));
  EXPECT_FALSE(decode_entry("k", "too short"));
  EXPECT_FALSE(decode_statistics("\1abc"));
}

TEST_F(FrontierTest, ATaskThatBeginsAnewForgetsAndFilesInOneBatch) {
  {
    Frontier::Batch batch{*frontier_, 1};
    batch.enqueue(entry(1));
    batch.finish(entry(2), UrlFate::State::fetched, Reason::none, "");
    ASSERT_TRUE(batch.commit());
  }
  Frontier::Batch other{*frontier_, 2};
  other.enqueue(entry(1));
  ASSERT_TRUE(other.commit());
  Frontier::Batch batch{*frontier_, 1};
  batch.begin_anew();
  batch.enqueue(entry(3));
  EXPECT_EQ(urls(1), (Urls{"1"})) << "not before it is written";
  ASSERT_TRUE(batch.commit());
  EXPECT_EQ(urls(1), (Urls{"3"}));
  EXPECT_EQ(mark(1, entry(2).id).state, UrlFate::State::unknown);
  EXPECT_EQ(mark(1, entry(3).id).state, UrlFate::State::queued);
  EXPECT_EQ(urls(2), (Urls{"1"}));
}

}  // namespace
}  // namespace outrider
