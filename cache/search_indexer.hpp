// Keeps the full-text index in step with the memory: takes pages from a durable queue, visited ones first, puts them
// into the index and only then takes them off the queue. A thread of its own with low priority, behind everybody's
// back.
#pragma once

#include "cache/search_index.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace outrider {

struct IndexEntry {
  std::string ticket;
  std::optional<SearchDocument> page;  // nothing: it is gone, or there is nothing to find in it
  std::string id;                      // of the page, also if it is gone
};

struct IndexRemoval {
  std::string ticket, id;
};

// The queue. What was handed out is handed out again until it is reported as done, also after a crash; a page that is
// queued anew meanwhile has a new ticket.
class IndexSource {
 public:
  virtual ~IndexSource() = default;
  virtual Result<std::vector<IndexEntry>> next(std::size_t limit) = 0;  // those that a person waits for first
  virtual Result<void> done(std::span<const std::string> tickets) = 0;
  virtual Result<std::vector<IndexRemoval>> removals(std::size_t limit) = 0;
  virtual Result<void> removed(std::span<const std::string> tickets) = 0;
  virtual Result<void> queue_everything() = 0;  // durable when it returns
};

class SearchIndexer {
 public:
  SearchIndexer(SearchIndex& index, IndexSource& source, const Clock& clock = Clock::system());
  ~SearchIndexer();  // stop() first

  void start();
  void wake();  // something was queued
  void stop();  // after what is being written

  // Forgets, from any thread: when it returns, nothing of these pages is in any file of the index. Also with no ids:
  // then it is what pages left behind that were removed before.
  Result<void> erase(std::span<const std::string> ids);
  // Gives the space of removed pages back to the disk, once there is nothing else to do.
  void shrink_when_idle() { shrink_ = true; }
  bool will_shrink() const { return shrink_; }

  // One round, where no thread does it. True: there may be more to do at once. A failure is tried again.
  Result<bool> step();

 private:
  void run();
  Result<bool> round();
  Result<std::vector<std::string>> put_all(const std::vector<IndexEntry>& entries);
  void adapt(std::size_t given, std::size_t taken, Duration took);

  SearchIndex& index_;
  IndexSource& source_;
  const Clock& clock_;
  std::size_t batch_ = 64;
  std::size_t careful_ = 0;  // rounds with one page each, after a failure: one bad page must not stop the others

  std::mutex writing_;  // the index
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false, woken_ = false;
  std::atomic<bool> shrink_{false};
  std::size_t erasing_ = 0;  // callers of erase(): they go first
  std::thread thread_;
};

}  // namespace outrider
