// The robot: one per process, on a thread of its own, with its own way out to the network. Many tasks share it: their
// hosts are asked at the pace that politeness allows, their turns are fair.
//
//   submit → frontier ── window ── next task, next host ── robots.txt ── pace ── fetcher → cache/exchange
//              ▲                                                                    │
//              └── links filed, result counted: one batch ◄── mailbox ◄── ingest ◄──┘
//
// robot.cpp: its life and the port · robot_schedule.cpp: who is next · robot_hosts.cpp: what has to be known of a host
// first · robot_work.cpp: one fetch and its end ·
// robot_pages.cpp: what came back · robot_links.cpp: what is done with the links of a page · robot_prefetch.cpp: loads
// that nobody asked for · robot_sitemaps.cpp, robot_revisit.cpp, robot_forget.cpp, watches.cpp.
#pragma once

#include "base/async_event.hpp"
#include "base/worker_pool.hpp"
#include "cache/ingest.hpp"
#include "plugins/api/browser_witness.hpp"
#include "plugins/api/control.hpp"
#include "plugins/api/robot.hpp"
#include "plugins/api/robot_hosts.hpp"
#include "robot/fetcher.hpp"
#include "robot/forget_rule.hpp"
#include "robot/known_links.hpp"
#include "robot/mailbox.hpp"
#include "robot/pacing.hpp"
#include "robot/prefetch_guard.hpp"
#include "robot/robots_rules.hpp"
#include "robot/settings.hpp"
#include "robot/task.hpp"
#include "robot/watches.hpp"

#include <atomic>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <unordered_map>

namespace outrider {

struct RobotOptions {
  std::filesystem::path folder;  // of the frontier
  RobotSettings settings;
  RobotIdentity identity;
  RobotRules rules;
  std::shared_ptr<const AddressPolicy> policy;
  ClientTimeouts timeouts;
  std::size_t concurrency = 64;                    // entries under way: being fetched or parsed
  std::size_t interactive = 8;                     // … and so many more for those that somebody waits for
  Duration retry_after = std::chrono::seconds{2};  // the first time; doubles
  // In a laboratory these hosts (as in TaskSpec::hosts) are asked as fast as they answer, wherever they are.
  std::vector<std::string> lab_hosts;
  std::size_t lab_per_host = 16;
  std::size_t most_rules_bytes = 64 << 20;  // of robots.txt in memory

  // The house: must outlive the robot.
  WorkerPool* lookups = nullptr;
  TlsClient* tls = nullptr;
  CacheShared* cache = nullptr;
  Ingest* ingest = nullptr;
  Http2Homes* homes = nullptr;  // whose HTTP/2 connections are used, too; nullptr: there is nobody else
};

// One entry under way.
struct RobotJob {
  TaskId task = 0;
  QueueEntry entry;
  Url url;
  bool fetching = false;                              // else: being parsed
  bool head_only = false;                             // was asked for by HEAD
  bool unreachable = false;                           // not asked for: its host could not be asked for robots.txt
  bool bulk = false;                                  // nobody looks at the page: only its links are wanted
  std::optional<KnownLinks> known_links;              // if the page has not changed since they were written down
  Fetched fetched;                                    // without its body, once that has been handed on
  bool forgotten = false;                             // somebody wants it forgotten: nothing is done with the answer
  std::shared_ptr<const ForgetRule> forgotten_links;  // links that are not to be followed; may be nullptr
};

class RobotEngine final : public Robot, public RobotHosts, public RobotControl, public BrowserWitness {
 public:
  static Result<std::unique_ptr<RobotEngine>> create(RobotOptions options);
  ~RobotEngine() override;  // stops

  // Works on this task alone; the others stay as they are. Before start().
  void work_only_on(TaskId task) { only_ = task; }
  void work_only_on_owner(std::string owner) { only_owner_ = std::move(owner); }
  void start();
  // Begins nothing new, waits for what is under way, but not longer than this. What is left is done after the next
  // start. Tasks stay as they are.
  void stop(Duration grace);

  // For what begins from now on. Any thread.
  void set_rules(std::shared_ptr<const AddressPolicy> policy, RobotRules rules);
  void set_settings(RobotSettings settings);

  // BrowserWitness
  void browser_asks(std::string_view host) override;
  void browser_saves_data() override;
  void saw_safe_query(std::string_view url) override;

