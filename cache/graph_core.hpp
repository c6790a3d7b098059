// What the parts of the memory share.
#pragma once

#include "base/metrics.hpp"
#include "cache/graph_db.hpp"
#include "cache/graph_events.hpp"
#include "cache/graph_forgotten.hpp"
#include "cache/graph_queue.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>

namespace outrider::graph {

// What upkeep needs of the full-text index, which shares the budget. Any thread.
struct IndexOnDisk {
  std::function<std::uint64_t()> bytes;
  std::function<void()> shrink;     // give back what removed pages used, as soon as the index has caught up
  std::function<bool()> shrinking;  // that has not happened yet
};

struct GraphCore {
  GraphCore(GraphOptions given, const Clock& time, std::unique_ptr<GraphDb> database)
      : options(std::move(given)), clock(time), db(std::move(database)), events(*db), queue(*db) {}

  const GraphOptions options;
  const Clock& clock;
  const std::unique_ptr<GraphDb> db;
  EventLog events;
  IndexQueue queue;

  // Whoever changes pages holds it shared; whoever forgets holds it alone, so that nothing comes back meanwhile.
  std::shared_mutex forgetting;
  ForgottenLately forgotten;
  std::atomic<std::uint64_t> forgettings{0};  // how often
  // What was seen then of it must not be written: `forgetting` is held.
  bool was_forgotten(std::string_view space, std::string_view resource, WallTime seen) const {
    return forgotten.covers(space, resource, seen, clock.steady());
  }
  std::atomic<std::uint64_t> disk_bytes{0};  // as upkeep last found it: for those who must not wait for a disk
  void set_index(IndexOnDisk index) {
    const std::lock_guard lock(index_mutex_);
    index_ = std::move(index);
  }
  IndexOnDisk index() const {
    const std::lock_guard lock(index_mutex_);
    return index_;
  }
  // As upkeep last found it: others leave so little of the disk that texts nobody asked for are not worth it.
  std::atomic<bool> disk_is_tight{false};
  // Reading a page, changing and writing it is one step.
  std::mutex& page_lock(std::string_view page_key) {
    return page_locks_[std::hash<std::string_view>{}(page_key) % page_locks_.size()];
  }

 private:
  mutable std::mutex index_mutex_;
  IndexOnDisk index_;
  std::array<std::mutex, 64> page_locks_;
};

}  // namespace outrider::graph
