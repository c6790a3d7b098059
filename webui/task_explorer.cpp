#include "webui/task_explorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string_view>
#include <unordered_map>

namespace outrider::webui {
namespace {

using State = UrlFate::State;

constexpr Duration kPatience = std::chrono::milliseconds{25};  // of one question; the rest is for the next one
constexpr std::size_t kMostEdgesOfPage = 8;                    // besides those that are the first to their target
constexpr std::size_t kMostEdges = 3 * TaskExplorer::kMostAddresses;
constexpr std::size_t kLinksAtOnce = 1000;

std::string_view without_fragment(std::string_view url) {
  return url.substr(0, url.find('#'));
}

bool is_shown(State state) {
  return state == State::queued || state == State::fetched || state == State::failed;
}

}  // namespace

class TaskExplorer::Walk {
 public:
  Walk(const TaskExplorer& house, TaskId task, std::uint64_t name) : house_(house), task_(task), name_(name) {}
  TaskId task() const { return task_; }

  Result<TaskAddresses> addresses(const std::vector<State>& states, std::uint32_t from, std::size_t limit,
                                  const TaskStatus& status);
  Result<TaskGraph> graph(GraphPlace place, std::size_t limit, const TaskStatus& status);

 private:
  struct Entry {
    std::string url;
    std::uint32_t from = 0, depth = 0;
    State state = State::unknown;  // as it was when it was last asked for
  };
  static constexpr std::uint32_t kStart = ~0U;

  bool in_time() const { return house_.clock_.steady() < until_; }
  void begin(const TaskStatus& status);
  std::uint32_t add(std::string_view url, std::uint32_t from);
  Result<UrlFate> ask(std::uint32_t number);
  Result<void> follow(std::uint32_t number);
  Result<void> follow_further();
  bool has_more() const { return half_.has_value() || !to_follow_.empty(); }
  std::string why_incomplete(const TaskStatus& status) const;
  Result<void> go_on(std::size_t wanted, bool ended);

