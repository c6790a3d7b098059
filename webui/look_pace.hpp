// When something that does not tell of its changes is looked at: once in a while by one of all who wait for news, and
// less often if a look takes long. Any number of threads.
#pragma once

#include "base/clock.hpp"

#include <atomic>

namespace outrider::webui {

class LookPace {
 public:
  explicit LookPace(Duration every) : every_(every) {}

  // Whether it is the caller who has to look now. Says so to one caller in that time.
  bool claim(SteadyTime now) {
    const SteadyTime::rep at = now.time_since_epoch().count();
    SteadyTime::rep due = next_look_.load();
    return at >= due && next_look_.compare_exchange_strong(due, (now + every_).time_since_epoch().count());
  }
  // A look took this long, until now: lest looking becomes work, it gets two percent of one thread.
  void took(Duration duration, SteadyTime now) {
    constexpr int kRestFactor = 50;
    if (kRestFactor * duration > every_) next_look_ = (now + kRestFactor * duration).time_since_epoch().count();
  }

 private:
  const Duration every_;
  std::atomic<SteadyTime::rep> next_look_{0};
};

}  // namespace outrider::webui
