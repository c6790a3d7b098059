// When a page has been looked at, the next look is planned; when its time has come it is queued again.
#include "robot/revisit.hpp"
#include "robot/robot.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr std::size_t kDueAtOnce = 256;  // a second

QueueEntry as_revisit(const QueueEntry& entry, WallTime now) {
  QueueEntry again = entry;
  again.revisit = true;
  again.redirects = 0;
  again.attempts = 0;
  again.found = now;
  return again;
}

WallTime after(WallTime now, Duration wait) {
  return now + std::chrono::duration_cast<WallTime::duration>(wait);
}

}  // namespace

void RobotEngine::plan_look(const RobotTask& task, Frontier::Batch& batch, const RobotJob& job,
                            const std::vector<Observation>& looks) const {
  const WallTime now = reactor_.clock().now();
  RevisitRule rule;
  if (task.spec.revisit_every > std::chrono::seconds{0}) rule.fixed = task.spec.revisit_every;
  const std::vector<Observation> only_now{{now, false}};  // there is no memory, or it does not keep this one
  const RevisitPlan plan = plan_revisit(looks.empty() ? only_now : looks, rule, options_.settings);
  batch.schedule(std::max(plan.at, after(now, std::chrono::seconds{1})), as_revisit(job.entry, now));
}

// What is known stays known; it is looked for again, less often than a page that is there.
void RobotEngine::plan_look_after_failure(const RobotTask& task, Frontier::Batch& batch,
                                          const QueueEntry& entry) const {
  if (!entry.revisit) return;
  const Duration usual = task.spec.revisit_every > std::chrono::seconds{0} ? Duration{task.spec.revisit_every}
                                                                           : options_.settings.revisit_soonest * 8;
  const Duration wait = std::min(usual, options_.settings.revisit_latest);
  const WallTime now = reactor_.clock().now();
  batch.schedule(after(now, wait), as_revisit(entry, now));
}

void RobotEngine::queue_due(RobotTask& task, WallTime now) {
  std::vector<std::pair<std::string, QueueEntry>> due = frontier_->due(task.id, now, kDueAtOnce);
  if (due.empty()) return;
  Frontier::Batch batch{*frontier_, task.id};
  for (auto& [record, entry] : due) {
    task.count_queued();
    Placement place;
    place.sequence = task.statistics.checked;
    place.page = task.statistics.downloaded + task.statistics.cache_hits + task.statistics.failed;
    place.depth = entry.depth;
    entry.key = task.strategy->place(place);
    batch.unschedule(record);
    batch.enqueue(entry, 1);
    task.filed.push_back(std::move(entry));
  }
  (void)conclude(task, batch);
}

}  // namespace outrider
