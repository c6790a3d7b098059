// The disk budget: hard, and spent on what is worth it.
#include "cache/store_eviction.hpp"

#include "tests/support/store_fixture.hpp"

namespace outrider {
namespace {

using testing::proven_body;
using testing::proves_itself;
using testing::store_head;
using testing::store_key;
using testing::StoreFixture;

class StoreEvictionTest : public StoreFixture {
 protected:
  // Memory so small that it does not answer for the disk.
  CacheSettings tight() const {
    CacheSettings settings = StoreFixture::settings();
    settings.memory = {32 << 20};
    settings.disk = {64 << 20};
    return settings;
  }
  void SetUp() override { open(tight()); }
  void reopen() {
    close();
    open(tight());
  }

  std::string noise(std::size_t length) {  // that does not become much smaller by compression
    std::string text(length, '\0');
    for (char& c : text) c = static_cast<char>('0' + random_() % 64);
    return text;
  }
  std::mt19937_64 random_{1};

  static std::string name(int i) { return "org.example/" + std::to_string(i); }
  // Puts in `count` bodies that nobody will ask for again.
  void fill(int from, int count, std::size_t length, bool visited = false) {
    Store::BeginOptions options;
    options.visited = visited;
    for (int i = from; i < from + count; ++i) {
      put(store_key(name(i)), proven_body(static_cast<unsigned>(i), length), store_head(), options);
      pace();
    }
    ASSERT_TRUE(flush());
  }
};

TEST_F(StoreEvictionTest, DiskBudget_IsNeverExceeded) {
  const std::uint64_t budget = tight().disk.bytes;
  std::uint64_t most = 0;
  for (int i = 0; i < 60; ++i) {
    fill(i * 40, 40, 60'000);
    const std::uint64_t now = files_bytes();
    most = std::max(most, now);
    ASSERT_LE(now, budget) << "after " << i;
  }
  EXPECT_GT(most, budget / 2) << "the budget is there to be used";
  EXPECT_GT(metric("outrider_store_evicted_total"), 1000);
  EXPECT_LE(store_->stats().disk_bytes, budget);
}

TEST_F(StoreEvictionTest, DiskBudget_HoldsForManySmallEntries_WhereTheIndexIsTheLargerPart) {
  const std::uint64_t budget = tight().disk.bytes;
  StoredHead head = store_head();
  for (int i = 0; i < 40'000; ++i) {
    head.response.headers.set("X-Noise", noise(600));
    put(store_key(name(i)), "tiny", head);
    pace();
    ASSERT_TRUE(i % 2000 != 1999 || files_bytes() <= budget) << i;
  }
}

TEST_F(StoreEvictionTest, OldestAndUnused_GoesFirst) {
  fill(0, 200, 60'000);
  fill(1000, 1500, 60'000);
  reopen();
  EXPECT_EQ(find(store_key(name(0))), nullptr);
  const auto young = body_of(store_key(name(2499)));
  ASSERT_TRUE(young);
  EXPECT_TRUE(proves_itself(*young));
}

TEST_F(StoreEvictionTest, AskedForAgain_IsSpared) {
  fill(0, 100, 60'000);
  reopen();  // memory is empty: these come from disk and are counted
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(find(store_key(name(i))));
    reopen();
  }
  fill(1000, 1000, 60'000);
  reopen();
  for (int i = 0; i < 10; ++i) {
    const auto body = body_of(store_key(name(i)));
    ASSERT_TRUE(body) << i;
    EXPECT_TRUE(*body == proven_body(static_cast<unsigned>(i), 60'000));
  }
  EXPECT_EQ(find(store_key(name(50))), nullptr);
  EXPECT_GE(metric("outrider_store_spared_total"), 0);
}

TEST_F(StoreEvictionTest, ReadByAPerson_OutlivesWhatTheRobotFetched) {
  for (int i = 0; i < 20; ++i) {
    Store::BeginOptions options;
    options.visited = i % 2 == 0;
    put(store_key(name(i)), proven_body(static_cast<unsigned>(i), 60'000), store_head(), options);
  }
  fill(1000, 1200, 60'000);
  reopen();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(find(store_key(name(i))) != nullptr, i % 2 == 0) << i;
}

// Everything is of the same value then, and what came first goes first, without being written again and again.
TEST_F(StoreEvictionTest, WherePeopleReadEverything_TheOldestGoesFirst) {
  fill(0, 3000, 60'000, true);
  const double evicted = metric("outrider_store_evicted_total");
  EXPECT_GT(evicted, 1500);
  EXPECT_LT(metric("outrider_store_spared_total"), evicted / 20);
  reopen();
  EXPECT_EQ(find(store_key(name(500))), nullptr);
  EXPECT_NE(find(store_key(name(2600))), nullptr);
}

TEST_F(StoreEvictionTest, WherePeopleReadEverything_WhatWasAskedForAgainIsSpared) {
  fill(0, 100, 60'000, true);
  for (int round = 0; round < 3; ++round) {
    reopen();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(find(store_key(name(i))));
  }
  fill(1000, 1000, 60'000, true);
  reopen();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(body_of(store_key(name(i)))) << i;
  EXPECT_EQ(find(store_key(name(50))), nullptr);
}

TEST_F(StoreEvictionTest, WhatPeopleRead_OutlivesACrawlThatComesAfterIt) {
  fill(0, 300, 60'000, true);
  fill(1000, 1000, 60'000, false);
  reopen();
  int there = 0;
  for (int i = 0; i < 300; ++i) there += find(store_key(name(i))) != nullptr ? 1 : 0;
  EXPECT_GT(there, 150) << "three fifths of what is evicted are written again at most";
}

// … but not for ever, or what was read once would fill the disk.
TEST_F(StoreEvictionTest, ReadOnceLongAgo_GoesInTheEnd) {
  Store::BeginOptions options;
  options.visited = true;
  put(store_key("visited"), proven_body(1, 60'000), store_head(), options);
  for (int round = 0; round < 8; ++round) fill(1000 * (round + 1), 1000, 60'000);
  reopen();
  EXPECT_EQ(find(store_key("visited")), nullptr);
}

TEST_F(StoreEvictionTest, LargeBodies_AreSparedOrDroppedAsAWhole) {
  for (int i = 0; i < 4; ++i) {
    Store::BeginOptions options;
    options.visited = true;
    auto writer = store_->begin(store_key(name(i)), store_head(), options);
    const std::string body = proven_body(static_cast<unsigned>(i), 3 << 20);
    for (std::size_t at = 0; at < body.size(); at += 500'000) {
      writer->append(std::string_view(body).substr(at, 500'000));
      pace();
    }
    ASSERT_TRUE(writer->commit());
  }
  for (int round = 0; round < 10; ++round) {
    fill(1000 * (round + 1), 150, 60'000);
    reopen();
    for (int i = 0; i < 4; ++i) {
      const EntryPtr entry = find(store_key(name(i)));
      if (!entry) continue;
      EXPECT_TRUE(read(entry->variants[0]) == proven_body(static_cast<unsigned>(i), 3 << 20));
    }
  }
}

// Somebody reads a body while its segment is evicted.
TEST_F(StoreEvictionTest, ReaderOfAnEvictedBody_IsNotDisturbed) {
  put(store_key("a"), proven_body(1, 3 << 20));
  ASSERT_TRUE(flush());
  reopen();
  const EntryPtr reading = find(store_key("a"));
  ASSERT_FALSE(reading->variants[0]->body->in_memory());
  fill(1000, 1500, 60'000);
  EXPECT_EQ(find(store_key("a")), nullptr);
  EXPECT_TRUE(read(reading->variants[0]) == proven_body(1, 3 << 20));
}

// Nobody removes the records of what goes with its segment. They are not there all the same, and not damaged either.
TEST_F(StoreEvictionTest, WhatWentWithItsSegment_IsNeitherFoundNorMissed) {
  constexpr int kAll = 2500;
  fill(0, kAll, 60'000);
  for (int round = 0; round < 4; ++round) {
    int there = 0;
    for (int i = 0; i < kAll; ++i) there += find(store_key(name(i))) != nullptr ? 1 : 0;
    EXPECT_GT(there, 600);
    EXPECT_LT(there, 1200);
    EXPECT_EQ(metric("outrider_store_damaged_total"), 0);
    if (round == 0) {
      EXPECT_EQ(metric("outrider_store_evicted_total"), kAll - there);
    }
    if (round == 1) {
      crash();  // without what was known about it
      open(tight());
    } else {
      reopen();
    }
  }
}

// One variant in a segment that goes, the other in a younger one.
TEST_F(StoreEvictionTest, VariantsInSeveralSegments_GoOneByOne) {
  for (int i = 0; i < 10; ++i)
    put(store_key(name(i)), proven_body(static_cast<unsigned>(i), 60'000), testing::store_head_with_vary("x", "old"));
  fill(1000, 180, 60'000);
  for (int i = 0; i < 10; ++i)
    put(store_key(name(i)), proven_body(100U + static_cast<unsigned>(i), 50'000),
        testing::store_head_with_vary("x", "new"));
  fill(2000, 830, 60'000);  // until the first ones go
  for (int round = 0; round < 2; ++round) {
    reopen();  // memory may know more than the disk
    for (int i = 0; i < 10; ++i) {
      const EntryPtr entry = find(store_key(name(i)));
      ASSERT_TRUE(entry);
      ASSERT_EQ(entry->variants.size(), 1U);
      EXPECT_EQ(entry->variants[0]->head.vary_request.at(0).value, "new");
      EXPECT_TRUE(read(entry->variants[0]) == proven_body(100U + static_cast<unsigned>(i), 50'000));
    }
    EXPECT_EQ(metric("outrider_store_damaged_total"), 0);
  }
}

// With all their variants and pieces gone, nothing of them stays in the index.
TEST_F(StoreEvictionTest, RecordsOfSeveralVariants_GoInTheEnd) {
  StoredHead head = testing::store_head_with_vary("x", "1");
  for (int i = 0; i < 1000; ++i) {
    for (const char* which : {"1", "2"}) {
      head.response.headers.set("X-Noise", noise(3000));
      head.vary_request.set("x", which);
      put(store_key("several/" + std::to_string(i)), "small", head);
    }
    put(store_key("pieces/" + std::to_string(i % 50)), proven_body(1, kChunk + 100), head);
    pace();
  }
  const std::uint64_t before = store_->stats().index_bytes;
  EXPECT_GT(before, 3'000'000U);
  for (int round = 0; round < 6; ++round) fill(1000 * (round + 1), 1000, 60'000);
  EXPECT_LT(store_->stats().index_bytes, before / 2);
}

// Who lowers the limit does not lose more than that to what has gone.
TEST_F(StoreEvictionTest, LowerBudget_IsNotSpentOnWhatHasGone) {
  StoredHead head = store_head();
  for (int i = 0; i < 12'000; ++i) {
    head.response.headers.set("X-Noise", noise(1500));
    put(store_key(name(i)), proven_body(1, 2000), head);
    pace();
  }
  ASSERT_TRUE(flush());
  close();
  CacheSettings lower = tight();
  lower.disk = {32 << 20};
  open(lower);
  EXPECT_GT(store_->stats().entries_estimate, 11'000U);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(flush());  // the writer has its turns
  EXPECT_LE(store_->stats().disk_bytes, lower.disk.bytes);
  int there = 0;
  for (int i = 0; i < 12'000; ++i) there += find(store_key(name(i))) != nullptr ? 1 : 0;
  EXPECT_GT(there, 4000) << "four and a half megabytes a thousand, with the index";
}

TEST_F(StoreEvictionTest, ReadByAPersonLater_IsSparedToo) {
  for (int i = 0; i < 20; ++i) put(store_key(name(i)), proven_body(static_cast<unsigned>(i), 60'000));
  ASSERT_TRUE(flush());
  for (int i = 0; i < 20; i += 2) store_->mark_visited(find(store_key(name(i))));
  fill(1000, 1200, 60'000);
  reopen();
  for (int i = 0; i < 20; i += 2) EXPECT_NE(find(store_key(name(i))), nullptr) << i;
}

// What is evicted lies in the spare file, and beyond the end of the one that takes its place.
TEST_F(StoreEvictionTest, EvictedAndForgotten_IsInNoFile) {
  for (int i = 0; i < 1200; ++i) {
    put(store_key("canary/" + std::to_string(i)), proven_body(1, 60'000));
    pace();
  }
  for (int i = 0; i < 60; ++i) {
    fill(10 * i, 10, 60'000);
    if (i % 20 != 19) continue;
    PurgeScope scope = PurgeScope::prefix("canary/");
    scope.forget = true;
    ASSERT_TRUE(purge(scope));
    EXPECT_EQ(files_with("canary/"), std::vector<std::string>{}) << i;
    for (int j = 0; j < 300; ++j) {
      put(store_key("canary/" + std::to_string(j)), proven_body(1, 60'000));
      pace();
    }
  }
}

std::string full_of(std::string_view canary, std::size_t length) {
  std::string body;
  while (body.size() < length) body += canary;
  return body;
}

// A segment that was being written over when the process ended still holds what was in it, with and without headers.
TEST_F(StoreEvictionTest, WrittenOverAndCrashed_ForgetLeavesNothing) {
  const std::string canary = "CANARY-0ve7.";
  for (int i = 0; i < 1200; ++i) {
    put(store_key("org.canary/" + std::to_string(i)), full_of(canary, 60'000));
    pace();
  }
  fill(0, 25, 50'100);
  crash();
  open(tight());
  PurgeScope scope = PurgeScope::prefix("org.canary/");
  scope.forget = true;
  ASSERT_TRUE(purge(scope));
  EXPECT_EQ(files_with(canary), std::vector<std::string>{});
  int there = 0;
  for (int i = 0; i < 25; ++i)
    if (const auto body = body_of(store_key(name(i)))) there += proves_itself(*body);
  EXPECT_EQ(there, 25);
  fill(100, 50, 60'000);  // and it goes on
  EXPECT_NE(body_of(store_key(name(120))), std::nullopt);
}

}  // namespace
}  // namespace outrider
