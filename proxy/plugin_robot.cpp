#include "proxy/plugin_robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace outrider {
namespace {

// A page that outlives the robot's call.
struct KeptPage {
  TaskId task = 0;
  Node node;
  std::vector<Link> links;
  std::string source;
  RobotPage shown() const { return {task, node, links, source}; }
};

bool is_end(TaskState state) {
  return state >= TaskState::finished;
}

}  // namespace

struct PluginRobot::News : std::enable_shared_from_this<News> {
  News(PluginRecord& r, Metrics& metrics)
      : record(&r),
        dropped(metrics.counter("outrider_plugin_robot_dropped_total",
                                "Pages and ends of tasks that a plugin was too busy to hear of.",
                                {{"plugin", r.info().name}})) {}

  struct Heard {
    TaskId task = 0;  // 0 = all of the plugin's
    TaskObserver observer;
  };

  void page(const RobotPage& page, const std::shared_ptr<const TaskObserver>& own) {
    const auto wants = [](const TaskObserver& observer) { return static_cast<bool>(observer.on_page); };
    const auto others = observers_of(page.task);
    const bool hook = record->info().hooks.has(Hook::robot_page);
    if (!record->running() || (!hook && !(own && wants(*own)) && others.empty())) return;
    if (waiting.fetch_add(1) >= kMostPagesWaiting || bytes.load() + page.source.size() > kMostBytesWaiting) {
      --waiting;
      dropped.add();
      return;
    }
    bytes += page.source.size();
    const auto kept =
        std::make_shared<const KeptPage>(KeptPage{page.task, page.node, page.links, std::string{page.source}});
    const std::shared_ptr<void> counted{nullptr, [self = shared_from_this(), size = page.source.size()](void*) {
                                          --self->waiting;
                                          self->bytes -= size;
                                        }};
    tell([r = record, hook, kept, own, others, wants, counted] {
      const RobotPage shown = kept->shown();
      if (hook) r->guarded("on_robot_page", [&] { r->plugin().on_robot_page(shown); });
      if (own && wants(*own)) r->guarded("an observer", [&] { own->on_page(shown); });
      for (const std::shared_ptr<Heard>& each : others)
        if (wants(each->observer)) r->guarded("an observer", [&] { each->observer.on_page(shown); });
    });
  }

  void state(TaskId task, TaskState state, const std::shared_ptr<const TaskObserver>& own) {
    const auto others = observers_of(task);
    const bool hook = is_end(state) && record->info().hooks.has(Hook::task_end);
    if (!record->running() || (!hook && !(own && own->on_state) && others.empty())) return;
    tell([r = record, hook, task, state, own, others] {
      if (hook) r->guarded("on_task_end", [&] { r->plugin().on_task_end(task, to_string(state)); });
      if (own && own->on_state) r->guarded("an observer", [&] { own->on_state(task, state); });
      for (const std::shared_ptr<Heard>& each : others)
        if (each->observer.on_state) r->guarded("an observer", [&] { each->observer.on_state(task, state); });
    });
  }

  void fetch(const RobotFetch& fetch, const std::shared_ptr<const TaskObserver>& own) {
    const auto wants = [](const TaskObserver& observer) { return static_cast<bool>(observer.on_fetch); };
    const auto others = observers_of(fetch.task);
    if (!record->running() || (!(own && wants(*own)) && others.empty())) return;
    if (fetches.fetch_add(1) >= kMostFetchesWaiting) {
      --fetches;
      dropped.add();
      return;
    }
    const std::shared_ptr<void> counted{nullptr, [self = shared_from_this()](void*) { --self->fetches; }};
    tell([r = record, fetch, url = std::string{fetch.url}, text = std::string{fetch.error_text}, own, others, wants,
          counted] {
      RobotFetch shown = fetch;
      shown.url = url;
      shown.error_text = text;
      if (own && wants(*own)) r->guarded("an observer", [&] { own->on_fetch(shown); });
      for (const std::shared_ptr<Heard>& each : others)
        if (wants(each->observer)) r->guarded("an observer", [&] { each->observer.on_fetch(shown); });
    });
  }

  void tell(std::function<void()> job) {
    const std::lock_guard lock(mutex);
    if (gone || !record->lane().post(std::move(job))) dropped.add();
  }

  std::vector<std::shared_ptr<Heard>> observers_of(TaskId task) {
    const std::lock_guard lock(mutex);
    std::vector<std::shared_ptr<Heard>> found;
    std::erase_if(observers, [](const auto& weak) { return weak.expired(); });
    for (const std::weak_ptr<Heard>& weak : observers)
      if (auto heard = weak.lock(); heard && (heard->task == 0 || heard->task == task)) found.push_back(heard);
    return found;
  }

  PluginRecord* const record;
  Counter& dropped;
  std::atomic<std::size_t> waiting{0}, bytes{0}, fetches{0};
  std::mutex mutex;  // guards what follows
  bool gone = false;
  std::vector<std::weak_ptr<Heard>> observers;
};

PluginRobot::PluginRobot(Robot& robot, PluginRecord& record, Metrics& metrics)
    : robot_(robot), name_(record.info().name), news_(std::make_shared<News>(record, metrics)) {}

