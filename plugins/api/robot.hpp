// The port to the robot: one per Outrider. Any thread may call; nothing here waits for a network. What a call changes
// is on disk when it returns.
#pragma once

#include "base/error.hpp"
#include "plugins/api/link.hpp"
#include "plugins/api/node.hpp"
#include "plugins/api/robot_judges.hpp"
#include "plugins/api/robot_task.hpp"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace outrider {

// A new result of a task. Views end with the call.
struct RobotPage {
  TaskId task = 0;
  const Node& node;
  const std::vector<Link>& links;
  std::string_view source;  // the bytes as they came, if the task asked for them
};

// What became of one URL of a task, after the last attempt. Views end with the call.
struct RobotFetch {
  TaskId task = 0;
  std::string_view url;  // without fragment
  int status = 0;        // 0 = no answer
  NodeError error = NodeError::none;
  std::string_view error_text;
  std::string redirects_to;  // absolute URL; its target is another URL of the task
  Duration first_byte{};     // from the request to the answer; zero = it came from the store, or not at all
  bool refused = false;      // a rule of ours forbids to go there
  StorageClass storage = StorageClass::open;  // of the answer, by what it says itself: open or never
};

// Called on the robot's thread; must return at once.
struct TaskObserver {
  std::function<void(const RobotPage&)> on_page;
  std::function<void(TaskId, TaskState)> on_state;
  std::function<void(const RobotFetch&)> on_fetch = nullptr;
};

// What comes with a task and cannot be written down: it ends with the program. A task that was submitted with judges
// waits after a restart until accompany() gives it some.
struct TaskCompany {
  TaskJudges judges;
  TaskObserver observer;   // of this task, from its first moment on
  bool impatient = false;  // hosts whose robots.txt cannot be had are not waited for
};

class Robot {
 public:
  virtual ~Robot() = default;

  virtual Result<TaskId> submit(TaskSpec spec, TaskCompany company = {}) = 0;
  virtual Result<void> accompany(TaskId task, TaskCompany company) = 0;  // instead of what it had
  virtual Result<void> change(TaskId task, TaskSpec spec) = 0;           // order and start stay as they were
  virtual Result<void> pause(TaskId task) = 0;
  virtual Result<void> resume(TaskId task) = 0;
  virtual Result<void> stop(TaskId task) = 0;
  virtual Result<void> remove(TaskId task) = 0;  // stops it first, and forgets all about it

  virtual std::vector<TaskStatus> list() const = 0;  // without open URLs, hosts and time lines
  virtual Result<TaskStatus> status(TaskId task) const = 0;
  // Reads from a disk for a moment: not from a reactor.
  virtual Result<UrlFate> why_not(TaskId task, std::string_view url) const = 0;

  // Let go of the handle to hear no more. task 0 = all.
  virtual std::shared_ptr<void> observe(TaskId task, TaskObserver observer) = 0;
};

}  // namespace outrider
