#include "cache/search_indexer.hpp"

#include "base/log.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace outrider {
namespace {

constexpr std::size_t kSmallestBatch = 16, kLargestBatch = 1024, kMaxRemovals = 1000, kCarefulRounds = 64;
constexpr std::size_t kRoundsBeforeErasing = 20;
constexpr auto kPutTime = std::chrono::milliseconds{600};  // then commit: a person may be waiting for another page
constexpr auto kIdle = std::chrono::seconds{1};
constexpr auto kGather = std::chrono::milliseconds{50};  // what comes together is looked at together
constexpr auto kAfterFailure = std::chrono::seconds{5};

// For this thread alone: Linux has a priority for each.
void step_back() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 15);
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
  constexpr int kThisThread = 1, kBestEffort = 2 << 13, kLast = 7;
  syscall(SYS_ioprio_set, kThisThread, 0, kBestEffort | kLast);
}

}  // namespace

SearchIndexer::SearchIndexer(SearchIndex& index, IndexSource& source, const Clock& clock)
    : index_(index), source_(source), clock_(clock) {}

SearchIndexer::~SearchIndexer() {
  stop();
}

void SearchIndexer::start() {
  thread_ = std::thread{[this] { run(); }};
}

void SearchIndexer::wake() {
  {
    const std::lock_guard lock{mutex_};
    woken_ = true;
  }
  changed_.notify_all();
}

void SearchIndexer::stop() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SearchIndexer::run() {
  step_back();
  bool complained = false;
  for (;;) {
    Duration pause{};
    try {
      const Result<bool> more = step();
      if (!more) {
        if (!complained) log::error(Room::cache, "search_index_not_written", {{"reason", more.error().detail}});
        pause = kAfterFailure;
      } else if (!*more) {
        pause = kIdle;
      }
      complained = more.has_error();
    } catch (const std::exception& bug) {
      log::error(Room::cache, "search_indexer_failed", {{"reason", bug.what()}});
      pause = kAfterFailure;
    }
    std::unique_lock lock{mutex_};
    const bool failed = pause == kAfterFailure;  // new work does not mend a full disk
    const bool has_news = changed_.wait_for(lock, pause, [&] { return stopping_ || (woken_ && !failed); });
    if (has_news && pause == kIdle) changed_.wait_for(lock, kGather, [this] { return stopping_ || erasing_ > 0; });
    changed_.wait(lock, [this] { return stopping_ || erasing_ == 0; });
    woken_ = false;
    if (stopping_) return;
  }
}

Result<void> SearchIndexer::erase(std::span<const std::string> ids) {
  struct Turn {  // ends also with an exception, or the indexer would wait for ever
    explicit Turn(SearchIndexer& indexer) : indexer_(indexer) {
      const std::lock_guard lock{indexer_.mutex_};
      ++indexer_.erasing_;
    }
    ~Turn() {
      {
        const std::lock_guard lock{indexer_.mutex_};
        --indexer_.erasing_;
      }
      indexer_.changed_.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    SearchIndexer& indexer_;
  };
  const Turn turn{*this};
  const std::lock_guard lock{writing_};
  for (const std::string& id : ids)
    if (auto removed = index_.remove(id); !removed) return removed;
  // Pages that the forgotten ones linked to carry their words, as anchor texts: they are queued to be read again.
  for (std::size_t rounds = 0; rounds < kRoundsBeforeErasing; ++rounds) {
    const Result<bool> more = round();
    if (!more) return more.error();
    if (!*more) break;
  }
  return index_.erase_remnants();
}

Result<bool> SearchIndexer::step() {
  const std::lock_guard lock{writing_};
  Result<bool> more = round();
  if (more && !*more && shrink_) {
    if (const Result<void> shrunk = index_.erase_remnants(); !shrunk)
      log::warn(Room::cache, "search_index_not_shrunk", {{"reason", shrunk.error().detail}});
    shrink_ = false;
  }
  if (!more) {
    careful_ = kCarefulRounds;
    // What was put and not committed will be handed out again: it must not be committed half.
    index_.roll_back();
  } else if (careful_ > 0) {
    --careful_;
  }
  return more;
}

Result<bool> SearchIndexer::round() {
  if (index_.damaged()) {
    log::warn(Room::cache, "search_index_rebuilt", {{"reason", "a query met a broken file"}});
    if (auto begun = index_.begin_anew(); !begun) return begun.error();
  }
  if (index_.wants_everything()) {
    if (auto queued = source_.queue_everything(); !queued) return queued.error();
    if (auto fed = index_.feed_complete(); !fed) return fed.error();
  }
  const auto removals = source_.removals(kMaxRemovals);
  if (!removals) return removals.error();
  std::vector<std::string> removed;
  for (const IndexRemoval& removal : *removals) {
    if (auto gone = index_.remove(removal.id); !gone) return gone.error();
    removed.push_back(removal.ticket);
  }
  const std::size_t wanted = careful_ > 0 ? 1 : batch_;
  const auto entries = source_.next(wanted);
  if (!entries) return entries.error();
  const auto done = put_all(*entries);
  if (!done) return done.error();
  if (auto committed = index_.commit(); !committed) return committed.error();
  if (!removed.empty())
    if (auto reported = source_.removed(removed); !reported) return reported.error();
  if (!done->empty())
    if (auto reported = source_.done(*done); !reported) return reported.error();
  return !done->empty() || !removed.empty();
}

// The tickets of those that can be taken off the queue once they are committed; at least one, if any was given.
Result<std::vector<std::string>> SearchIndexer::put_all(const std::vector<IndexEntry>& entries) {
  const SteadyTime begin = clock_.steady();
  std::vector<std::string> done;
  for (const IndexEntry& entry : entries) {
    const Result<void> put = entry.page ? index_.put(*entry.page) : index_.remove(entry.id);
    // Alone in its round, and still not to Xapian's taste: the page is left out, or nothing would ever follow it.
    const bool hopeless = !put && put.error().kind == ErrorKind::invalid_argument && entries.size() == 1;
    if (!put && !hopeless) return put.error();
    done.push_back(entry.ticket);
    if (clock_.steady() - begin > kPutTime) break;
  }
  adapt(entries.size(), done.size(), clock_.steady() - begin);
  return done;
}

// Large batches cost less a page; but pages that are read and then put back cost twice.
void SearchIndexer::adapt(std::size_t given, std::size_t taken, Duration took) {
  if (taken < given) {
    batch_ = std::max(kSmallestBatch, taken);
  } else if (given == batch_ && took < kPutTime / 2) {
    batch_ = std::min(kLargestBatch, batch_ * 2);
  }
}

}  // namespace outrider
