// A robot that does nothing by itself: it keeps what it was given, and a test says what happens.
#pragma once

#include "plugins/api/robot.hpp"

#include <atomic>
#include <map>
#include <utility>

namespace outrider::testing {

class IdleRobot final : public Robot {
 public:
  Result<TaskId> submit(TaskSpec spec, TaskCompany company = {}) override {
    const TaskId id = ++last_;
    tasks[id].id = id;
    tasks[id].spec = std::move(spec);
    tasks[id].state = TaskState::running;
    companies[id] = std::move(company);
    ++submitted;
    return id;
  }
  Result<void> accompany(TaskId task, TaskCompany company) override {
    if (!tasks.contains(task)) return missing();
    companies[task] = std::move(company);
    return {};
  }
  Result<void> change(TaskId task, TaskSpec spec) override {
    if (!tasks.contains(task)) return missing();
    tasks[task].spec = std::move(spec);
    return {};
  }
  Result<void> pause(TaskId task) override { return set(task, TaskState::paused); }
  Result<void> resume(TaskId task) override { return set(task, TaskState::running); }
  Result<void> stop(TaskId task) override { return set(task, TaskState::stopped); }
  Result<void> remove(TaskId task) override {
    if (tasks.erase(task) == 0) return missing();
    companies.erase(task);
    return {};
  }
  std::vector<TaskStatus> list() const override {
    std::vector<TaskStatus> all;
    for (const auto& [id, task] : tasks) all.push_back(task);
    return all;
  }
  Result<TaskStatus> status(TaskId task) const override {
    const auto found = tasks.find(task);
    if (found == tasks.end()) return missing();
    return found->second;
  }
  Result<UrlFate> why_not(TaskId, std::string_view) const override { return UrlFate{}; }
  std::shared_ptr<void> observe(TaskId, TaskObserver) override { return std::make_shared<int>(0); }

  // What the robot's thread would do.
  void page(TaskId task, const std::string& url) {
    Node node;
    node.url = url;
    companies[task].observer.on_page({task, node, {}, source});
  }
  void end(TaskId task, TaskState state) { companies[task].observer.on_state(task, state); }

  std::map<TaskId, TaskStatus> tasks;
  std::map<TaskId, TaskCompany> companies;
  std::string source;
  std::atomic<std::size_t> submitted{0};

 private:
  static Error missing() { return {ErrorKind::not_found, Side::client, "there is no such task"}; }
  Result<void> set(TaskId task, TaskState state) {
    if (!tasks.contains(task)) return missing();
    tasks[task].state = state;
    return {};
  }
  TaskId last_ = 0;
};

}  // namespace outrider::testing
