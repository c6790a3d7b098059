#include "webui/task_feed.hpp"

#include "plugins/api/robot_task_json.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace outrider::webui {
namespace {

namespace json = boost::json;

constexpr std::size_t kKept = 4096;

std::string news_of(const TaskStatus& task) {
  return json::serialize(json::object{{"id", task.id},
                                      {"name", task.spec.name},
                                      {"start", task.spec.start.empty() ? "" : task.spec.start.front()},
                                      {"state", to_string(task.state)},
                                      {"why", task.why},
                                      {"statistics", to_json(task.statistics)}});
}

}  // namespace

TaskFeed::TaskFeed(const Robot& robot) : robot_(robot) {
  look();
}

void TaskFeed::look() {
  const std::lock_guard lock(looking_);
  const bool is_first = ++looks_ == 1;
  for (const TaskStatus& task : robot_.list()) {
    const auto [known, is_new] = seen_.try_emplace(task.id, Seen{task.state, task.statistics, looks_});
    Seen& before = known->second;
    const bool changed = is_new || before.state != task.state || !(before.statistics == task.statistics);
    before = {task.state, task.statistics, looks_};
    if (changed && !is_first) tell(news_of(task));
  }
  std::erase_if(seen_, [this](const auto& entry) {
    if (entry.second.look == looks_) return false;
    tell(json::serialize(json::object{{"id", entry.first}, {"state", "removed"}}));
    return true;
  });
}

void TaskFeed::tell(std::string json) {
  const std::lock_guard lock(mutex_);
  news_.push_back(std::make_shared<const std::string>(std::move(json)));
  ++newest_;
  if (news_.size() > kKept) news_.pop_front();
}

std::uint64_t TaskFeed::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

std::vector<std::shared_ptr<const std::string>> TaskFeed::since(std::uint64_t& position) const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t missing = std::min<std::uint64_t>(newest_ - std::min(position, newest_), news_.size());
  position = newest_;
  return {news_.end() - static_cast<std::ptrdiff_t>(missing), news_.end()};
}

}  // namespace outrider::webui
