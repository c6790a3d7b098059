// What the robot's tasks do, as news: one look a second at all of them, however many listen; what has changed since the
// look before is told. Nobody listens: nobody looks. Any number of threads.
#pragma once

#include "plugins/api/robot.hpp"
#include "webui/look_pace.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace outrider::webui {

class TaskFeed {
 public:
  explicit TaskFeed(const Robot& robot);

  LookPace& pace() { return pace_; }
  void look();  // waits for the robot for a moment: not on a reactor

  std::uint64_t newest() const;
  // As JSON on one line each: {"id","name","start","state","why","statistics"}; of a task that is gone "state" is
  // "removed". `position` moves to the newest. Whoever was away for thousands of news should ask for the list again.
  std::vector<std::shared_ptr<const std::string>> since(std::uint64_t& position) const;

 private:
  struct Seen {
    TaskState state;
    TaskStatistics statistics;
    std::uint64_t look = 0;  // the last one that found it
  };
  void tell(std::string json);

  const Robot& robot_;
  LookPace pace_{std::chrono::seconds{1}};
  std::mutex looking_;
  std::unordered_map<TaskId, Seen> seen_;  // guarded by looking_
  std::uint64_t looks_ = 0;                // guarded by looking_
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const std::string>> news_;
  std::uint64_t newest_ = 0;  // number of the last of them
};

}  // namespace outrider::webui