  // RobotHosts: robot_hosts_port.cpp
  std::vector<RobotHost> hosts(const RobotHostQuery& query) const override;
  Result<RobotHost> host(std::string_view host) const override;
  Result<void> clear_block(std::string_view host) override;
  Result<void> fetch_robots_again(std::string_view host) override;

  // RobotControl: robot_forget.cpp
  Result<boost::json::object> forget(const boost::json::object& question) override;

  Result<TaskId> submit(TaskSpec spec, TaskCompany company = {}) override;
  Result<void> accompany(TaskId task, TaskCompany company) override;
  Result<void> change(TaskId task, TaskSpec spec) override;
  Result<void> pause(TaskId task) override;
  Result<void> resume(TaskId task) override;
  Result<void> stop(TaskId task) override;
  Result<void> remove(TaskId task) override;
  std::vector<TaskStatus> list() const override;
  Result<TaskStatus> status(TaskId task) const override;
  Result<UrlFate> why_not(TaskId task, std::string_view url) const override;
  std::shared_ptr<void> observe(TaskId task, TaskObserver observer) override;

  PageWatches& watches() { return *watches_; }

 private:
  // A page that came back from the ingest.
  struct Scanned {
    std::shared_ptr<RobotJob> job;
    std::vector<FoundLink> links;
    PageContent page;
    std::shared_ptr<const std::pair<Node, std::vector<Link>>> observed;  // only if somebody observes
    std::vector<Observation> looks;                                      // that the memory knows of; for revisits
  };
  struct Host {
    RobotsRules robots;
    std::string address;    // of the machine; "" = not known
    bool resolved = false;  // it was tried to find that out
    bool learning = false;
    bool open = true;
    bool blocked = false;  // until some request ends
    std::uint64_t under_way = 0, fetched = 0, failed = 0;
    std::string last_error;
    WallTime last_error_at{};
  };
  struct Observed {
    TaskId task = 0;
    TaskObserver observer;
  };

  struct IdHash {
    std::size_t operator()(const UrlId& id) const { return id.low; }
  };
  using Decided = std::unordered_map<UrlId, SeenMark, IdHash>;  // what is going to be written

  explicit RobotEngine(RobotOptions options);
  Result<void> load();
  template <class Work>
  auto on_thread(Work work) const -> decltype(work());
  Result<RobotTask*> find(TaskId task) const;
  Result<void> prepare(RobotTask& task);
  void open_window(RobotTask& task);  // what is in it is read from disk
  Result<void> set_state(RobotTask& task, TaskState state, std::string why = "");
  void note_limit(TaskId task, bool is_reached);  // for those who ask without this thread
  Result<void> begin_task(RobotTask& task);
  void tell(const RobotTask& task);
  void tell(const RobotJob& job, const std::shared_ptr<const TaskObserver>& own, std::string redirects_to = "");
  static void give_company(RobotTask& task, TaskCompany company);
  bool is_observed(const RobotTask& task) const;  // somebody wants to hear of its pages
  template <class Call>
  void each_observer(TaskId task, std::shared_ptr<const TaskObserver> own, Call call);

  // robot_schedule.cpp
  Task<> mind();  // timers, windows, expiry
  void tick();
  void pump();
  static void guarded(std::string_view doing, const std::function<void()>& work);
  RobotTask* next_task();
  bool dispatch(RobotTask& task);  // false: its host has to wait
  void begin_work(RobotTask& task, const std::shared_ptr<RobotJob>& job);
  bool may_begin_another(const RobotTask& task) const;
  void finish_if_done(RobotTask& task);
  void set_open(std::string_view host, bool open);
  void later(Duration wait, std::function<void()> work);
  Host& host_state(std::string_view host);
  void request_ended(const std::string& host, const Url& url, const Fetched& fetched);
  // robot_hosts.cpp
  struct Lesson {
    std::string host;
    bool robots = false;  // its robots.txt is wanted
    std::string apart;    // TaskSpec::apart
    bool impatient = false;
  };
  const RobotsRules& rules_for(const RobotTask& task, const std::string& host);
  void learn_later(const std::string& host, bool robots, const RobotTask& task);
  Task<> learn_waiting();
  std::optional<Lesson> next_to_learn();
  Task<> learn(const Lesson& lesson);
  Task<std::string> find_address(Url url);
  // Nothing: it was our own fault, or we are stopping, or the host has to be left alone until `wait` is over.
  Task<std::optional<RobotsRules>> fetch_robots(const Lesson& lesson, RobotsRules known, Duration& wait);
  void bound_rules(const RobotsRules& fresh);
  void keep_apart(const Lesson& lesson, RobotsRules fresh);
  static constexpr std::string_view kRobotsNote = "robots ";  // the names of notes in the frontier begin so
  static std::string robots_note(const std::string& host) { return std::string{kRobotsNote} + host; }
  RobotHost shown(std::string_view name, const Host& host) const;
  bool is_lab(const Url& url) const { return lab_.contains(url); }
  Pacing& pacing_of(const Url& url) { return is_lab(url) ? *free_ : *polite_; }
  FetchOrder order_for(const RobotTask* task, const Url& url, const QueueEntry& entry) const;

