// Whether the next event will come so soon that falling asleep and being woken would take longer than waiting awake.
// That is so while one client and one origin nearby take turns with us, question and answer; then a loop stays awake
// for a moment. Where that turns out to be in vain again and again it takes more to be believed; now and then is
// forgiven to those who were quick before. A guess: nothing but time depends on it. Used by base/readiness_loop. Why:
// docs/decisions/0096-waiting-awake.md.
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace outrider {

class Alertness {
 public:
  static constexpr Duration kAwake = std::chrono::microseconds{100};  // at most so long
  static constexpr unsigned kEnough = 8;                              // such waits in a row
  static constexpr unsigned kMostNeeded = 4096;
  static constexpr unsigned kPardon = 16;  // times that it paid for each time that it did not
  static constexpr unsigned kMostSaved = 4 * kPardon;

  bool awake() const { return soon_ >= needed_; }

  // A wait has ended after so long, with something from `whom` and from nobody else.
  void heard(std::uint64_t whom, Duration after) {
    const bool known = std::find(lately_.begin(), lately_.end(), whom) != lately_.end();
    if (!known) {
      std::copy_backward(lately_.begin(), lately_.end() - 1, lately_.end());
      lately_.front() = whom;
    }
    const bool pardoned = std::exchange(pardoned_, false);
    if (!known || (after > kAwake && !pardoned)) {
      forget();
    } else if (soon_ < needed_) {
      ++soon_;
    } else if (!pardoned) {
      needed_ = std::max(kEnough, needed_ / 2);
      saved_ = std::min(kMostSaved, saved_ + 1);
    }
  }
  // Several came at once: there is more to do than to wait for one.
  void heard_several() { forget(); }
  // It stayed awake, and nothing came: now it sleeps.
  void in_vain() {
    pardoned_ = saved_ >= kPardon;
    if (pardoned_) {
      saved_ -= kPardon;
      return;
    }
    forget();
    needed_ = std::min(kMostNeeded, needed_ * 2);
  }

 private:
  void forget() {
    soon_ = 0;
    saved_ = 0;
    pardoned_ = false;
  }

  std::array<std::uint64_t, 3> lately_{UINT64_MAX, UINT64_MAX, UINT64_MAX};
  unsigned soon_ = 0;
  unsigned needed_ = kEnough;
  unsigned saved_ = 0;
  bool pardoned_ = false;
};

}  // namespace outrider
