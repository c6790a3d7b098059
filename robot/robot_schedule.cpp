// Who is next: which task, which host, and when.
#include "base/log.hpp"
#include "plugins/api/robot_task_json.hpp"
#include "robot/robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace outrider {
namespace {

constexpr Duration kTick = std::chrono::seconds{1};
constexpr std::size_t kHostsKept = 20'000;
constexpr std::uint64_t kMostSitemapBytes = 50 << 20;  // the protocol's own limit
constexpr int kReadsAtOnce = 8;

}  // namespace

RobotEngine::Host& RobotEngine::host_state(std::string_view host) {
  const auto found = hosts_.find(host);
  if (found != hosts_.end()) return found->second;
  if (hosts_.size() >= kHostsKept) {  // those that nobody needs can be learnt again
    std::erase_if(hosts_, [](const auto& each) {
      return each.second.under_way == 0 && each.second.open && !each.second.learning;
    });
  }
  return hosts_[std::string{host}];
}

void RobotEngine::set_open(std::string_view host, bool open) {
  host_state(host).open = open;
  for (const auto& [id, task] : by_id_)
    if (task->window) task->window->set_open(host, open);
}

// On the thread of the browser's connection.
void RobotEngine::browser_asks(std::string_view host) {
  if (busy_.load(std::memory_order_relaxed)) polite_->browser_asked(host);
}

void RobotEngine::request_ended(const std::string& host, const Url& url, const Fetched& fetched) {
  pacing_of(url).end(url, fetched);
  Host& state = host_state(host);
  if (fetched.error || fetched.status >= 400) {
    state.last_error = fetched.error ? fetched.error->detail : fmt::format("status {}", fetched.status);
    state.last_error_at = reactor_.clock().now();
  }
  if (is_lab(url)) {  // its pace is its own
    if (std::exchange(state.blocked, false)) set_open(host, true);
    return;
  }
  std::vector<std::string> freed;  // the machine may have other names, which wait for the same
  for (auto& [name, other] : hosts_)
    if (std::exchange(other.blocked, false)) freed.push_back(name);
  for (const std::string& name : freed) set_open(name, true);
}

void RobotEngine::later(Duration wait, std::function<void()> work) {
  if (stopping_) return;
  timers_.emplace(reactor_.clock().steady() + wait, std::move(work));
  wake_.notify();
}

// A bug in one piece of work, or no memory for it, must not end all the others.
void RobotEngine::guarded(std::string_view doing, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& failure) {
    log::error(Room::robot, "work_failed", {{"in", doing}, {"reason", failure.what()}});
  }
}

Task<> RobotEngine::mind() {
  SteadyTime next_tick = reactor_.clock().steady();
  while (!stopping_) {
    const SteadyTime now = reactor_.clock().steady();
    while (!timers_.empty() && timers_.begin()->first <= now) {
      const std::function<void()> due = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      guarded("a timer", due);
    }
    if (now >= next_tick) {
      guarded("the tick", [this] { tick(); });
      next_tick = now + kTick;
    }
    pump();
    const SteadyTime next = timers_.empty() ? next_tick : std::min(next_tick, timers_.begin()->first);
    co_await wake_.wait(Deadline{next});
  }
}

// What time alone changes.
void RobotEngine::tick() {
  const WallTime now = reactor_.clock().now();
  std::vector<TaskId> ids;  // who hears of a change may add and remove tasks
  for (const auto& [id, task] : by_id_)
    if (works_on(*task)) ids.push_back(id);
  for (const TaskId id : ids) {
    const auto found = find(id);
    if (!found) continue;
    RobotTask* const task = *found;
    if (task->state == TaskState::running || task->state == TaskState::waiting) {
      task->note_progress(now);
      if (task->spec.revisit && task->active()) queue_due(*task, now);
      if (task->spec.expires != WallTime{} && now >= task->spec.expires) {
        (void)set_state(*task, TaskState::expired);
        continue;
      }
      const auto& windows = task->spec.windows;
      const bool in_window =
          windows.empty() || std::any_of(windows.begin(), windows.end(), [now](const std::string& text) {
            const Result<TimeWindow> window = parse_time_window(text);
            return window && window->contains(now);
          });
      if (in_window != (task->state == TaskState::running))
        (void)set_state(*task, in_window ? TaskState::running : TaskState::waiting,
                        in_window ? "" : "outside of its time window");
    } else if (task->disk_failed) {
      try_to_write(*task);
    } else if (task->state == TaskState::finished && task->spec.repeat > std::chrono::seconds{0} &&
               task->jobs.empty() && now >= task->started + task->spec.repeat) {
      task->window.reset();
      task->resting.clear();
      task->traps.reset();
      task->limit_reached = false;
      Result<void> cleared = prepare(*task);
      if (cleared) cleared = begin_task(*task);
      if (!cleared && !task->disk_failed) (void)set_state(*task, TaskState::failed, cleared.error().detail);
    }
  }
  watches_->tick(now);
  keep_budget();
  if (unsynced_) frontier_->flush();
  unsynced_ = false;
}