  // robot_prefetch.cpp: loads that nobody asked for
  Rejection refuse_ahead(const RobotTask& task, const FoundLink& link, bool page_nofollow) const;
  bool reject_ahead(RobotTask& task, const Url& url);  // the first of its queue; true: it is gone
  bool saves_data(const RobotTask& task) const;
  void spend_ahead(const Url& url);                              // it begins …
  void spend_ahead(const RobotTask* task, const RobotJob& job);  // … and has ended
  void keep_budget();
  void load_budget();

  // robot_work.cpp
  Task<> work(std::shared_ptr<RobotJob> job);
  Arrival arrival_of(const std::shared_ptr<RobotJob>& job, bool is_page) const;
  std::uint32_t cash_of(const RobotTask& task, const RobotJob& job) const;
  Task<bool> hand_on(std::shared_ptr<RobotJob> job);
  void ended(const std::shared_ptr<RobotJob>& job);
  bool retry(const std::shared_ptr<RobotJob>& job);
  void try_again(TaskId task, const std::string& key);
  void failed(RobotTask& task, RobotJob& job);
  void redirected(RobotTask& task, RobotJob& job);
  void release(RobotTask& task, RobotJob& job);
  void leave(RobotTask& task, const RobotJob& job);

  // robot_pages.cpp
  bool is_bulk(const RobotTask& task, const RobotJob& job) const;
  bool knows_links(RobotJob& job, std::uint64_t version) const;
  void keep_links(Frontier::Batch& batch, const Scanned& page) const;
  void unchanged(const std::shared_ptr<RobotJob>& job);
  bool go_together(const RobotJob& one, const RobotJob& other) const;
  void arrived(std::vector<Scanned> pages);
  RobotTask* task_of(const RobotJob& job) const;
  void scanned(std::span<Scanned> pages);
  bool digest(RobotTask& task, Frontier::Batch& batch, Decided& decided, Scanned& page);

  // robot_sitemaps.cpp
  std::vector<FoundLink> sitemaps_of_starts(const RobotTask& task) const;
  bool file_named_sitemaps(RobotTask& task, const std::string& host);  // true: there were some
  static std::vector<FoundLink> links_of_sitemap(const UrlNaming& naming, const RobotJob& job, bool any_host);
  void sitemap_read(RobotTask& task, Scanned& page);

  class Forgetting;  // robot_forget.cpp

  // robot_revisit.cpp
  void plan_look(const RobotTask& task, Frontier::Batch& batch, const RobotJob& job,
                 const std::vector<Observation>& looks) const;
  void plan_look_after_failure(const RobotTask& task, Frontier::Batch& batch, const QueueEntry& entry) const;
  void queue_due(RobotTask& task, WallTime now);

  // robot_links.cpp
  struct Source {                  // of links
    const Url* page = nullptr;     // nullptr: start URLs
    RemainingDepth remaining = 0;  // of the links, if `deep_enough`
    bool deep_enough = true;
    std::uint16_t depth = 0;  // of the links
    std::uint8_t redirects = 0;
    std::uint32_t cash = 0;          // of each link: RobotTask::spends_cash()
    Rejection all;                   // why none of the links counts
    bool anew = false;               // nothing of the task is known, whatever is still on disk
    const PageView* view = nullptr;  // for those who judge links
    const Attributes* attributes = nullptr;
  };
  class Filing;
  void file(RobotTask& task, Frontier::Batch& batch, std::span<FoundLink> links, const Source& source,
            Decided& decided);
  void file(RobotTask& task, Frontier::Batch& batch, std::span<FoundLink> links, const Source& source) {
    Decided decided;
    file(task, batch, links, source, decided);
  }
  Result<void> conclude(RobotTask& task, Frontier::Batch& batch);
  void fall_back(RobotTask& task, std::string why);
  void try_to_write(RobotTask& task);

