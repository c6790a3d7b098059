// What was forgotten lately. An answer that was under way or waiting at that moment must not bring it back: whoever
// writes asks here. Only in working memory, where the answers wait, too: on disk it would tell what was forgotten.
// Not synchronised: GraphCore::forgetting, alone for add(), shared for covers().
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::graph {

struct Forgotten {
  static constexpr Duration kForAnswersUnderWay = std::chrono::hours{1};
  WallTime when{};
  SteadyTime asked{};               // a wall clock that is set back must not forbid to remember for years
  std::vector<std::string> spaces;  // none: all
  std::string prefix;               // of resources
  WallTime from = WallTime::min(), until = WallTime::max();

  bool covers(std::string_view space, std::string_view resource, WallTime at, SteadyTime now) const {
    if (now - asked > kForAnswersUnderWay || at >= when || at < from || at >= until || !resource.starts_with(prefix))
      return false;
    return spaces.empty() || std::find(spaces.begin(), spaces.end(), space) != spaces.end();
  }
};

class ForgottenLately {
 public:
  void add(Forgotten what) {
    if (all_.size() == kMost) all_.pop_front();
    all_.push_back(std::move(what));
  }
  bool covers(std::string_view space, std::string_view resource, WallTime at, SteadyTime now) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Forgotten& each) { return each.covers(space, resource, at, now); });
  }

 private:
  static constexpr std::size_t kMost = 256;
  std::deque<Forgotten> all_;
};

}  // namespace outrider::graph
