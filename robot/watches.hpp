// The watched pages of a robot (plugins/api/page_watches.hpp). Each look is a small task of the robot, so that it is as
// polite as every other; what came of it is decided by page_watch.hpp and written down in the frontier before anybody
// is told. Lives on the robot's thread, like the engine that owns it; the port itself may be called by any thread.
#pragma once

#include "plugins/api/page_watches.hpp"
#include "plugins/api/robot.hpp"
#include "robot/page_watch.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace outrider {

class Frontier;

class RobotWatches final : public PageWatches {
 public:
  static constexpr std::size_t kMost = 10'000;
  static constexpr std::string_view kOwner = "watch";  // of the tasks

  struct House {
    Robot& robot;
    Frontier& frontier;
    const Clock& clock;
    std::function<const RobotSettings&()> settings;                   // on the robot's thread
    std::function<void(const std::function<void()>&)> on_the_thread;  // runs it there, and waits
  };
  explicit RobotWatches(House house);

  void load();              // what is written down; before the robot starts
  void tick(WallTime now);  // once a second: who is due is looked at

  Result<void> watch(std::string url, std::optional<std::chrono::seconds> every, std::string owner) override;
  Result<void> unwatch(std::string_view url) override;
  std::vector<WatchedPage> watched() const override;
  Result<void> look_now(std::string_view url) override;
  std::shared_ptr<void> on_news(std::function<void(const WatchNews&)> hear) override;

 private:
  using Listener = std::function<void(const WatchNews&)>;
  struct Look;
  struct Watched {
    PageWatch page;
    WatchedPage shown;
    TaskId task = 0;  // of the look that is under way
  };
  void begin_look(Watched& watched);
  void look_ended(const std::string& url, const Look& look, TaskId task);
  void keep(const Watched& watched);

  const House house_;
  std::map<std::string, Watched, std::less<>> pages_;
  std::vector<std::weak_ptr<Listener>> listeners_;
};

}  // namespace outrider
