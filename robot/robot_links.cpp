// What is done with the links of a page: each is checked, and then queued, rejected or known already.
#include "base/log.hpp"
#include "robot/robot.hpp"

#include <unordered_map>

namespace outrider {
namespace {

struct IdHash {
  std::size_t operator()(const UrlId& id) const { return id.low; }
};

}  // namespace

// The links of one page. What is filed is in memory only after the batch is on disk: new_entries.
class RobotEngine::Filing {
 public:
  Filing(RobotEngine& robot, RobotTask& task, Frontier::Batch& batch, const Source& source)
      : robot_(robot),
        task_(task),
        batch_(batch),
        source_(source),
        page_(task.statistics.downloaded + task.statistics.cache_hits + task.statistics.failed) {}

  void file(const FoundLink& link, SeenMark mark) {
    if (const auto here = decided_.find(link.id); here != decided_.end()) mark = here->second;
    if (Rejection rejection = reject(link)) {
      task_.count_filtered(rejection.reason);
      // Written down once; a URL that another link led to is not rejected for this one.
      if (mark.state == UrlFate::State::unknown) {
        batch_.reject(link.id, rejection.reason, rejection.detail);
        decided_[link.id] = {UrlFate::State::rejected, rejection.reason, 0};
      }
      return;
    }
    switch (mark.state) {
      case UrlFate::State::unknown:
      case UrlFate::State::rejected:
        enqueue(link, false);
        break;
      case UrlFate::State::queued:
        if (source_.remaining > mark.remaining) deepen(link);
        task_.count_seen();
        break;
      case UrlFate::State::fetched:
        if (source_.remaining > mark.remaining) {
          enqueue(link, true);  // its links are wanted now
        } else {
          task_.count_seen();
        }
        break;
      case UrlFate::State::failed:
        task_.count_seen();
        break;
    }
  }

 private:
  Rejection reject(const FoundLink& link) const {
    if (source_.all) return source_.all;
    Rejection rejection = task_.rules->check(link, source_.page);
    if (!rejection && !source_.deep_enough) rejection.reason = Reason::depth;
    return rejection;
  }

  void enqueue(const FoundLink& link, bool again) {
    task_.count_queued();
    QueueEntry entry;
    entry.url = link.url.href_without_fragment();
    entry.id = link.id;
    entry.remaining = source_.remaining;
    entry.depth = source_.depth;
    entry.redirects = source_.redirects;
    entry.again = again;
    Placement place;
    place.sequence = task_.statistics.checked;
    place.page = page_;
    place.position = link.position;
    place.depth = source_.depth;
    entry.key = task_.strategy->place(place);
    batch_.enqueue(entry);
    decided_[link.id] = {UrlFate::State::queued, Reason::none, entry.remaining};
    new_entries.push_back(std::move(entry));
  }

  // It waits with less depth than it deserves.
  void deepen(const FoundLink& link) {
    for (QueueEntry& fresh : new_entries) {  // it was filed by this very page
      if (!(fresh.id == link.id)) continue;
      fresh.remaining = source_.remaining;
      batch_.enqueue(fresh);
      return;
    }
    std::optional<SeenRecord> seen = robot_.frontier_->seen(task_.id, link.id);
    if (!seen || seen->key.empty()) return;
    seen->remaining = source_.remaining;
    QueueEntry entry;
    if (const auto job = task_.jobs.find(seen->key); job != task_.jobs.end()) {
      job->second->entry.remaining = source_.remaining;
      entry = job->second->entry;
    } else if (QueueEntry* waiting = task_.window->find(seen->key, host_of(link.url.href()))) {
      waiting->remaining = source_.remaining;
      entry = *waiting;
    } else if (std::optional<QueueEntry> stored = robot_.frontier_->entry(task_.id, seen->key)) {
      entry = std::move(*stored);
      entry.remaining = source_.remaining;
    } else {
      return;
    }
    batch_.update(entry, *seen);
    decided_[link.id] = {UrlFate::State::queued, Reason::none, source_.remaining};
  }

  RobotEngine& robot_;
  RobotTask& task_;
  Frontier::Batch& batch_;
  const Source& source_;
  const std::uint64_t page_;
  std::unordered_map<UrlId, SeenMark, IdHash> decided_;

 public:
  std::vector<QueueEntry> new_entries;
};

void RobotEngine::file(RobotTask& task, Frontier::Batch& batch, std::span<FoundLink> links, const Source& source) {
  std::vector<UrlId> ids;
  ids.reserve(links.size());
  for (const FoundLink& link : links) ids.push_back(link.id);
  std::vector<SeenMark> marks(ids.size());
  frontier_->look_up(task.id, ids, marks);
  Filing filing{*this, task, batch, source};
  for (std::size_t i = 0; i < links.size(); ++i) filing.file(links[i], marks[i]);
  task.filed = std::move(filing.new_entries);
}

// Writes the batch; then what it queued may begin.
Result<void> RobotEngine::conclude(RobotTask& task, Frontier::Batch& batch) {
  batch.save(task.statistics);
  Result<void> written = batch.commit();
  std::vector<QueueEntry> filed = std::move(task.filed);
  task.filed.clear();
  if (!written) {
    log::error(Room::robot, "frontier_failed", {{"task", task.id}, {"reason", written.error().detail}});
    task.state = TaskState::failed;
    task.why = written.error().detail;
    return written;
  }
  unsynced_ = true;
  for (QueueEntry& entry : filed) task.window->add(std::move(entry));
  return {};
}

}  // namespace outrider
