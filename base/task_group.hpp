// Background coroutines have an owner. A group knows its tasks, cancels them together and can be waited for; it is
// declared as the last member of its owner, so that nothing the tasks use is gone before they are cancelled.
#pragma once

#include "base/async.hpp"
#include "base/async_event.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace outrider {

class TaskGroup {
 public:
  explicit TaskGroup(const Executor& executor);
  ~TaskGroup();  // on the reactor's thread: cancels, does not wait
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // Starts the task on the group's reactor. `what` names it if an exception reaches its root, which is a bug and is
  // logged.
  void spawn(Task<> task, std::string_view what);
  void cancel();                       // asks every task to end
  Task<bool> join(Deadline deadline);  // true: none left
  std::size_t active() const;

  // Called with (what, message) when an exception reaches a task's root. Set once at start-up.
  using Report = void (*)(std::string_view what, std::string_view message);
  static void set_report(Report report);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace outrider
