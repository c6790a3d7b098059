// Do all I/O threads still turn? For the watchdog of the service manager: the thread that minds the signals is always
// well, and would go on saying so while nobody is served.
#pragma once

#include "base/reactor.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace outrider {

class Heartbeat {
 public:
  // The reactors must outlive this object.
  explicit Heartbeat(const std::vector<Reactor*>& reactors) {
    for (Reactor* reactor : reactors) pulses_.push_back({reactor, std::make_shared<std::atomic<bool>>(true)});
  }

  // True: every reactor has come round to what it was asked the last time; they are asked again. False: at least one
  // has not, and none is asked anything new until it has.
  bool beat() {
    for (const Pulse& pulse : pulses_)
      if (!*pulse.answered) return false;
    for (const Pulse& pulse : pulses_) {
      *pulse.answered = false;
      pulse.reactor->post([answered = pulse.answered] { *answered = true; });
    }
    return true;
  }

 private:
  struct Pulse {
    Reactor* reactor;
    std::shared_ptr<std::atomic<bool>> answered;  // shared with the question, which may outlive us
  };
  std::vector<Pulse> pulses_;
};

}  // namespace outrider
