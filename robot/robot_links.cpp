// What is done with the links of a page: each is checked, and then queued, rejected or known already.
#include "base/log.hpp"
#include "robot/robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace outrider {
namespace {

constexpr std::size_t kMostSitemaps = 1000;  // of a task, in one run

}  // namespace

// The links of one page. What is filed is in memory only after the batch is on disk: new_entries.
class RobotEngine::Filing {
 public:
  Filing(RobotEngine& robot, RobotTask& task, Frontier::Batch& batch, const Source& source, Decided& decided)
      : robot_(robot),
        task_(task),
        batch_(batch),
        source_(source),
        page_(task.statistics.downloaded + task.statistics.cache_hits + task.statistics.failed),
        now_(robot.reactor_.clock().now()),
        decided_(decided) {}

  void file(const FoundLink& link, SeenMark mark) {
    if (const auto here = decided_.find(link.id); here != decided_.end()) mark = here->second;
    if (mark.reason == Reason::forgotten) return task_.count_seen();
    score_ = 0;
    Rejection rejection = reject(link);
    const bool is_new = mark.state == UrlFate::State::unknown || mark.state == UrlFate::State::rejected;
    if (!rejection && is_new) {  // counts toward budgets: asked about once
      rejection.detail = task_.traps->check(link.url, source_.page, robot_.reactor_.clock().now());
      if (!rejection.detail.empty()) rejection.reason = Reason::trap;
    }
    if (rejection) {
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
        if (task_.counts_in_links()) raise(link);
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
  Rejection reject(const FoundLink& link) {
    if (source_.all) return source_.all;
    if (link.sitemap) return reject_sitemap(link);
    Rejection rejection = task_.rules->check(link, source_.page);
    if (rejection) return rejection;
    if (source_.view != nullptr && !link.url.href().empty()) {
      const LinkView view{*source_.view, link};
      const Attributes attributes = task_.judges.judge(view, *source_.attributes);
      UrlDecision decision = task_.judges.decide(view, attributes);
      if (decision.decision == Decision::reject) return {Reason::link_filter, std::move(decision.reason)};
      score_ = static_cast<float>(attributes.get("score").value_or(0));
    }
    if (!source_.deep_enough) {
      rejection.reason = Reason::depth;
    } else if (task_.spec.prefetch) {
      rejection = robot_.refuse_ahead(task_, link, source_.view != nullptr && source_.view->page.robots.nofollow);
    }
    return rejection;
  }

  // No page that a task may want or not, but a list of such pages; they are checked.
  Rejection reject_sitemap(const FoundLink& link) {
    if (!link.url.is_http()) return {Reason::scheme, {}};
    if (++task_.sitemaps > kMostSitemaps) return {Reason::limit, fmt::format("more than {} sitemaps", kMostSitemaps)};
    return {};
  }

  // What a link adds to the rank of its target.
  std::uint32_t worth() const { return task_.spends_cash() ? std::max(source_.cash, 1u) : 1; }

  void enqueue(const FoundLink& link, bool again) {
    task_.count_queued();
    QueueEntry entry;
    entry.sitemap = link.sitemap;
    entry.url = link.url.href_without_fragment();
    entry.id = link.id;
    entry.remaining = source_.remaining;
    entry.depth = source_.depth;
    entry.redirects = source_.redirects;
    entry.again = again;
    entry.found = now_;
    Placement place;
    place.sequence = task_.statistics.checked;
    place.page = page_;
    place.position = link.position;
    place.depth = source_.depth;
    place.score = task_.counts_in_links() ? static_cast<float>(worth()) : score_;
    entry.key = task_.strategy->place(place);
    batch_.enqueue(entry, worth());
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
    } else if (const auto resting = task_.resting.find(seen->key); resting != task_.resting.end()) {
      resting->second.remaining = source_.remaining;
      entry = resting->second;
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

  // One more page links to it: it moves forward in the queue.
  void raise(const FoundLink& link) {
    if (raised_.contains(link.id)) return;  // of this page one link counts
    raised_[link.id] = {};
    const bool is_fresh = std::any_of(new_entries.begin(), new_entries.end(),
                                      [&link](const QueueEntry& fresh) { return fresh.id == link.id; });
    std::optional<SeenRecord> seen = robot_.frontier_->seen(task_.id, link.id);
    if (is_fresh || !seen || seen->key.empty() || task_.jobs.contains(seen->key) || task_.resting.contains(seen->key))
      return;
    const std::string_view host = host_of(link.url.href());
    std::optional<QueueEntry> entry;
    if (const QueueEntry* waiting = task_.window->find(seen->key, host)) {
      entry = *waiting;
      task_.window->erase(seen->key, host);
    } else {
      entry = robot_.frontier_->entry(task_.id, seen->key);
    }
    if (!entry) return;
    Placement place;
    place.sequence = task_.statistics.checked;
    seen->in_degree += std::min(worth(), std::numeric_limits<std::uint32_t>::max() - seen->in_degree);
    place.score = static_cast<float>(seen->in_degree);
    // What is on disk may not know yet that this page gave it more depth: deepen() is in the same batch.
    entry->remaining = std::max(entry->remaining, source_.remaining);
    seen->remaining = entry->remaining;
    const std::string old = std::exchange(entry->key, task_.strategy->place(place));
    batch_.move(*entry, old, *seen);
    new_entries.push_back(std::move(*entry));
  }

  RobotEngine& robot_;
  RobotTask& task_;
  Frontier::Batch& batch_;
  const Source& source_;
  float score_ = 0;
  Decided raised_;
  const std::uint64_t page_;
  const WallTime now_;
  Decided& decided_;

 public:
  std::vector<QueueEntry> new_entries;
};

void RobotEngine::file(RobotTask& task, Frontier::Batch& batch, std::span<FoundLink> links, const Source& source,
                       Decided& decided) {
  std::vector<UrlId> ids;
  ids.reserve(links.size());
  for (const FoundLink& link : links) ids.push_back(link.id);
  std::vector<SeenMark> marks(ids.size());
  if (!source.anew) frontier_->look_up(task.id, ids, marks);
  Filing filing{*this, task, batch, source, decided};
  for (std::size_t i = 0; i < links.size(); ++i) filing.file(links[i], marks[i]);
  std::move(filing.new_entries.begin(), filing.new_entries.end(), std::back_inserter(task.filed));
}

// Writes the batch; then what it queued may begin.
Result<void> RobotEngine::conclude(RobotTask& task, Frontier::Batch& batch) {
  batch.save(task.statistics);
  Result<void> written = batch.commit();
  std::vector<QueueEntry> filed = std::move(task.filed);
  task.filed.clear();
  if (!written) {
    log::error(Room::robot, "frontier_failed", {{"task", task.id}, {"reason", written.error().detail}});
    fall_back(task, written.error().detail);
    return written;
  }
  unsynced_ = true;
  task.written = task.statistics;
  for (QueueEntry& entry : filed) task.window->add(std::move(entry));
  return {};
}

// Nothing of the batch is on disk: what is in memory is made what it was before. The entry that it was about is still
// in the queue, and the task goes on when writing works again.
void RobotEngine::fall_back(RobotTask& task, std::string why) {
  task.statistics = task.written;
  task.statistics.under_way = task.jobs.size();
  open_window(task);
  for (const auto& [key, job] : task.jobs) task.window->note_taken(key);
  for (const auto& [key, entry] : task.resting) task.window->note_taken(key);
  task.state = TaskState::paused;
  task.why = std::move(why);
  task.disk_failed = true;
  // Whoever called has more to do with the task, and an observer may remove it.
  later(Duration::zero(), [this, id = task.id] {
    if (const auto found = find(id)) tell(**found);
  });
}

void RobotEngine::try_to_write(RobotTask& task) {
  frontier_->recover();
  Frontier::Batch batch{*frontier_, task.id};
  batch.save(task.statistics);
  if (batch.commit()) (void)set_state(task, TaskState::running);
}

}  // namespace outrider