bool RobotEngine::may_begin_another(const RobotTask& task) const {
  return under_way_ < options_.concurrency + (task.spec.interactive ? options_.interactive : 0);
}

// Those that somebody waits for first; of the others the one that has had least, for its priority.
RobotTask* RobotEngine::next_task() {
  RobotTask* best = nullptr;
  for (const auto& [id, task] : by_id_) {
    if (!task->active() || task->limit_reached || task->lacks_judges() || !may_begin_another(*task)) continue;
    if (!works_on(*task)) continue;
    if (task->at_limit()) {
      if (task->jobs.empty()) task->limit_reached = true;
      continue;
    }
    if (task->window->size() < TaskWindow::kLow / 4) task->window->refill();
    // Behind the hosts that have to wait there may be others.
    for (int i = 0; i < kReadsAtOnce && task->window->first() == nullptr; ++i)
      if (!task->window->refill()) break;
    if (task->window->first() == nullptr) continue;
    const bool before = best == nullptr || (task->spec.interactive != best->spec.interactive ? task->spec.interactive
                                                                                             : task->turn < best->turn);
    if (before) best = task.get();
  }
  return best;
}

void RobotEngine::pump() {
  if (pumping_ || stopping_) return;
  pumping_ = true;
  guarded("the pump", [this] {
    while (RobotTask* task = next_task()) dispatch(*task);
    std::vector<TaskId> ids;  // an observer of the end may add and remove tasks
    for (const auto& [id, task] : by_id_)
      if (works_on(*task)) ids.push_back(id);
    for (const TaskId id : ids)
      if (const auto task = find(id)) finish_if_done(**task);
  });
  const bool busy = std::any_of(by_id_.begin(), by_id_.end(), [](const auto& each) { return each.second->active(); });
  busy_.store(busy, std::memory_order_relaxed);
  pumping_ = false;
}

void RobotEngine::finish_if_done(RobotTask& task) {
  if (!task.active() || !task.jobs.empty() || task.lacks_judges()) return;
  if (!task.resting.empty() && !task.limit_reached) return;
  if (task.limit_reached) {
    (void)set_state(task, TaskState::finished, std::string{RobotTask::kLimitReached});
  } else if (task.window->empty() && !(task.spec.revisit && frontier_->next_due(task.id))) {
    (void)set_state(task, TaskState::finished);
  }
}

