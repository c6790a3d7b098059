// Forgetting: what the robot's tasks still had to do on forgotten pages, what they planned there, what was said of
// them, and what was learnt of their hosts. Of what was seen a digest stays (frontier.hpp): it names nothing, and keeps
// a running task from loading the same pages again.
#include "cache/graph_control.hpp"
#include "robot/forget_rule.hpp"
#include "robot/robot.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace outrider {
namespace {

constexpr std::size_t kAtOnce = 4096;  // entries in a batch

// "http://www.example.com:8080" → "www.example.com:8080"
std::string_view without_scheme(std::string_view host) {
  const std::size_t slashes = host.find("://");
  return slashes == std::string_view::npos ? host : host.substr(slashes + 3);
}

}  // namespace

// One request. Everything but rewriting the files is done on the robot's thread.
class RobotEngine::Forgetting {
 public:
  Forgetting(RobotEngine& robot, const ForgetRule& rule) : robot_(robot), rule_(rule) {}

  Result<void> run() {
    std::vector<TaskId> ids;
    for (const auto& [id, task] : robot_.by_id_) ids.push_back(id);
    for (const TaskId id : ids)
      if (Result<void> done = one_task(id); !done) return done;
    if (rule_.user()) return {};
    // Which pages link to what is forgotten is not looked for: they are read again when their turn comes.
    if (Result<void> done = robot_.frontier_->forget_links(); !done) return done;
    hosts();
    robot_.tick();
    robot_.wake_.notify();
    return {};
  }

  std::uint64_t tasks = 0, urls = 0, hosts_gone = 0;

 private:
  Result<void> one_task(TaskId id) {
    RobotTask& task = *robot_.by_id_.at(id);
    bool goes = rule_.everything() || (rule_.is_span() && rule_.then(task.arrived));
    if (rule_.user()) goes = task.spec.owner == *rule_.user();
    const TaskSpec before = task.spec;
    if (!goes && rule_.by_address()) goes = !left_of(task.spec);
    if (goes) return remove(task);
    if (rule_.user()) return {};
    if (!(task.spec == before)) {
      if (Result<void> prepared = robot_.prepare(task); !prepared) return remove(task);
      if (Result<void> saved = robot_.set_state(task, task.state, task.why); !saved) return saved;
      if (!robot_.find(id)) return {};  // whoever heard of it removed it
    }
    if (Result<void> done = queue(task); !done) return done;
    return plans(task);
  }

  // What a task was asked for without what is forgotten. False: there is nothing left. Patterns and exclusions are
  // rules that somebody wrote, like the settings, and stay.
  bool left_of(TaskSpec& spec) const {
    std::vector<std::string> start, texts;
    for (std::size_t i = 0; i < spec.start.size(); ++i) {
      if (rule_.means(spec.start[i])) continue;
      start.push_back(spec.start[i]);
      if (i < spec.start_texts.size()) texts.push_back(spec.start_texts[i]);
    }
    spec.start = std::move(start);
    spec.start_texts = std::move(texts);
    if (rule_.is_named_in(spec.name)) spec.name.clear();
    bool left = !spec.start.empty();
    for (std::vector<std::string>* hosts : {&spec.hosts, &spec.include_hosts}) {
      const bool were = !hosts->empty();
      std::erase_if(*hosts, [this](const std::string& host) { return rule_.means_host(host); });
      left = left && were == !hosts->empty();  // no hosts would mean all of them
    }
    return left;
  }

  Result<void> remove(RobotTask& task) {
    const TaskId id = task.id;
    if (!task.ended_for_good()) (void)robot_.set_state(task, TaskState::stopped);  // whoever waits for it hears of it
    ++tasks;
    return robot_.find(id) ? robot_.remove(id) : Result<void>{};
  }

  bool is_meant(const RobotTask& task, const QueueEntry& entry) const {
    if (!rule_.is_span()) return rule_.means(entry.url);
    return entry.found == WallTime{} ? rule_.during(task.started, task.ended) : rule_.then(entry.found);
  }

