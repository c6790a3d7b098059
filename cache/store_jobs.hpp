// What the writer thread is asked to do, and the queue in which it waits: first come, first served, bounded by bytes.
#pragma once

#include "cache/store_entry.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

namespace outrider {

// A body on its way to the disk.
struct PendingBody {
  CacheKey key;
  VariantId variant = 0;
  std::shared_ptr<StoredBody> body;
  std::atomic<bool> failed{false};    // some of it could not be written: there will be no entry
  std::vector<PlacedExtent> extents;  // writer thread only
};

struct ChunkJob {
  std::shared_ptr<PendingBody> body;
  std::uint32_t chunk = 0;
  std::vector<BodyPiece> pieces;
};
struct CommitJob {
  std::optional<ChunkJob> last;  // the rest of the body; the only chunk of a small one
  std::shared_ptr<PendingBody> body;
  VariantPtr variant;
  std::vector<VariantId> supersedes;
  bool visited = false;
  bool replaces = false;    // there may be something on disk that must not come back
  bool has_others = false;  // found out on the way: the record has other variants, too
};
struct AbandonJob {
  std::shared_ptr<PendingBody> body;
};
struct HeadJob {
  CacheKey key;
  VariantPtr variant;
  bool pending = false;  // the memory tier waits for it
};
struct EraseJob {
  CacheKey key;
  std::optional<VariantId> variant;  // nothing = all
  bool pending = true;
};
struct VisitJob {
  CacheKey key;
  bool pending = false;
};
struct CallJob {  // purge, flush: runs alone, after everything before it
  std::function<void()> call;
};
using Job = std::variant<ChunkJob, CommitJob, AbandonJob, HeadJob, EraseJob, VisitJob, CallJob>;
// The key whose record on disk it changes; nullptr = none.
const CacheKey* changed_by(const Job& job);
// The key whose entry stays in memory until this small change is done; nullptr = none does.
const CacheKey* pinned_by(const Job& job);

class WriteQueue {
 public:
  explicit WriteQueue(std::size_t limit) : limit_(limit) {}

  // False: full (or closed); then nothing has happened. Small changes of what is on disk already have room of their
  // own, push_small(), or the disk would go on telling what is not true any more.
  bool push(Job job, std::size_t bytes);
  bool push_small(Job&& job) { return push_small(job); }
  bool push_small(Job& job);  // moves it away if there is room
  void close();               // what is queued is still taken

  // The next jobs, after waiting for the first one for at most `patience`. Jobs that arrive shortly after each other
  // are collected: one wake-up and one write for many. A CallJob comes alone.
  std::vector<Job> take(std::chrono::milliseconds patience);
  bool finished() const;  // closed and empty; for the writer thread
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Item {
    Job job;
    std::size_t bytes;
  };
  void add(Job job, std::size_t bytes);

  static constexpr std::size_t kSmall = 256;  // what a job costs besides the bytes it carries
  const std::size_t limit_;
  std::atomic<std::size_t> bytes_{0};  // of both
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Item> items_;
  bool idle_ = false;    // the writer sleeps until something comes
  bool urgent_ = false;  // do not collect any longer
  bool closed_ = false;
  std::deque<Item> taken_;  // by the writer thread, in one exchange: nobody waits while it sorts them
};

}  // namespace outrider
