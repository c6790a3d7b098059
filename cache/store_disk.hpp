// The disk tier: heads in the index, bodies in segments, and one thread that writes both. This is what its parts share,
// and the way in: reading from any thread, jobs for the writer thread.
// Neighbours: store_disk_writer.hpp (the thread), store_eviction.hpp, store_purge.hpp, store_load.hpp.
#pragma once

#include "base/clock.hpp"
#include "cache/frequency_sketch.hpp"
#include "cache/memory_tier.hpp"
#include "cache/presence.hpp"
#include "cache/segment_notes.hpp"
#include "cache/segment_set.hpp"
#include "cache/store_budgets.hpp"
#include "cache/store_counters.hpp"
#include "cache/store_index.hpp"
#include "cache/store_jobs.hpp"
#include "cache/store_leases.hpp"
#include "cache/store_state_file.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace outrider {

using PrepareHead = std::function<std::shared_ptr<const void>(const StoredHead&)>;

// What all parts of the disk tier work on.
struct DiskParts {
  DiskParts(const StoreBudgets& b, const Clock& c, MemoryTier& m, StoreCounters& n, FrequencySketch& s,
            const PrepareHead& p, std::unique_ptr<StoreIndex> i, std::unique_ptr<SegmentSet> f, StoreStateFile state)
      : budgets(b),
        clock(c),
        memory(m),
        counters(n),
        sketch(s),
        prepare(p),
        index(std::move(i)),
        segments(std::move(f)),
        state_file(std::move(state)),
        queue(b.queue) {}

  const StoreBudgets& budgets;
  const Clock& clock;
  MemoryTier& memory;
  StoreCounters& counters;
  FrequencySketch& sketch;
  const PrepareHead& prepare;
  std::unique_ptr<StoreIndex> index;
  std::unique_ptr<SegmentSet> segments;
  Presence presence{budgets.presence};
  StoreStateFile state_file;          // writer thread only
  SegmentNotes notes{budgets.notes};  // the same
  std::shared_ptr<BodyLeases> leases = std::make_shared<BodyLeases>();
  WriteQueue queue;
  std::uint64_t limit = budgets.disk;  // at the moment: the budget, or less if others need the disk; writer thread only
  std::uint32_t doomed = 0;            // the segment that is being evicted; writer thread only
  // Removals could not be queued or written: what the disk says cannot be believed until it has been wiped.
  std::atomic<bool> distrusted{false};

  bool surely_absent(const CacheKey& key) const { return presence.surely_absent(key.hash, segments->oldest_id()); }
  std::uint64_t disk_bytes() const { return segments->used_bytes() + index->disk_bytes(); }
  // Queues a change of what is on disk. The memory tier holds the new state until the disk has it, or is not asked any
  // more.
  void enqueue_small(Job job) {
    if (queue.push_small(job)) return;
    distrusted = true;
    if (const CacheKey* key = pinned_by(job)) memory.settle(*key);
  }
};

// Whether the disk is in use; told to people once, when it changes.
class DiskSwitch {
 public:
  bool on() const { return on_.load(std::memory_order_acquire); }
  std::string reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
  }
  void turn_off(std::string reason);  // a no-op if it is off
  void turn_on();

 private:
  std::atomic<bool> on_{true};
  mutable std::mutex mutex_;
  std::string reason_;
};

}  // namespace outrider
