// The robot of `outrider serve`, with what rides beside it: made after the server, whose threads and stores it uses,
// and ended before them.
#pragma once

#include "base/config.hpp"
#include "base/worker_pool.hpp"
#include "proxy/server.hpp"
#include "robot/read_ahead.hpp"
#include "robot/robot.hpp"

#include <filesystem>
#include <memory>

namespace outrider::cli {

class RobotSide {
 public:
  // Without a robot if there is no memory that it could fill, or if it cannot be opened: that is logged, and keeps
  // nobody from reading.
  RobotSide(Server& server, const Config& config, const std::filesystem::path& data_directory);
  ~RobotSide();
  RobotSide(const RobotSide&) = delete;
  RobotSide& operator=(const RobotSide&) = delete;

  RobotEngine* engine() { return robot_.get(); }  // nullptr: there is none
  void start();
  void stop(Duration grace);
  void apply(const Config& fresh);
  bool lookups_pending() const { return lookups_.queued() > 0; }

 private:
  Server& server_;
  WorkerPool lookups_;  // of names, for the robot
  std::unique_ptr<RobotEngine> robot_;
  std::unique_ptr<ReadAhead> ahead_;
};

}  // namespace outrider::cli
