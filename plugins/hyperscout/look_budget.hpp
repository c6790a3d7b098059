// How often the robot may be sent in a minute for the pages of one site. What is counted are questions, asked before
// anybody knows their answer: what is left over says nothing about what the memory knows, nor about what the reader
// does on other sites. Thread safe.
#pragma once

#include "base/clock.hpp"

#include <deque>
#include <mutex>
#include <string>

namespace outrider::hyperscout {

class LookBudget {
 public:
  // For all sites together, so many times what one of them has: no person reads so fast.
  static constexpr std::size_t kSitesAtOnce = 20;

  // False: none is left.
  bool spend(const std::string& site, SteadyTime now, std::size_t per_minute, std::size_t count = 1);
  bool has_left(const std::string& site, SteadyTime now, std::size_t per_minute);

 private:
  struct Spent {
    SteadyTime at;
    std::string site;
  };
  std::size_t left(const std::string& site, SteadyTime now, std::size_t per_minute);

  std::mutex mutex_;
  std::deque<Spent> spent_;  // in the last minute
};

}  // namespace outrider::hyperscout