  const TaskExplorer& house_;
  const TaskId task_;
  const std::uint64_t name_;  // places of another walk mean nothing here
  std::mutex mutex_;
  std::deque<Entry> entries_;                                    // their strings stay where they are
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  // of URLs
  std::deque<std::uint32_t> to_follow_;                          // not yet looked at
  std::deque<std::uint32_t> waiting_;                            // looked at, and not yet fetched
  std::vector<std::uint32_t> told_;                              // numbers whose state is news, in this order
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  // The page whose links are being followed: there may be more of them than one question has time for.
  struct Half {
    std::uint32_t number = 0;
    std::string after;       // cursor of the memory
    std::size_t others = 0;  // edges so far that are not the first to their target
  };
  std::optional<Half> half_;
  std::uint64_t to_fetch_ = 0;    // addresses that the robot has fetched or wants to
  std::size_t to_ask_again_ = 0;  // of those that wait
  bool saw_end_ = false;          // of the task
  SteadyTime until_{};
};

void TaskExplorer::Walk::begin(const TaskStatus& status) {
  until_ = house_.clock_.steady() + kPatience;
  for (const std::string& url : status.spec.start) add(url, kStart);
}

std::uint32_t TaskExplorer::Walk::add(std::string_view url, std::uint32_t from) {
  url = without_fragment(url);
  if (const auto known = numbers_.find(url); known != numbers_.end()) return known->second;
  if (entries_.size() >= kMostAddresses) return kStart;
  const auto number = static_cast<std::uint32_t>(entries_.size());
  Entry entry;
  entry.url = url;
  entry.from = from;
  entry.depth = from == kStart ? 0 : entries_[from].depth + 1;
  entries_.push_back(std::move(entry));
  numbers_.emplace(entries_.back().url, number);
  to_follow_.push_back(number);
  return number;
}

Result<UrlFate> TaskExplorer::Walk::ask(std::uint32_t number) {
  Entry& entry = entries_[number];
  Result<UrlFate> fate = house_.robot_.why_not(task_, entry.url);
  if (!fate) return fate;
  if (fate->state != entry.state && is_shown(fate->state)) told_.push_back(number);
  to_fetch_ += is_shown(fate->state) ? 1 : 0;
  to_fetch_ -= is_shown(entry.state) ? 1 : 0;
  entry.state = fate->state;
  return fate;
}

// A redirect is a link of the page, too.
Result<void> TaskExplorer::Walk::follow(std::uint32_t number) {
  if (house_.memory_ == nullptr) return {};
  half_.emplace().number = number;
  do {
    if (Result<void> followed = follow_further(); !followed) return followed;
  } while (half_ && in_time());
  return {};
}

Result<void> TaskExplorer::Walk::follow_further() {
  LinkQuery query;
  query.limit = kLinksAtOnce;
  query.after = half_->after;
  const std::uint32_t number = half_->number;
  Result<LinkPage> page = house_.memory_->links_from(Viewer::nobody(), entries_[number].url, query);
  if (!page) {
    half_.reset();
    return page.error();
  }
  for (const KnownLink& known : page->links) {
    const std::size_t before = entries_.size();
    const std::uint32_t target = add(known.link.target, number);
    if (target == kStart || target == number || edges_.size() >= kMostEdges) continue;
    const bool is_first = entries_.size() > before;
    if (is_first || ++half_->others <= kMostEdgesOfPage) edges_.emplace_back(number, target);
  }
  half_->after = std::move(page->next);
  if (half_->after.empty()) half_.reset();
  return {};
}

// Until `wanted` addresses have been found or time is up. What waits is asked for again, each once a question as long
// as the task goes on: the robot loads pages in much the same order.
Result<void> TaskExplorer::Walk::go_on(std::size_t wanted, bool ended) {
  if (!ended || !saw_end_) to_ask_again_ = waiting_.size();
  saw_end_ = ended;
  while (in_time()) {
    if (half_) {
      if (Result<void> followed = follow_further(); !followed) return followed;
      continue;
    }
    const bool look_further = !to_follow_.empty() && entries_.size() < wanted;
    if (!look_further && to_ask_again_ == 0) break;
    std::deque<std::uint32_t>& line = look_further ? to_follow_ : waiting_;
    if (!look_further) --to_ask_again_;
    const std::uint32_t number = line.front();
    line.pop_front();
    const Result<UrlFate> fate = ask(number);
    if (!fate) return fate.error();
    if (fate->state == State::queued) waiting_.push_back(number);
    if (fate->state != State::fetched) continue;
    if (Result<void> followed = follow(number); !followed) return followed;
  }
  return {};
}

std::string TaskExplorer::Walk::why_incomplete(const TaskStatus& status) const {
  if (status.state < TaskState::finished) return "The task goes on.";
  if (entries_.size() >= kMostAddresses) return fmt::format("Only the first {} addresses are listed.", kMostAddresses);
  if (has_more() || to_ask_again_ != 0) return "Not all links have been followed yet.";
  if (to_fetch_ >= status.statistics.queued) return {};
  const std::string_view why = house_.memory_ == nullptr ? "The memory is off: only the start pages are known."
                               : status.spec.sitemaps
                                   ? "They stand in sitemaps, or on pages that may not be kept or are forgotten."
                                   : "They stand on pages that may not be kept or are forgotten.";
  return fmt::format("Missing: {} of {} addresses. {}", status.statistics.queued - to_fetch_, status.statistics.queued,
                     why);
}

Result<TaskAddresses> TaskExplorer::Walk::addresses(const std::vector<State>& states, std::uint32_t from,
                                                    std::size_t limit, const TaskStatus& status) {
  const std::lock_guard lock(mutex_);
  begin(status);
  const bool ended = status.state >= TaskState::finished;
  TaskAddresses page;
  std::uint32_t at = from;
  while (page.found.size() < limit && in_time()) {
    if (at >= entries_.size()) {
      const std::size_t before = entries_.size();
      if (Result<void> gone = go_on(before + limit, ended); !gone) return gone.error();
      if (at >= entries_.size()) break;
      continue;
    }
    Result<UrlFate> fate = ask(at);
    if (!fate) return fate.error();
    const bool wanted = states.empty() ? fate->state != State::unknown
                                       : std::find(states.begin(), states.end(), fate->state) != states.end();
    if (wanted) {
      TaskAddress one;
      one.number = at;
      one.url = entries_[at].url;
      if (entries_[at].from != kStart) one.from = entries_[entries_[at].from].url;
      one.depth = entries_[at].depth;
      if (house_.memory_ != nullptr && (fate->state == State::fetched || fate->state == State::failed)) {
        Result<std::optional<Node>> node = house_.memory_->node(Viewer::nobody(), one.url);
        if (node) one.node = std::move(*node);
      }
      one.fate = std::move(*fate);
      page.found.push_back(std::move(one));
    }
    ++at;
  }
  if (at < entries_.size() || has_more()) page.next = at;
  page.why_incomplete = why_incomplete(status);
  page.complete = page.why_incomplete.empty();
  return page;
}

Result<TaskGraph> TaskExplorer::Walk::graph(GraphPlace place, std::size_t limit, const TaskStatus& status) {
  const std::lock_guard lock(mutex_);
  begin(status);
  TaskGraph graph;
  graph.begins_anew = place.walk != name_;
  if (graph.begins_anew) place = {name_, 0, 0};
  if (place.nodes + limit > told_.size())
    if (Result<void> gone = go_on(entries_.size() + limit, status.state >= TaskState::finished); !gone)
      return gone.error();
  place.nodes = std::min<std::uint64_t>(place.nodes, told_.size());
  place.edges = std::min<std::uint64_t>(place.edges, edges_.size());
  for (; place.nodes < told_.size() && graph.nodes.size() < limit; ++place.nodes) {
    const std::uint32_t number = told_[place.nodes];
    graph.nodes.push_back({number, entries_[number].depth, entries_[number].state, entries_[number].url});
  }
  for (; place.edges < edges_.size() && graph.edges.size() < 4 * limit; ++place.edges)
    graph.edges.push_back(edges_[place.edges]);
  graph.more = place.nodes < told_.size() || place.edges < edges_.size() || has_more();
  graph.next = place;
  return graph;
}

TaskExplorer::TaskExplorer(const Robot& robot, const Memory* memory, const Clock& clock)
    : robot_(robot), memory_(memory), clock_(clock) {}
TaskExplorer::~TaskExplorer() = default;

std::shared_ptr<TaskExplorer::Walk> TaskExplorer::walk_of(TaskId task) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(walks_.begin(), walks_.end(), [task](const auto& w) { return w->task() == task; });
  if (known == walks_.end()) {
    walks_.push_front(std::make_shared<Walk>(*this, task, ++last_walk_));
    if (walks_.size() > kMostTasks) walks_.pop_back();
  } else {
    walks_.splice(walks_.begin(), walks_, known);
  }
  return walks_.front();
}

void TaskExplorer::forget() {
  const std::lock_guard lock(mutex_);
  walks_.clear();
}

Result<TaskAddresses> TaskExplorer::addresses(TaskId task, const std::vector<State>& states, std::uint32_t from,
                                              std::size_t limit) {
  const Result<TaskStatus> status = robot_.status(task);
  if (!status) return status.error();
  return walk_of(task)->addresses(states, from, limit, *status);
}

Result<TaskGraph> TaskExplorer::graph(TaskId task, GraphPlace after, std::size_t limit) {
  const Result<TaskStatus> status = robot_.status(task);
  if (!status) return status.error();
  return walk_of(task)->graph(after, limit, *status);
}

}  // namespace outrider::webui
