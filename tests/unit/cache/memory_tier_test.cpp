#include "cache/memory_tier.hpp"

#include "tests/support/store_fixture.hpp"

#include <gtest/gtest.h>

#include <malloc.h>

namespace outrider {
namespace {

bool holds(const MemoryTier& tier, const CacheKey& key) {
  return tier.peek(key) != nullptr;
}

using testing::store_head;

EntryPtr entry_with(const std::string& key, std::size_t body_length, std::string_view content = "text/plain") {
  auto body = std::make_shared<StoredBody>(BodyIdentity{});
  body->append(std::string(body_length, 'x'), body_length);
  body->finish(true);
  body->settle();
  auto variant = std::make_shared<StoredVariant>();
  variant->head = store_head(content);
  variant->body = body;
  auto entry = std::make_shared<StoredEntry>();
  entry->key = {key, std::hash<std::string>{}(key)*0x9e3779b97f4a7c15};
  entry->variants.push_back(variant);
  return entry;
}

void put(MemoryTier& tier, const EntryPtr& entry, bool pending = false) {
  tier.change(entry->key, pending, [&](const MemoryTier::Found&) { return entry; });
}

const MemoryTier::Change kErase = [](const MemoryTier::Found&) { return nullptr; };

std::string name(int i) {
  return "org.example/" + std::to_string(i);
}

TEST(MemoryTier, WhatIsPut_IsFound) {
  MemoryTier tier(1 << 20);
  const EntryPtr entry = entry_with("a", 100);
  put(tier, entry);
  EXPECT_EQ(tier.find(entry->key).entry, entry);
  EXPECT_TRUE(tier.find(entry->key).known);
  EXPECT_FALSE(tier.find({"b", 1}).known);
}

// Two keys with one hash are two keys.
TEST(MemoryTier, EqualHash_IsNotEqualKey) {
  MemoryTier tier(1 << 20);
  const EntryPtr entry = entry_with("a", 100);
  put(tier, entry);
  EXPECT_FALSE(tier.find({"b", entry->key.hash}).known);
}

TEST(MemoryTier, Budget_IsNeverExceeded) {
  MemoryTier tier(4 << 20);
  for (int i = 0; i < 5000; ++i) {
    put(tier, entry_with(name(i), static_cast<std::size_t>(i * 37 % 20'000)));
    ASSERT_LE(tier.bytes(), tier.budget());
  }
  EXPECT_GT(tier.entries(), 200U);
  EXPECT_GT(tier.bytes(), tier.budget() * 9 / 10);
}

// What is counted is what the allocator has given out, as far as it tells.
TEST(MemoryTier, CountedBytes_AreRealBytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's allocator spends more";
#else
  MemoryTier tier(64 << 20);
  const std::size_t before = ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
  for (int i = 0; i < 2000; ++i) put(tier, entry_with(name(i), 10'000));
  const auto real = static_cast<double>(::mallinfo2().uordblks + ::mallinfo2().hblkhd - before);
  EXPECT_NEAR(static_cast<double>(tier.bytes()) / real, 1.0, 0.05);
#endif
}

// S3-FIFO: what was asked for again stays; a long row of things asked for once passes by.
TEST(MemoryTier, Scan_DoesNotFlushWhatIsInUse) {
  MemoryTier tier(8 << 20);
  std::vector<EntryPtr> favourites;
  for (int i = 0; i < 200; ++i) {
    favourites.push_back(entry_with(name(i), 10'000));
    put(tier, favourites.back());
    tier.find(favourites.back()->key);
    tier.find(favourites.back()->key);
  }
  for (int i = 1000; i < 21'000; ++i) put(tier, entry_with(name(i), 10'000));
  std::size_t left = 0;
  for (const EntryPtr& favourite : favourites) left += holds(tier, favourite->key);
  EXPECT_EQ(left, favourites.size());
}

// … even when each thing of the row is asked for twice in quick succession.
TEST(MemoryTier, ScanThatTouchesEverythingTwice_LeavesMostOfWhatIsInUse) {
  MemoryTier tier(8 << 20);
  std::vector<EntryPtr> favourites;
  for (int i = 0; i < 200; ++i) favourites.push_back(entry_with(name(i), 10'000));
  const auto use_favourites = [&] {
    for (const EntryPtr& favourite : favourites) {
      if (!tier.find(favourite->key).entry) put(tier, favourite);
      tier.find(favourite->key);
      tier.find(favourite->key);
    }
  };
  use_favourites();
  int scanned = 1000;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 500; ++i) {
      const EntryPtr passing = entry_with(name(++scanned), 10'000);
      put(tier, passing);
      tier.find(passing->key);
    }
    std::size_t left = 0;
    for (const EntryPtr& favourite : favourites) left += holds(tier, favourite->key);
    ASSERT_GT(left, 190U) << "round " << round;
    use_favourites();
  }
}

TEST(MemoryTier, WhoComesBackSoon_GoesToTheMainQueue) {
  MemoryTier tier(4 << 20);
  for (int i = 0; i < 1000; ++i) put(tier, entry_with(name(i), 10'000));  // full: what comes is what goes
  const EntryPtr returning = entry_with("returning", 10'000);
  put(tier, returning);
  for (int i = 1000; holds(tier, returning->key); ++i) put(tier, entry_with(name(i), 10'000));
  put(tier, returning);  // the ghost remembers it
  for (int i = 5000; i < 6000; ++i) put(tier, entry_with(name(i), 10'000));
  EXPECT_TRUE(holds(tier, returning->key));
}

TEST(MemoryTier, DropsOfWhatWasUsed_AreReported) {
  std::vector<std::uint64_t> dropped;
  MemoryTier tier(2 << 20, [&](std::uint64_t hash) { dropped.push_back(hash); });
  const EntryPtr used = entry_with("used", 10'000);
  put(tier, used);
  tier.find(used->key);
  for (int i = 0; i < 1000; ++i) put(tier, entry_with(name(i), 10'000));
  EXPECT_EQ(dropped, std::vector<std::uint64_t>{used->key.hash});
}

// --- what the disk does not know yet

TEST(MemoryTier, PendingEntries_AreHeldBeyondTheBudget_UntilSettled) {
  MemoryTier tier(1 << 20);
  std::vector<EntryPtr> pending;
  for (int i = 0; i < 300; ++i) {
    pending.push_back(entry_with(name(i), 10'000));
    put(tier, pending.back(), true);
  }
  for (const EntryPtr& entry : pending) ASSERT_TRUE(holds(tier, entry->key));
  for (const EntryPtr& entry : pending) tier.settle(entry->key);
  EXPECT_LE(tier.bytes(), tier.budget());
}

TEST(MemoryTier, PendingRemoval_IsKnownAsAbsent_UntilSettled) {
  MemoryTier tier(1 << 20);
  const CacheKey key{"a", 1};
  tier.change(key, true, kErase);
  tier.change(key, true, kErase);
  EXPECT_TRUE(tier.find(key).known);
  EXPECT_FALSE(tier.find(key).entry);
  tier.settle(key);
  EXPECT_TRUE(tier.find(key).known);
  tier.settle(key);
  EXPECT_FALSE(tier.find(key).known);
  EXPECT_EQ(tier.entries(), 0U);
}

TEST(MemoryTier, ChangeThatIsNone_LeavesEverything) {
  MemoryTier tier(1 << 20);
  const EntryPtr entry = entry_with("a", 10);
  put(tier, entry);
  EXPECT_FALSE(tier.change(entry->key, true, [&](const MemoryTier::Found& now) {
    EXPECT_EQ(now.entry, entry);
    return std::nullopt;
  }));
  EXPECT_EQ(tier.find(entry->key).entry, entry);
  EXPECT_FALSE(tier.change({"b", 1}, true, [&](const MemoryTier::Found& now) {
    EXPECT_FALSE(now.known);
    return std::nullopt;
  }));
  EXPECT_FALSE(tier.find({"b", 1}).known);
}

TEST(MemoryTier, RemovalOfAPendingEntry_StaysKnown) {
  MemoryTier tier(1 << 20);
  const EntryPtr entry = entry_with("a", 10);
  put(tier, entry, true);
  tier.change(entry->key, false, kErase);
  EXPECT_TRUE(tier.find(entry->key).known);
  EXPECT_FALSE(tier.find(entry->key).entry);
  tier.settle(entry->key);
  EXPECT_FALSE(tier.find(entry->key).known);
}

// A reader of the disk that was overtaken by a change must not bring back the old state.
TEST(MemoryTier, LoadedEntry_IsRefusedIfSomethingChangedMeanwhile) {
  MemoryTier tier(1 << 20);
  const EntryPtr old = entry_with("a", 10);
  auto before = tier.epoch(old->key);
  tier.change(old->key, false, kErase);
  EXPECT_FALSE(tier.add_loaded(old, before));
  EXPECT_FALSE(holds(tier, old->key));
  before = tier.epoch(old->key);
  tier.change_range("", std::nullopt, [](const EntryPtr&) { return nullptr; });
  EXPECT_FALSE(tier.add_loaded(old, before));
  EXPECT_TRUE(tier.add_loaded(old, tier.epoch(old->key)));
  EXPECT_TRUE(holds(tier, old->key));
}

TEST(MemoryTier, ChangeRange_TouchesTheRangeOnly) {
  MemoryTier tier(64 << 20);
  for (const char* key : {"a", "b", "ba", "c"}) put(tier, entry_with(key, 10));
  tier.change_range("b", "c", [](const EntryPtr&) { return nullptr; });
  EXPECT_TRUE(holds(tier, entry_with("a", 1)->key));
  EXPECT_FALSE(holds(tier, entry_with("b", 1)->key));
  EXPECT_FALSE(holds(tier, entry_with("ba", 1)->key));
  EXPECT_TRUE(holds(tier, entry_with("c", 1)->key));
}

TEST(MemoryTier, ManyThreads_AgreeWithEachOther) {
  MemoryTier tier(8 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&tier, t] {
      for (int i = 0; i < 2000; ++i) {
        const EntryPtr entry = entry_with(name((i * 7 + t) % 300), 5000);
        put(tier, entry);
        const auto found = tier.find(entry->key);
        EXPECT_TRUE(!found.entry || found.entry->key.bytes == entry->key.bytes);
        if (i % 50 == 0) tier.change(entry->key, false, kErase);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(tier.bytes(), tier.budget());
}

TEST(MemoryTier, PinnedBytes_AreThoseThatWaitForTheDisk) {
  MemoryTier tier(1 << 20);
  put(tier, entry_with("free", 1000));
  EXPECT_EQ(tier.pinned_bytes(), 0U);
  const EntryPtr entry = entry_with("a", 10'000);
  put(tier, entry, true);
  const std::size_t one = tier.pinned_bytes();
  EXPECT_GT(one, 10'000U);
  put(tier, entry_with("a", 50'000), true);
  EXPECT_GT(tier.pinned_bytes(), one + 30'000);
  put(tier, entry_with("a", 10'000));
  EXPECT_EQ(tier.pinned_bytes(), one);
  tier.change(entry->key, true, kErase);
  EXPECT_LT(tier.pinned_bytes(), 1000U);
  EXPECT_GT(tier.pinned_bytes(), 0U);
  for (int i = 0; i < 3; ++i) tier.settle(entry->key);
  EXPECT_EQ(tier.pinned_bytes(), 0U);
  put(tier, entry, true);
  put(tier, std::make_shared<StoredEntry>(StoredEntry{{"b", entry->key.hash}, entry->variants, false}));
  EXPECT_EQ(tier.pinned_bytes(), 0U) << "another key with that hash has taken its place";
}

}  // namespace
}  // namespace outrider
