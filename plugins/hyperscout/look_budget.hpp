// How often the robot may be sent in a minute, for all pages together and for those of one site. What is counted are
// questions, asked before anybody knows their answer: what is left over says nothing about what the memory knows.
// Thread safe.
#pragma once

#include "base/clock.hpp"

#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace outrider::hyperscout {

class LookBudget {
 public:
  // `host` is that of the page; all hosts under one registered name share a half of `per_minute`. False: none is left.
  bool spend(std::string_view host, SteadyTime now, std::size_t per_minute, std::size_t count = 1);
  bool has_left(std::string_view host, SteadyTime now, std::size_t per_minute);

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