  Result<void> queue(RobotTask& task) {
    bool changed = false;
    std::vector<QueueEntry> entries;
    for (std::string after;; after = entries.back().key) {
      entries.clear();
      const bool more = robot_.frontier_->load(task.id, after, kAtOnce, entries);
      Frontier::Batch batch{*robot_.frontier_, task.id};
      const std::uint64_t before = urls;
      for (const QueueEntry& entry : entries)
        if (is_meant(task, entry)) drop(task, batch, entry);
      if (urls != before) {
        changed = true;
        if (Result<void> written = robot_.conclude(task, batch); !written) return written;
      }
      if (!more || entries.empty()) break;
    }
    // What is parsed at this moment may link there.
    for (const auto& [key, job] : task.jobs)
      if (rule_.by_address()) job->forgotten_links = std::make_shared<const ForgetRule>(rule_);
    if (!changed) return {};
    robot_.open_window(task);
    for (const auto& [key, job] : task.jobs) task.window->note_taken(key);
    for (const auto& [key, entry] : task.resting) task.window->note_taken(key);
    return {};
  }

  void drop(RobotTask& task, Frontier::Batch& batch, const QueueEntry& entry) {
    ++urls;
    task.count_rejected(Reason::forgotten);
    batch.finish(entry, UrlFate::State::rejected, Reason::forgotten, "");
    task.resting.erase(entry.key);
    const auto under_way = task.jobs.find(entry.key);
    if (under_way == task.jobs.end()) return;
    const std::shared_ptr<RobotJob> job = under_way->second;
    job->forgotten = true;
    robot_.leave(task, *job);
  }

  Result<void> plans(RobotTask& task) {
    for (std::string after;;) {
      const auto planned = robot_.frontier_->scheduled(task.id, after, kAtOnce);
      if (planned.empty()) return {};
      Frontier::Batch batch{*robot_.frontier_, task.id};
      for (const auto& [record, entry] : planned) {
        if (!is_meant(task, entry)) continue;
        batch.unschedule(record);
        ++urls;
      }
      if (Result<void> written = batch.commit(); !written) return written;
      after = planned.back().first;
    }
  }

  // What was learnt is learnt again. After a span of time nobody knows any more when that was: all of it goes.
  void hosts() {
    robot_.rules_apart_.clear();
    robot_.apart_bytes_ = 0;
    const bool all = rule_.everything() || rule_.is_span();
    const auto is_meant = [&](std::string_view host) { return all || rule_.means_host(without_scheme(host)); };
    for (auto it = robot_.hosts_.begin(); it != robot_.hosts_.end();) {
      Host& host = it->second;
      const bool idle = host.under_way == 0 && host.open && !host.learning;
      if (!is_meant(it->first)) {
        ++it;
      } else if (idle) {
        it = robot_.hosts_.erase(it);
      } else {
        host.last_error.clear();
        ++it;
      }
    }
    for (const std::string& name : robot_.frontier_->note_names()) {
      const std::string_view host = host_in(name);
      if (host.empty() || !is_meant(host)) continue;
      robot_.frontier_->remove_note(name);
      ++hosts_gone;
    }
    robot_.guard_.forget(
        [&](std::string_view site) { return all || rule_.is_named_in(site) || rule_.means_host(site); });
    robot_.budget_changed_ = true;
    robot_.keep_budget();
  }

  static std::string_view host_in(std::string_view note) {
    for (const std::string_view kind : {kPaceNote, kRobotsNote})
      if (note.starts_with(kind)) return note.substr(kind.size());
    return {};
  }

  RobotEngine& robot_;
  const ForgetRule& rule_;
};

Result<boost::json::object> RobotEngine::forget(const boost::json::object& question) {
  const Result<ForgetScope> scope = parse_forget(question, reactor_.clock().now());
  if (!scope) return scope.error();
  const Result<ForgetRule> rule = ForgetRule::of(*scope);
  if (!rule) return rule.error();
  Forgetting forgetting{*this, *rule};
  if (Result<void> done = on_thread([&] { return forgetting.run(); }); !done) return done.error();
  // Words say why something was rejected, and quote addresses: whose, is not known.
  if (Result<void> done = frontier_->rewrite(!rule->user()); !done) return done.error();
  return boost::json::object{{"tasks", forgetting.tasks}, {"urls", forgetting.urls}, {"hosts", forgetting.hosts_gone}};
}

}  // namespace outrider