  RobotOptions options_;  // constant, but for what set_rules() changes
  const HostList lab_;
  Reactor reactor_;
  Resolver resolver_;
  Egress egress_;
  std::shared_ptr<ConnectionPool> pool_;
  HttpClient client_;
  Exchange exchange_;
  Fetcher fetcher_;
  std::shared_ptr<const AddressPolicy> lab_policy_;
  std::unique_ptr<Frontier> frontier_;
  std::unique_ptr<Pacing> polite_, free_;
  PrefetchGuard guard_;
  std::unique_ptr<RobotWatches> watches_;
  bool budget_changed_ = false;
  std::atomic<SteadyTime::rep> saves_data_until_{0};
  std::mutex safe_mutex_;  // guards the next one
  std::vector<std::string> safe_queries_;
  std::map<TaskId, std::unique_ptr<RobotTask>> by_id_;
  mutable std::mutex limit_mutex_;  // guards the next one
  std::set<TaskId> ended_by_limit_;
  std::map<std::string, Host, std::less<>> hosts_;
  std::multimap<SteadyTime, std::function<void()>> timers_;
  std::vector<std::weak_ptr<Observed>> observers_;
  std::shared_ptr<Mailbox<Scanned>> mailbox_;
  TaskId last_id_ = 0;
  TaskId only_ = 0;                        // 0 = all
  std::optional<std::string> only_owner_;  // absent = all
  bool works_on(const RobotTask& task) const {
    return (only_ == 0 || task.id == only_) && (!only_owner_ || task.spec.owner == *only_owner_);
  }
  std::size_t under_way_ = 0;
  double turn_ = 0;  // of the task that was last dispatched: who comes later begins here
  // By the tasks that asked first; 0: somebody waits for it.
  std::map<TaskId, std::deque<Lesson>> to_learn_;
  TaskId learnt_for_ = 0;        // the last one
  std::size_t rules_bytes_ = 0;  // of all robots.txt in memory, at most
  // What tasks that are kept apart know of hosts, by their word and the host: each of them has asked itself, and nobody
  // sees from what it asks for what others have learnt. In memory only.
  std::map<std::pair<std::string, std::string>, RobotsRules> rules_apart_;
  std::size_t apart_bytes_ = 0;
  std::size_t learners_ = 0;
  std::atomic<bool> busy_{false};  // some task is running: the browser's requests matter
  bool pumping_ = false, stopping_ = false, unsynced_ = false;
  AsyncEvent wake_;
  // Guards `running_` and, as long as there is no thread, everything else. Recursive: observers may ask in turn.
  mutable std::recursive_mutex life_;
  bool running_ = false;
  std::thread thread_;
  std::atomic<std::thread::id> thread_id_{};
  TaskGroup work_;  // last: its tasks use all of the above
};

// Runs work on the robot's thread and waits for it. Before start() and after stop() it is done here, by one at a time.
template <class Work>
auto RobotEngine::on_thread(Work work) const -> decltype(work()) {
  if (std::this_thread::get_id() == thread_id_.load()) return work();
  std::unique_lock lock(life_);
  if (!running_) return work();
  std::packaged_task<decltype(work())()> task{std::move(work)};
  auto result = task.get_future();
  const_cast<Reactor&>(reactor_).post([&task] { task(); });
  lock.unlock();
  return result.get();
}

// Over a copy: an observer may come or go while they are told. What one of them throws is its own affair.
template <class Call>
void RobotEngine::each_observer(TaskId task, std::shared_ptr<const TaskObserver> own, Call call) {
  const std::vector<std::weak_ptr<Observed>> all = observers_;
  for (const auto& weak : all)
    if (const auto observed = weak.lock(); observed && (observed->task == 0 || observed->task == task))
      guarded("an observer", [&] { call(observed->observer); });
  if (own) guarded("an observer", [&] { call(*own); });
}

}  // namespace outrider
