// Loads that nobody asked for: each passes the guard when it is queued, and again when its turn comes.
#include "robot/robot.hpp"

namespace outrider {
namespace {

constexpr std::string_view kBudget = "prefetch budget";
constexpr std::size_t kMostWaitingQueries = 1000;
constexpr Duration kSavesDataFor = std::chrono::minutes{10};  // after the last request that said so

}  // namespace

void RobotEngine::browser_saves_data() {
  const SteadyTime until = reactor_.clock().steady() + kSavesDataFor;
  saves_data_until_.store(until.time_since_epoch().count(), std::memory_order_relaxed);
}

bool RobotEngine::saves_data(const RobotTask& task) const {
  if (task.spec.save_data) return true;
  return reactor_.clock().steady().time_since_epoch().count() < saves_data_until_.load(std::memory_order_relaxed);
}

Rejection RobotEngine::refuse_ahead(const RobotTask& task, const FoundLink& link, bool page_nofollow) const {
  Link shown;
  shown.kind = link.kind;
  shown.flags = link.flags;
  shown.text = link.text;
  PrefetchQuestion question;
  question.method = task.spec.head_only ? "HEAD" : "GET";
  question.url = &link.url;
  question.link = &shown;
  question.page_nofollow = page_nofollow;
  question.save_data = saves_data(task);
  question.apart = !task.spec.apart.empty();
  PrefetchVerdict verdict = guard_.check(question, reactor_.clock().now());
  if (verdict.allowed) return {};
  return {Reason::prefetch, std::move(verdict.reason)};
}

// Since it was queued the budget may have been spent.
bool RobotEngine::reject_ahead(RobotTask& task, const Url& url) {
  PrefetchQuestion question;
  question.url = &url;
  question.save_data = saves_data(task);
  question.apart = !task.spec.apart.empty();
  const PrefetchVerdict verdict = guard_.check(question, reactor_.clock().now());
  if (verdict.allowed) return false;
  const QueueEntry entry = task.window->take_first();
  task.count_rejected(Reason::prefetch);
  Frontier::Batch batch{*frontier_, task.id};
  batch.finish(entry, UrlFate::State::rejected, Reason::prefetch, verdict.reason);
  (void)conclude(task, batch);
  task.window->done(entry.key);
  return true;
}

void RobotEngine::spend_ahead(const Url& url) {
  guard_.count_load(url, reactor_.clock().now());
  budget_changed_ = true;
}

void RobotEngine::spend_ahead(const RobotTask* task, const RobotJob& job) {
  if (!task->spec.prefetch) return;
  const WallTime now = reactor_.clock().now();
  const bool not_sent = job.fetched.from_store() || (job.fetched.error && is_refusal(*job.fetched.error));
  if (not_sent) {
    guard_.take_back_load(job.url, now);
  } else {
    guard_.count_bytes(job.url, job.fetched.body.size(), now);
  }
  budget_changed_ = true;
}

// Once a second, and at the end: a crash gives back what was spent in the last second at most.
void RobotEngine::keep_budget() {
  std::vector<std::string> safe;
  {
    const std::lock_guard lock(safe_mutex_);
    safe.swap(safe_queries_);
  }
  for (const std::string& text : safe)
    if (const Result<Url> url = Url::parse(text)) guard_.saw_safe_query(*url);
  if (!std::exchange(budget_changed_, false)) return;
  frontier_->set_note(kBudget, guard_.save_budget());
}

void RobotEngine::load_budget() {
  if (const std::optional<std::string> spent = frontier_->note(kBudget))
    guard_.load_budget(*spent, reactor_.clock().now());
}

void RobotEngine::saw_safe_query(std::string_view url) {
  const std::lock_guard lock(safe_mutex_);
  if (safe_queries_.size() < kMostWaitingQueries) safe_queries_.emplace_back(url);
}

}  // namespace outrider
