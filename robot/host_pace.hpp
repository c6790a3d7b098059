// The pace of one host: how long to wait between two requests, and how it reacts to slow answers, to "too many
// requests" and to silence. A pure value: time and settings are passed in. robot/politeness.hpp holds one for each
// host.
#pragma once

#include "base/clock.hpp"
#include "robot/settings.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// Both times of one instant: pacing goes by the steady one, what is kept over a restart by the wall.
struct Moment {
  SteadyTime steady{};
  WallTime wall{};
  static Moment of(const Clock& clock) { return {clock.steady(), clock.now()}; }
};

// How a request ended, as far as the host's well-being is concerned.
struct FetchOutcome {
  int status = 0;      // 0: no answer
  Duration latency{};  // until the head of the answer came
  std::optional<Duration> retry_after;
  bool cancelled = false;  // by us: says nothing about the host
  std::string address;     // where the request went, if it was not known when the lease was given
  bool not_sent = false;   // answered from the store, refused by a rule …: the host never heard of it
};

class HostPace {
 public:
  // The least time between two requests, from the end of one to the beginning of the next where they are not
  // concurrent.
  Duration gap(const RobotSettings& settings) const;
  // One at a time where the site asked for a pace, or is in trouble.
  int concurrency(const RobotSettings& settings) const;
  SteadyTime not_before() const { return not_before_; }

  // What began() changed: for a request that is not sent after all.
  struct Begin {
    SteadyTime before{}, after{};
  };
  Begin began(SteadyTime now, const RobotSettings& settings);
  // As if it had not begun, unless something else has moved the time since.
  void give_back(const Begin& begin);
  void ended(const FetchOutcome& outcome, SteadyTime now, const RobotSettings& settings);
  // A person's browser asked the host: the robot steps back for a gap, for longest_gap altogether at most (somebody's
  // open chat must not stop it for ever).
  void browser_asked(SteadyTime now, const RobotSettings& settings);
  // Failures are forgotten; the usual gap is not.
  void forgive(SteadyTime now, const RobotSettings& settings);
  void set_crawl_delay(std::optional<Duration> delay) { crawl_delay_ = delay.value_or(Duration::zero()); }

  int failures() const { return failures_; }
  Duration latency() const { return latency_; }
  double slowdown() const { return slowdown_; }
  // "paused after 3 failures", "Crawl-delay", "slow answers", "minimum gap": what holds the next request back.
  std::string_view reason(const RobotSettings& settings) const;

  std::string save(const Moment& now) const;  // one short line of text, versioned
  // Nothing if it is not one of ours. A clock that was set back does not make anybody wait longer than the caps allow.
  static std::optional<HostPace> load(std::string_view bytes, const Moment& now, const RobotSettings& settings);

 private:
  Duration from_latency(const RobotSettings& settings) const;
  void pause(const FetchOutcome& outcome, SteadyTime now, const RobotSettings& settings);

  SteadyTime not_before_ = SteadyTime::min();
  SteadyTime own_not_before_ = SteadyTime::min();  // without the browser's share
  Duration crawl_delay_{};
  Duration latency_{};     // moving average; zero: nothing known
  double slowdown_ = 1.0;  // after 429 and 503 the gap stays longer for a while
  int failures_ = 0;       // in a row
};

}  // namespace outrider
