// One task of the robot at a time, for a plugin that works off its results when its turn comes: what the robot tells is
// collected, and taken when there is time.
#pragma once

#include "plugins/api/robot.hpp"

#include <memory>
#include <string>
#include <vector>

namespace outrider {

class RobotErrand {
 public:
  struct Page {
    std::string url, title;
    std::vector<Link> links;
    std::string source;        // if the task asked for it
    std::size_t left_out = 0;  // links over the limit
  };
  struct Fetch {
    std::string url;
    RobotFetch told;  // its views are not valid: `url` here, and `error_text` …
    std::string error_text;
  };
  struct News {
    std::vector<Page> pages;
    std::vector<Fetch> fetches;
    bool ended = false;
  };

  // Of each page so many links are kept.
  RobotErrand(Robot& robot, std::size_t most_links) : robot_(robot), most_links_(most_links) {}

  Result<void> begin(TaskSpec spec, TaskJudges judges = {});  // leaves what was before
  News take();
  void leave();  // removes the task
  TaskId task() const { return task_; }

 private:
  class Inbox;
  Robot& robot_;
  const std::size_t most_links_;
  std::shared_ptr<Inbox> inbox_;  // shared with the robot, which may come late
  TaskId task_ = 0;
  bool looked_over_ = false;  // the robot says so, but nobody told us
};

}  // namespace outrider