PluginRobot::~PluginRobot() {
  const std::lock_guard lock(news_->mutex);
  news_->gone = true;
}

void PluginRobot::resume_observing() {
  for (const TaskStatus& task : robot_.list())
    if (task.spec.owner == name_) (void)robot_.accompany(task.id, company_of({}));
}

// Judges through the plugin's record: what they throw and the time they take is counted, and whoever was set aside
// judges no more. A filter that gives no answer rejects: its task must not run wild.
TaskCompany PluginRobot::company_of(TaskCompany company) const {
  PluginRecord* const record = news_->record;
  const auto judges = std::make_shared<const TaskJudges>(std::move(company.judges));
  TaskCompany wrapped;
  wrapped.judges.need_text = judges->need_text;
  wrapped.impatient = company.impatient;
  const auto asked = [record](const char* what, auto call) { return record->guarded(what, call); };
  const auto no_answer = [name = name_] {
    return UrlDecision{Decision::reject, fmt::format("the plugin {} gives no answer", name)};
  };
  if (judges->classify_page)
    wrapped.judges.classify_page = [judges, asked](const JudgedPage& page, Attributes& out) {
      asked("a classifier", [&] { judges->classify_page(page, out); });
    };
  if (judges->classify_link)
    wrapped.judges.classify_link = [judges, asked](const JudgedLink& link, const Attributes& page, Attributes& out) {
      asked("a classifier", [&] { judges->classify_link(link, page, out); });
    };
  if (judges->filter_page)
    wrapped.judges.filter_page = [judges, asked, no_answer](const JudgedPage& page, const Attributes& attributes) {
      UrlDecision decision;
      const bool said = asked("a filter", [&] { decision = judges->filter_page(page, attributes); });
      return said ? decision : no_answer();
    };
  if (judges->filter_link)
    wrapped.judges.filter_link = [judges, asked, no_answer](const JudgedLink& link, const Attributes& attributes) {
      UrlDecision decision;
      const bool said = asked("a filter", [&] { decision = judges->filter_link(link, attributes); });
      return said ? decision : no_answer();
    };
  std::shared_ptr<const TaskObserver> own;
  if (company.observer.on_page || company.observer.on_state || company.observer.on_fetch)
    own = std::make_shared<const TaskObserver>(std::move(company.observer));
  wrapped.observer.on_page = [news = news_, own](const RobotPage& page) { news->page(page, own); };
  wrapped.observer.on_fetch = [news = news_, own](const RobotFetch& fetch) { news->fetch(fetch, own); };
  wrapped.observer.on_state = [news = news_, own](TaskId task, TaskState state) { news->state(task, state, own); };
  return wrapped;
}

Result<void> PluginRobot::check_own(TaskId task) const {
  const Result<TaskStatus> status = robot_.status(task);
  if (!status) return status.error();
  if (status->spec.owner == name_) return {};
  return Error{ErrorKind::rule_denied, Side::client, fmt::format("task {} does not belong to {}", task, name_)};
}

Result<TaskId> PluginRobot::submit(TaskSpec spec, TaskCompany company) {
  spec.owner = name_;
  return robot_.submit(std::move(spec), company_of(std::move(company)));
}

Result<void> PluginRobot::accompany(TaskId task, TaskCompany company) {
  if (Result<void> own = check_own(task); !own) return own;
  return robot_.accompany(task, company_of(std::move(company)));
}

Result<void> PluginRobot::change(TaskId task, TaskSpec spec) {
  if (Result<void> own = check_own(task); !own) return own;
  spec.owner = name_;
  return robot_.change(task, std::move(spec));
}

Result<void> PluginRobot::pause(TaskId task) {
  if (Result<void> own = check_own(task); !own) return own;
  return robot_.pause(task);
}

Result<void> PluginRobot::resume(TaskId task) {
  if (Result<void> own = check_own(task); !own) return own;
  return robot_.resume(task);
}

Result<void> PluginRobot::stop(TaskId task) {
  if (Result<void> own = check_own(task); !own) return own;
  return robot_.stop(task);
}

Result<void> PluginRobot::remove(TaskId task) {
  if (Result<void> own = check_own(task); !own) return own;
  return robot_.remove(task);
}

std::vector<TaskStatus> PluginRobot::list() const {
  std::vector<TaskStatus> all = robot_.list();
  std::erase_if(all, [this](const TaskStatus& task) { return task.spec.owner != name_; });
  return all;
}

Result<TaskStatus> PluginRobot::status(TaskId task) const {
  Result<TaskStatus> status = robot_.status(task);
  if (status && status->spec.owner != name_) return check_own(task).error();
  return status;
}

Result<UrlFate> PluginRobot::why_not(TaskId task, std::string_view url) const {
  if (Result<void> own = check_own(task); !own) return own.error();
  return robot_.why_not(task, url);
}

std::shared_ptr<void> PluginRobot::observe(TaskId task, TaskObserver observer) {
  auto heard = std::make_shared<News::Heard>(News::Heard{task, std::move(observer)});
  const std::lock_guard lock(news_->mutex);
  news_->observers.push_back(heard);
  return heard;
}

}  // namespace outrider
