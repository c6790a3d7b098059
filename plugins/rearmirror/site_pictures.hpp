// Pictures without a renderer: the one that a page names for itself, or the icon of its site, from the cache or, if it
// is not there, by the robot. One at a time; the plugin's thread calls everything.
#pragma once

#include "plugins/api/robot_errand.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace outrider {

class SitePictures {
 public:
  static constexpr std::size_t kMostWaiting = 100;

  explicit SitePictures(Robot& robot) : errand_(robot, 0) {}

  struct Done {
    std::string page;
    std::string bytes;  // "" = there is none
  };
  // `addresses`: of pictures, the best first.
  void want(const std::string& page, std::vector<std::string> addresses);
  bool is_waiting(const std::string& page) const;
  void forget_waiting() { waiting_.clear(); }
  std::optional<Done> advance();
  void stop();

 private:
  struct Wish {
    std::string page;
    std::vector<std::string> addresses;
  };
  void begin();

  RobotErrand errand_;
  std::deque<Wish> waiting_;
  std::optional<Wish> now_;
  std::vector<RobotErrand::Page> found_;
};

}  // namespace outrider
