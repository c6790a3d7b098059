// The robot as one plugin sees it. Every task it submits is its own, and only those it sees and changes. What the robot
// has for it (pages, ends of tasks) is copied on the robot's thread and told on the plugin's own; while that is busy a
// bounded number waits, and the rest is dropped and counted. Judges are called by the robot's thread itself: their CPU
// time is watched, and one that fails rejects.
#pragma once

#include "base/metrics.hpp"
#include "plugins/api/robot.hpp"
#include "proxy/plugin_record.hpp"

#include <memory>

namespace outrider {

class PluginRobot final : public Robot {
 public:
  static constexpr std::size_t kMostPagesWaiting = 64;
  static constexpr std::size_t kMostFetchesWaiting = 512;
  static constexpr std::size_t kMostBytesWaiting = 64 << 20;  // of their sources

  // `robot` and `record` outlive it, and the robot's thread has ended before they go.
  PluginRobot(Robot& robot, PluginRecord& record, Metrics& metrics);
  ~PluginRobot() override;

  // Tasks of an earlier run of the program are heard of, too.
  void resume_observing();

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
  std::shared_ptr<void> observe(TaskId task, TaskObserver observer) override;  // told on the plugin's thread

 private:
  struct News;  // shared with the robot, which may have something to tell when we are gone
  Result<void> check_own(TaskId task) const;
  TaskCompany company_of(TaskCompany company) const;

  Robot& robot_;
  const std::string name_;
  const std::shared_ptr<News> news_;
};

}  // namespace outrider
