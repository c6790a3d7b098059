// Time as a dependency: whoever needs to know the time is given a Clock, so that tests decide what time it is.
#pragma once

#include <chrono>

namespace outrider {

using WallTime = std::chrono::system_clock::time_point;
using SteadyTime = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime now() const = 0;       // for dates that leave the process
  virtual SteadyTime steady() const = 0;  // for durations; never jumps

  static const Clock& system();
};

// Stands still until told otherwise.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(WallTime start = WallTime{std::chrono::seconds{1'700'000'000}}) : wall_(start) {}
  WallTime now() const override { return wall_; }
  SteadyTime steady() const override { return steady_; }
  void advance(Duration by) {
    wall_ += std::chrono::duration_cast<WallTime::duration>(by);
    steady_ += by;
  }
  void set(WallTime to) { wall_ = to; }  // the user changed the clock: steady time does not follow

 private:
  WallTime wall_;
  SteadyTime steady_{};
};

// A point in time after which nobody waits any more. Passed down; the callee never invents a longer one.
class Deadline {
 public:
  Deadline() = default;  // never
  explicit Deadline(SteadyTime at) : at_(at) {}
  static Deadline after(Duration d, const Clock& clock = Clock::system()) { return Deadline{clock.steady() + d}; }
  static Deadline never() { return Deadline{}; }

  SteadyTime at() const { return at_; }
  bool is_never() const { return at_ == SteadyTime::max(); }
  bool passed(const Clock& clock = Clock::system()) const { return clock.steady() >= at_; }
  Deadline sooner_of(Deadline other) const { return Deadline{at_ < other.at_ ? at_ : other.at_}; }

 private:
  SteadyTime at_ = SteadyTime::max();
};

}  // namespace outrider