bool RobotEngine::dispatch(RobotTask& task) {
  const QueueEntry& first = *task.window->first();
  const std::string host{host_of(first.url)};
  Result<Url> url = Url::parse(first.url);
  Host& state = host_state(host);
  const bool wants_rules = task.spec.obey_robots || first.sitemap;  // they may name sitemaps
  const RobotsRules& rules = rules_for(task, host);
  const WallTime now = reactor_.clock().now();
  const bool must_fetch = task.waits_for_robots() ? rules.must_fetch(now) : rules.must_fetch_for_impatient(now);
  if (url && (!state.resolved || (wants_rules && must_fetch))) {
    set_open(host, false);
    learn_later(host, wants_rules, task);
    return false;
  }
  if (task.spec.obey_robots && url && rules.may_pass() && task.waits_for_robots()) {
    // RFC 9309 section 2.3.1.4: nothing is allowed now. What waits is not lost for that.
    // Others may not want to wait for that.
    const Duration wait = rules.fetch_at() - now;
    task.window->set_open(host, false);
    later(std::max<Duration>(wait, std::chrono::milliseconds{1}), [this, host] { set_open(host, true); });
    return false;
  }
  if (first.sitemap && file_named_sitemaps(task, host)) return true;
  if (task.spec.obey_robots && url) {
    if (rules.failure()) {
      auto job = std::make_shared<RobotJob>();
      job->url = std::move(*url);
      job->fetched.error = rules.failure();
      job->unreachable = true;
      begin_work(task, job);
      return true;
    }
    if (const RobotsRules::Verdict verdict = rules.check(*url); !verdict.allowed) {
      const QueueEntry entry = task.window->take_first();
      task.count_rejected(Reason::robots);
      Frontier::Batch batch{*frontier_, task.id};
      batch.finish(entry, UrlFate::State::rejected, Reason::robots, verdict.reason);
      plan_look_after_failure(task, batch, entry);  // rules change
      (void)conclude(task, batch);
      task.window->done(entry.key);
      return true;
    }
  }
  if (task.spec.prefetch && url && reject_ahead(task, *url)) return true;
  const Duration wait = url ? pacing_of(*url).begin(*url, state.address) : Duration::zero();
  if (wait != Duration::zero()) {
    set_open(host, false);
    state.blocked = wait == Pacing::kUntilEnd;
    if (!state.blocked) later(wait, [this, host] { set_open(host, true); });
    return false;
  }
  auto job = std::make_shared<RobotJob>();
  if (url) job->url = std::move(*url);
  if (task.spec.prefetch) spend_ahead(job->url);
  begin_work(task, job);
  return true;
}

// On the first of its queue.
void RobotEngine::begin_work(RobotTask& task, const std::shared_ptr<RobotJob>& job) {
  job->task = task.id;
  job->entry = task.window->take_first();
  job->fetching = true;
  task.jobs[job->entry.key] = job;
  task.statistics.under_way = task.jobs.size();
  // Start-time fair queueing: while it slept, or its hosts kept it waiting, the others went on; it need not catch up.
  // Those that somebody waits for go out of turn.
  task.turn = std::max(task.turn, turn_);
  if (!task.spec.interactive) turn_ = task.turn;
  task.turn += 1 / task.weight();
  ++under_way_;
  ++host_state(host_of(job->entry.url)).under_way;
  work_.spawn(work(job), "robot fetch");
}

FetchOrder RobotEngine::order_for(const RobotTask* task, const Url& url, const QueueEntry& entry) const {
  FetchOrder order;
  order.url = url;
  order.policy = is_lab(url) ? lab_policy_ : options_.policy;
  if (task == nullptr) {
    order.max_bytes = kRobotsTxtBytes + 1;
    order.plain = true;
    return order;
  }
  const TaskSpec& spec = task->spec;
  order.head_only = spec.head_only;
  order.prefetch = spec.prefetch;
  order.first_bytes = spec.first_bytes;
  order.max_bytes = spec.max_page_size;
  order.max_time = spec.max_time_per_document;
  order.plain = task->judges.need_text();
  order.apart = spec.apart;
  if (entry.sitemap) order.max_bytes = std::max<std::uint64_t>(order.max_bytes, kMostSitemapBytes);
  if (entry.again) {
    order.cache_control = "max-stale";  // it was fetched for this task already
  } else if (entry.revisit) {           // what the browser has just asked for need not be asked for again
    const auto soonest = std::chrono::duration_cast<std::chrono::seconds>(options_.settings.revisit_soonest);
    const auto every = spec.revisit_every > std::chrono::seconds{0} ? std::min(spec.revisit_every, soonest) : soonest;
    order.cache_control = fmt::format("max-age={}", every.count() / 2);
  } else if (spec.refresh_older_than >= std::chrono::seconds{0}) {
    order.cache_control = fmt::format("max-age={}, max-stale", spec.refresh_older_than.count());
  } else if (!spec.check_memory) {
    order.cache_control = "max-age=0";
  }
  return order;
}

}  // namespace outrider
