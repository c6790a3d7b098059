// A robot of a few lines, for those who only ask one: what a test puts into it is what it answers.
#pragma once

#include "plugins/api/robot.hpp"

#include <map>
#include <string>

namespace outrider::test {

class AskedRobot : public Robot {
 public:
  std::map<TaskId, TaskStatus> tasks;
  std::map<std::string, UrlFate, std::less<>> fates;  // of all tasks
  mutable std::size_t questions = 0;                  // why_not()

  TaskStatus& add(TaskId id, std::string start, TaskState state = TaskState::running) {
    TaskStatus& task = tasks[id];
    task.id = id;
    task.state = state;
    task.spec.start = {std::move(start)};
    return task;
  }
  void set(std::string url, UrlFate::State state, Reason reason = Reason::none, std::string detail = "") {
    UrlFate& fate = fates[std::move(url)];
    fate.state = state;
    fate.reason = reason;
    fate.detail = std::move(detail);
  }

  Result<TaskId> submit(TaskSpec spec, TaskCompany = {}) override {
    const TaskId id = tasks.empty() ? 1 : tasks.rbegin()->first + 1;
    tasks[id].id = id;
    tasks[id].spec = std::move(spec);
    return id;
  }
  Result<void> accompany(TaskId, TaskCompany) override { return {}; }
  Result<void> change(TaskId task, TaskSpec spec) override {
    tasks[task].spec = std::move(spec);
    return {};
  }
  Result<void> pause(TaskId task) override { return put(task, TaskState::paused); }
  Result<void> resume(TaskId task) override { return put(task, TaskState::running); }
  Result<void> stop(TaskId task) override { return put(task, TaskState::stopped); }
  Result<void> remove(TaskId task) override {
    tasks.erase(task);
    return {};
  }
  std::vector<TaskStatus> list() const override {
    std::vector<TaskStatus> all;
    for (const auto& [id, task] : tasks) all.push_back(task);
    return all;
  }
  Result<TaskStatus> status(TaskId task) const override {
    const auto found = tasks.find(task);
    if (found == tasks.end()) return Error{ErrorKind::not_found, Side::client, "no such task"};
    return found->second;
  }
  Result<UrlFate> why_not(TaskId, std::string_view url) const override {
    ++questions;
    const auto found = fates.find(url);
    return found == fates.end() ? UrlFate{} : found->second;
  }
  std::shared_ptr<void> observe(TaskId, TaskObserver) override { return {}; }

 private:
  Result<void> put(TaskId task, TaskState state) {
    tasks[task].state = state;
    return {};
  }
};

}  // namespace outrider::test
