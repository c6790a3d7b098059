// A person opened a page: a top-level navigation. Prefetches, frames, scripts' requests and the robot are no visits.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>

namespace outrider {

using VisitId = std::uint64_t;  // grows with time; 0 = none

struct Visit {
  VisitId id = 0;
  WallTime at{};
  std::string user;  // "" where nobody logs in
  std::string url;
  std::string title;      // as far as known
  std::string referrer;   // URL, "" = none
  VisitId came_from = 0;  // the visit of the page that led here: following these gives the trail
  std::string link_text;  // of the link that led here, if it is known
};

}  // namespace outrider
