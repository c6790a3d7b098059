// What the parts of the memory share.
#pragma once

#include "base/metrics.hpp"
#include "cache/graph_db.hpp"
#include "cache/graph_events.hpp"
#include "cache/graph_queue.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>

namespace outrider::graph {

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
  // Reading a page, changing and writing it is one step.
  std::mutex& page_lock(std::string_view page_key) {
    return page_locks_[std::hash<std::string_view>{}(page_key) % page_locks_.size()];
  }

 private:
  std::array<std::mutex, 64> page_locks_;
};

}  // namespace outrider::graph
