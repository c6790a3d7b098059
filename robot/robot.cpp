#include "robot/robot.hpp"

#include "base/log.hpp"
#include "plugins/api/robot_task_json.hpp"

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>

#include <algorithm>

namespace outrider {
namespace {

constexpr std::size_t kWeightOfAPage = 10;  // besides its links

constexpr std::string_view kNoJudges = "waits for the judges that it was submitted with";
constexpr Duration kUnwindAtMost = std::chrono::seconds{1};

PoolLimits pool_limits(const RobotOptions& options) {
  PoolLimits limits;
  limits.total = 2 * (options.concurrency + options.interactive);
  limits.per_origin = std::max<std::size_t>(options.lab_per_host, 16);
  return limits;
}

HttpLimits http_limits() {
  return {};
}

Error no_such(TaskId task) {
  return Error{ErrorKind::not_found, Side::client, fmt::format("there is no task {}", task)};
}

}  // namespace

RobotEngine::RobotEngine(RobotOptions options)
    : options_(std::move(options)),
      lab_(options_.lab_hosts),
      resolver_(reactor_, *options_.lookups),
      egress_(reactor_, resolver_, *options_.tls),
      pool_(std::make_shared<ConnectionPool>(reactor_, pool_limits(options_))),
      client_(reactor_, egress_, pool_, http_limits(), options_.homes),
      exchange_(reactor_, client_, *options_.cache),
      fetcher_(reactor_, exchange_, options_.identity, options_.rules, options_.timeouts),
      lab_policy_(std::make_shared<const AddressPolicy>(AddressPolicy::personal())),
      free_(std::make_unique<FreePacing>(options_.lab_per_host)),
      guard_(options_.settings),
      wake_(reactor_.executor()),
      work_(reactor_.executor()) {
  mailbox_ = std::make_shared<Mailbox<Scanned>>(
      reactor_, [this](std::vector<Scanned> pages) { arrived(std::move(pages)); },
      [](const Scanned& page) { return kWeightOfAPage + page.links.size(); });
}

RobotEngine::~RobotEngine() {
  stop(Duration::zero());
  mailbox_->close();
}

Result<std::unique_ptr<RobotEngine>> RobotEngine::create(RobotOptions options) {
  std::unique_ptr<RobotEngine> robot{new RobotEngine{std::move(options)}};
  Result<std::unique_ptr<Frontier>> frontier = Frontier::open(
      robot->options_.folder, std::make_shared<const CanonicalOptions>(robot->options_.settings.same_page()));
  if (!frontier) return frontier.error();
  robot->frontier_ = std::move(*frontier);
  robot->polite_ = std::make_unique<PolitePacing>(robot->options_.settings, *robot->frontier_, robot->reactor_.clock());
  if (Result<void> loaded = robot->load(); !loaded) return loaded.error();
  robot->load_budget();
  RobotEngine* const self = robot.get();
  const auto on_the_thread = [self](const std::function<void()>& work) {
    self->on_thread([&work] {
      work();
      return true;
    });
  };
  robot->watches_ = std::make_unique<RobotWatches>(
      RobotWatches::House{*self, *self->frontier_, self->reactor_.clock(),
                          [self]() -> const RobotSettings& { return self->options_.settings; }, on_the_thread});
  robot->watches_->load();
  return robot;
}

Result<void> RobotEngine::load() {
  Result<std::vector<StoredTask>> stored = frontier_->tasks();
  if (!stored) return stored.error();
  for (const StoredTask& each : *stored) {
    auto task = std::make_unique<RobotTask>();
    task->id = each.id;
    task->statistics = task->written = each.statistics;
    last_id_ = std::max(last_id_, each.id);
    Result<void> read = task->read_record(each.record);
    if (read) read = prepare(*task);
    if (!read) {
      log::error(Room::robot, "task_unreadable", {{"task", each.id}, {"reason", read.error().detail}});
      task->state = TaskState::failed;
      task->why = read.error().detail;
    }
    if (task->lacks_judges() && !task->ended_for_good()) task->why = std::string{kNoJudges};
    note_limit(each.id, task->ended_by_limit());
    by_id_[each.id] = std::move(task);
  }
  return {};
}

// What is made of the task's parameters.
Result<void> RobotEngine::prepare(RobotTask& task) {
  Result<std::unique_ptr<LinkRules>> rules = LinkRules::create(task.spec);
  if (!rules) return rules.error();
  task.rules = std::move(*rules);
  task.judges = make_judges(task.spec, task.guests);
  if (!task.traps) task.traps = std::make_unique<TrapDetector>(options_.settings);
  if (!task.strategy) task.strategy = make_strategy(task.spec.order, task.id);
  if (!task.window) open_window(task);
  return {};
}

void RobotEngine::open_window(RobotTask& task) {
  auto is_open = [this](std::string_view host) { return host_state(host).open; };
  task.window = std::make_unique<TaskWindow>(*frontier_, task.id, std::move(is_open));
}

// --- the thread

void RobotEngine::start() {
  const std::lock_guard lock(life_);
  if (running_) return;
  running_ = true;
  work_.spawn(mind(), "robot");
  thread_ = std::thread{[this] {
    thread_id_ = std::this_thread::get_id();
    const auto guard = asio::make_work_guard(reactor_.context());
    while (!reactor_.context().stopped()) {
      try {
        reactor_.run();
      } catch (const std::exception& failure) {
        log::error(Room::robot, "handler_failed", {{"reason", failure.what()}});
      }
    }
  }};
}

void RobotEngine::stop(Duration grace) {
  {
    const std::lock_guard lock(life_);
    if (!running_) return;
  }
  std::promise<void> joined;
  reactor_.post([this, grace, &joined] {
    stopping_ = true;
    timers_.clear();
    wake_.notify();
    auto wind_up = [](RobotEngine* self, Deadline deadline) -> Task<> {
      while (self->under_way_ > 0 && !deadline.passed()) co_await self->wake_.wait(deadline);
      self->work_.cancel();
      co_await self->work_.join(Deadline::after(kUnwindAtMost));
      self->client_.close_idle();
    };
    asio::co_spawn(reactor_.executor(), wind_up(this, Deadline::after(grace)),
                   [&joined](const std::exception_ptr&) { joined.set_value(); });
  });
  joined.get_future().wait();
  const std::lock_guard lock(life_);  // from here on nobody posts anything that nobody would run
  reactor_.stop();
  thread_.join();
  thread_id_ = std::thread::id{};
  running_ = false;
  reactor_.context().restart();
  for (bool left = true; left;) {  // others wait for what they posted in the last moment
    try {
      left = reactor_.context().poll() > 0;
    } catch (const std::exception& failure) {
      log::error(Room::robot, "handler_failed", {{"reason", failure.what()}});
    }
  }
  mailbox_->close();
  keep_budget();
  frontier_->put_down();
}

void RobotEngine::set_rules(std::shared_ptr<const AddressPolicy> policy, RobotRules rules) {
  on_thread([&] {
    options_.policy = std::move(policy);
    options_.rules = rules;
    fetcher_.set_rules(std::move(rules));
    return true;
  });
}

void RobotEngine::set_settings(RobotSettings settings) {
  on_thread([&] {
    polite_->set_settings(settings);
    guard_.set_settings(settings);
    options_.settings = std::move(settings);
    return true;
  });
}

Result<RobotTask*> RobotEngine::find(TaskId task) const {
  const auto found = by_id_.find(task);
  if (found == by_id_.end()) return no_such(task);
  return found->second.get();
}

// --- the port

namespace {

// Loads that nobody asked for are the last to break a rule.
void be_careful(TaskSpec& spec) {
  if (!spec.prefetch) return;
  spec.obey_robots = true;
  spec.follow_nofollow = false;
}

}  // namespace

void RobotEngine::give_company(RobotTask& task, TaskCompany company) {
  task.guests = std::move(company.judges);
  task.impatient = company.impatient;
  task.observer.reset();
  if (company.observer.on_page || company.observer.on_state || company.observer.on_fetch)
    task.observer = std::make_shared<const TaskObserver>(std::move(company.observer));
}

Result<TaskId> RobotEngine::submit(TaskSpec spec, TaskCompany company) {
  spec.judged = company.judges.any();
  be_careful(spec);
  if (Result<void> valid = validate(spec); !valid) return valid.error();
  return on_thread([this, &spec, &company]() -> Result<TaskId> {
    auto made = std::make_unique<RobotTask>();
    give_company(*made, std::move(company));
    if (spec.prefetch) keep_budget();  // knows the queries that have just been seen
    RobotTask& task = *made;
    task.id = last_id_ + 1;
    task.spec = std::move(spec);
    task.arrived = reactor_.clock().now();
    if (Result<void> prepared = prepare(task); !prepared) return prepared.error();
    if (Result<void> begun = begin_task(task); !begun) return begun.error();
    last_id_ = task.id;
    by_id_[task.id] = std::move(made);
    tick();
    wake_.notify();
    return task.id;
  });
}

Result<void> RobotEngine::accompany(TaskId id, TaskCompany company) {
  return on_thread([this, id, &company]() -> Result<void> {
    Result<RobotTask*> task = find(id);
    if (!task) return task.error();
    give_company(**task, std::move(company));
    if (!(*task)->lacks_judges() && (*task)->why == kNoJudges) (*task)->why.clear();
    Result<void> prepared = prepare(**task);
    wake_.notify();
    return prepared;
  });
}

// Files the start URLs: task and first entries are on disk together.
Result<void> RobotEngine::begin_task(RobotTask& task) {
  task.state = TaskState::running;
  note_limit(task.id, false);
  task.started = reactor_.clock().now();
  task.statistics = {};
  task.sitemaps = 0;
  task.sitemaps_of_hosts.clear();
  task.turn = std::max(task.turn, turn_);  // it does not get what the others had before it came
  std::vector<FoundLink> links;
  for (const std::string& text : task.spec.start) {
    Result<Url> url = Url::parse(text);
    if (!url) return url.error();
    links.push_back(make_found_link(frontier_->naming(), *url, LinkKind::anchor));
    links.back().position = static_cast<std::uint32_t>(links.size() - 1);
    if (links.size() <= task.spec.start_texts.size()) links.back().text = task.spec.start_texts[links.size() - 1];
  }
  if (task.spec.sitemaps)
    for (FoundLink& sitemap : sitemaps_of_starts(task)) links.push_back(std::move(sitemap));
  Frontier::Batch batch{*frontier_, task.id};
  const bool repeated = task.id <= last_id_;
  if (repeated) batch.begin_anew();
  batch.save(task.record());
  Source source;
  source.anew = repeated;
  source.remaining = remaining_from(task.spec.depth);
  source.cash = RobotTask::kCash / static_cast<std::uint32_t>(task.spec.start.size());
  file(task, batch, links, source);
  return conclude(task, batch);
}

Result<void> RobotEngine::set_state(RobotTask& task, TaskState state, std::string why) {
  task.state = state;
  task.why = std::move(why);
  note_limit(task.id, task.ended_by_limit());
  task.disk_failed = false;
  if (task.ended_for_good()) task.ended = reactor_.clock().now();
  task.note_progress(reactor_.clock().now());
  Frontier::Batch batch{*frontier_, task.id};
  batch.save(task.record());
  batch.save(task.statistics);
  Result<void> saved = batch.commit();
  if (saved) {
    task.written = task.statistics;
    frontier_->flush();
  }
  tell(task);
  return saved;
}

void RobotEngine::note_limit(TaskId task, bool is_reached) {
  const std::lock_guard lock(limit_mutex_);
  if (is_reached) {
    ended_by_limit_.insert(task);
  } else {
    ended_by_limit_.erase(task);
  }
}

void RobotEngine::tell(const RobotTask& task) {
  each_observer(task.id, task.observer, [id = task.id, state = task.state](const TaskObserver& observer) {
    if (observer.on_state) observer.on_state(id, state);  // it may remove the task
  });
}

Result<void> RobotEngine::change(TaskId id, TaskSpec spec) {
  be_careful(spec);
  if (Result<void> valid = validate(spec); !valid) return valid.error();
  return on_thread([this, id, &spec]() -> Result<void> {
    Result<RobotTask*> task = find(id);
    if (!task) return task.error();
    spec.judged = (*task)->spec.judged;
    spec.order = (*task)->spec.order;
    spec.start = (*task)->spec.start;
    std::swap((*task)->spec, spec);
    if (Result<void> prepared = prepare(**task); !prepared) {
      std::swap((*task)->spec, spec);
      return prepared;
    }
    (*task)->limit_reached = false;
    Result<void> saved = set_state(**task, (*task)->state, (*task)->why);
    tick();
    wake_.notify();
    return saved;
  });
}

Result<void> RobotEngine::pause(TaskId id) {
  return on_thread([this, id]() -> Result<void> {
    Result<RobotTask*> task = find(id);
    if (!task) return task.error();
    if ((*task)->ended_for_good()) return Error{ErrorKind::invalid_argument, Side::client, "the task has ended"};
    return set_state(**task, TaskState::paused);
  });
}

Result<void> RobotEngine::resume(TaskId id) {
  return on_thread([this, id]() -> Result<void> {
    Result<RobotTask*> task = find(id);
    if (!task) return task.error();
    const bool may_go_on = (*task)->ended_by_limit() && !(*task)->at_limit();  // the limit was raised
    if ((*task)->state != TaskState::paused && !may_go_on)
      return Error{ErrorKind::invalid_argument, Side::client, fmt::format("the task is {}", to_string((*task)->state))};
    (*task)->limit_reached = false;
    (*task)->ended = {};
    Result<void> saved = set_state(**task, TaskState::running);
    tick();
    wake_.notify();
    return saved;
  });
}

Result<void> RobotEngine::stop(TaskId id) {
  return on_thread([this, id]() -> Result<void> {
    Result<RobotTask*> task = find(id);
    if (!task) return task.error();
    if ((*task)->ended_for_good()) return {};
    return set_state(**task, TaskState::stopped);
  });
}

Result<void> RobotEngine::remove(TaskId id) {
  return on_thread([this, id]() -> Result<void> {
    Result<RobotTask*> task = find(id);
    if (!task) return task.error();
    under_way_ -= (*task)->jobs.size();  // whoever comes back finds no task
    by_id_.erase(id);
    note_limit(id, false);
    return frontier_->remove(id);
  });
}

std::vector<TaskStatus> RobotEngine::list() const {
  return on_thread([this] {
    std::vector<TaskStatus> all;
    for (const auto& [id, task] : by_id_) all.push_back(task->status());
    return all;
  });
}

Result<TaskStatus> RobotEngine::status(TaskId id) const {
  return on_thread([this, id]() -> Result<TaskStatus> {
    const Result<RobotTask*> task = find(id);
    if (!task) return task.error();
    TaskStatus status = (*task)->status();
    status.timeline = (*task)->timeline;
    std::map<std::string_view, HostView> hosts;
    for (const auto& [key, job] : (*task)->jobs) {
      status.open_urls.push_back(job->entry.url);
      ++hosts[host_of(job->entry.url)].under_way;
    }
    if ((*task)->window)
      (*task)->window->each_lane(
          [&](const std::string& host, const Lane& lane) { hosts[host].waiting = lane.entries.size(); });
    for (auto& [host, view] : hosts) {
      view.host = host;
      if (const auto known = hosts_.find(host); known != hosts_.end()) {
        view.fetched = known->second.fetched;
        view.failed = known->second.failed;
      }
      status.hosts.push_back(view);
    }
    std::stable_sort(status.hosts.begin(), status.hosts.end(), [](const HostView& a, const HostView& b) {
      return a.waiting + a.under_way > b.waiting + b.under_way;
    });
    return status;
  });
}

Result<UrlFate> RobotEngine::why_not(TaskId id, std::string_view text) const {
  const Result<Url> url = Url::parse(text);
  const UrlId name = url && url->is_http() ? url_id(frontier_->naming(), *url) : frontier_->id_of(text);
  UrlFate fate;
  const std::optional<SeenRecord> seen = frontier_->seen(id, name);
  if (!seen) {  // only then the robot's thread has to be asked: whoever lists a task's URLs asks for thousands
    const bool exists = on_thread([this, id] { return by_id_.contains(id); });
    if (!exists) return no_such(id);
    return fate;
  }
  fate.state = seen->state;
  fate.reason = seen->reason;
  fate.detail = seen->detail;
  fate.depth = seen->remaining == kEndless ? kUnlimitedDepth : seen->remaining;
  fate.in_degree = seen->in_degree;
  if (fate.state == UrlFate::State::queued) {  // it may wait in vain
    const std::lock_guard lock(limit_mutex_);
    if (ended_by_limit_.contains(id)) {
      fate.reason = Reason::limit;
      fate.detail = RobotTask::kLimitReached;
    }
  }
  return fate;
}

std::shared_ptr<void> RobotEngine::observe(TaskId task, TaskObserver observer) {
  auto handle = std::make_shared<Observed>(Observed{task, std::move(observer)});
  on_thread([this, &handle] {
    std::erase_if(observers_, [](const auto& weak) { return weak.expired(); });
    observers_.push_back(handle);
    return true;
  });
  return handle;
}

bool RobotEngine::is_observed(const RobotTask& task) const {
  if (task.observer && task.observer->on_page) return true;
  return std::any_of(observers_.begin(), observers_.end(), [&task](const auto& weak) {
    const auto observed = weak.lock();
    return observed && observed->observer.on_page && (observed->task == 0 || observed->task == task.id);
  });
}

}  // namespace outrider
