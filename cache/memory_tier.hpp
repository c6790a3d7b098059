// The entries that are asked for again and again, in memory. S3-FIFO (Yang et al., SOSP 2023): what is new waits in a
// small queue, and only what is asked for again there moves on to the main queue; so a scan (a robot, a long list of
// pages seen once) passes through the small queue and leaves the main one alone. A "ghost" remembers the hashes of what
// was dropped from the small queue: whoever comes back from there goes to the main queue at once.
//
// The budget is hard and counts what the allocator really spends. Beyond it there are only entries that are not on disk
// yet: they are held until settle(), so that nobody finds an older state on disk meanwhile (the write queue bounds
// them). Any thread; a shard's lock is held for a lookup in a hash table and the copy of a pointer.
#pragma once

#include "cache/memory_shard.hpp"
#include "cache/store_entry.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class MemoryTier {
 public:
  // Called with the hash of an entry that is dropped although it was asked for here, outside of all locks.
  using OnDrop = std::function<void(std::uint64_t hash)>;
  explicit MemoryTier(std::size_t budget, OnDrop on_drop = {});

  struct Found {
    bool known = false;  // false: ask the disk
    EntryPtr entry;      // nullptr though known: it is being erased
  };
  Found find(const CacheKey& key);
  // Without counting as a use.
  bool may_hold(std::uint64_t hash) const;  // or another key with the same hash
  EntryPtr peek(const CacheKey& key) const;

  // Replaces what is there by what `change` makes of it, in one step: nothing = it stays as it is, nullptr = it goes.
  // `change` is called under the shard's lock: quick, and no calls back. `pending`: the disk does not know yet, and
  // settle() will be called, once for every change that was made. Was one made?
  using Change = std::function<std::optional<EntryPtr>(const Found& now)>;
  bool change(const CacheKey& key, bool pending, const Change& change);
  void settle(const CacheKey& key);

  // For what was read from disk: it may be put in only if nothing has changed since before the reading began.
  using Epoch = std::uint32_t;
  Epoch epoch(const CacheKey& key) const { return epochs_[epoch_of(key)].load(std::memory_order_acquire); }
  bool add_loaded(EntryPtr entry, Epoch before);
  // What is being read from disk right now must not be put in any more.
  void touch(const CacheKey& key) { epochs_[epoch_of(key)].fetch_add(1, std::memory_order_acq_rel); }

  // `change` is called for every entry with first <= key < past_last (nothing = no end); what it returns takes its
  // place.
  using ChangeEntry = std::function<EntryPtr(const EntryPtr& now)>;
  void change_range(std::string_view first, const std::optional<std::string>& past_last, const ChangeEntry& change);

  // All files are going away: entries whose bodies are not in memory are of no use any more.
  void drop_disk_bodies();

  std::size_t entries() const;
  std::size_t bytes() const;
  std::size_t pinned_bytes() const;  // of changes that the disk does not know yet
  std::size_t budget() const { return budget_; }

 private:
  static constexpr std::size_t kEpochs = 1024;
  static std::size_t epoch_of(const CacheKey& key) { return key.hash % kEpochs; }
  MemoryShard& shard(std::uint64_t hash) const { return *shards_[(hash >> 48) % shards_.size()]; }
  MemoryShard& shard(const CacheKey& key) { return shard(key.hash); }
  const MemoryShard& shard(const CacheKey& key) const { return shard(key.hash); }
  void report(const MemoryShard::Dropped& dropped) const;

  const std::size_t budget_;
  const OnDrop on_drop_;
  std::vector<std::unique_ptr<MemoryShard>> shards_;
  std::array<std::atomic<Epoch>, kEpochs> epochs_{};
};

// What an entry costs in memory, everything included.
std::size_t memory_cost(const StoredEntry& entry);

}  // namespace outrider
