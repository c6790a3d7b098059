// The log of what is new, in the memory's database, and the one door through which batches with events are written:
// cursors are given out in the order in which they become visible, so a reader never misses one.
#pragma once

#include "cache/graph_db.hpp"
#include "cache/graph_records.hpp"
#include "plugins/api/memory.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace outrider::graph {

class EventLog {
 public:
  explicit EventLog(GraphDb& db) : db_(db) {}
  Result<void> open();

  // The batch and its events become visible together; then subscribers are woken.
  Result<void> commit(rocksdb::WriteBatch& batch, const records::EventGroupRecord& events);

  Result<std::vector<MemoryEvent>> read(const Viewer& viewer, EventCursor after, std::size_t limit) const {
    return read(&viewer, after, limit);
  }
  // Everybody's, the personal ones too.
  Result<std::vector<MemoryEvent>> read_all(EventCursor after, std::size_t limit) const {
    return read(nullptr, after, limit);
  }
  EventCursor newest() const { return newest_; }
  std::uint64_t count() const;
  std::shared_ptr<void> subscribe(std::function<void()> wake);

  // Removes what is too much or too old.
  Result<void> trim(std::uint64_t keep, WallTime oldest);
  // Removes the events for which `doomed` says so, within a batch that the caller commits. How many go.
  Result<std::uint64_t> remove(rocksdb::WriteBatch& batch,
                               const std::function<bool(const records::EventGroupRecord&, int event)>& doomed) const;

 private:
  Result<std::vector<MemoryEvent>> read(const Viewer* viewer, EventCursor after, std::size_t limit) const;
  void wake() const;

  GraphDb& db_;
  std::mutex commit_;
  std::atomic<EventCursor> newest_{0};
  std::atomic<EventCursor> oldest_{1};  // no older one is kept
  mutable std::mutex subscribers_mutex_;
  mutable std::vector<std::weak_ptr<std::function<void()>>> subscribers_;
};

}  // namespace outrider::graph
