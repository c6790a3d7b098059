// What the attempt to fetch a robots.txt means (RFC 9309 sections 2.3 and 2.4): whether its rules, everything or
// nothing is allowed, for how long, and when to ask again. A value per authority (scheme, host, port); time is passed
// in, fetching is somebody else's. Survives restarts by save() and load().
//
//   2xx                      its rules, for robots_lifetime (24 h at most) or what Cache-Control says, if that is less
//   304                      the rules we have, anew
//   3xx behind 5 redirects   as 4xx: there is none, so everything is allowed
//   4xx                      everything is allowed (429 too; politeness makes the host slower for it)
//   5xx, no answer           nothing is allowed; asked again soon, then less and less often. Only after
//   robots_unreachable
//                            (30 days) of nothing else the last rules that were read count again, or everything is
//                            allowed
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "robot/robots_txt.hpp"
#include "robot/settings.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// Redirects that are followed, also to other hosts (section 2.3.1.2). The rules are those of the first authority.
inline constexpr int kRobotsRedirects = 5;
// Of our own: how long "unreachable" is believed at first.
inline constexpr Duration kRobotsRetryFirst = std::chrono::minutes{5};
// So many attempts in a row that fail (75 minutes at least): who waits for the host need not wait any longer.
inline constexpr int kRobotsGiveUpAfter = 5;

// The end of one attempt, redirects followed.
struct RobotsFetch {
  int status = 0;                   // 0: no answer (name, connection, TLS, time-out, over-long head …)
  std::string_view body;            // decoded; may be cut behind kRobotsTxtBytes + 1
  std::optional<Duration> max_age;  // Cache-Control, if it says so
  bool for_good = false;            // no answer, and there will be none: the name does not exist, a rule forbids it …
  Duration retry_first = kRobotsRetryFirst;
  std::optional<Error> failure = std::nullopt;  // nobody answers at the authority itself; not: where it redirects to
};

enum class RobotsState : std::uint8_t { unknown, rules, everything, nothing };

class RobotsRules {
 public:
  RobotsRules() = default;  // unknown: fetch first

  // What we know after this attempt.
  RobotsRules after(const RobotsFetch& fetch, const RobotSettings& settings, WallTime now) const;

  RobotsState state() const { return state_; }
  bool must_fetch(WallTime now) const {
    return state_ == RobotsState::unknown || ask_again_ || now >= fetch_at_ || now < fetched_;
  }
  // The same for those who do not wait: they are told what is so now, and not what was so hours ago.
  bool must_fetch_for_impatient(WallTime now) const {
    return must_fetch(now) || (state_ == RobotsState::nothing && now >= fetched_ + kRobotsRetryFirst);
  }
  WallTime fetch_at() const { return fetch_at_; }
  WallTime fetched() const { return fetched_; }  // epoch: never
  int last_status() const { return last_status_; }
  void fetch_soon() { fetch_at_ = WallTime{}; }  // before it is used again

  // Nothing is known, but that may change soon: fetch_at() is worth waiting for.
  bool may_pass() const { return state_ == RobotsState::nothing && failures_ < kRobotsGiveUpAfter; }
  // Nothing is allowed because nobody answers there: then that, and not a rule, is why a page is not to be had.
  const std::optional<Error>& failure() const { return failure_; }

  struct Verdict {
    bool allowed = false;
    std::string reason;  // "robots: Disallow: /x (line 3 of robots.txt)"; empty if allowed
  };
  Verdict check(const Url& url) const;

  std::optional<Duration> crawl_delay() const;
  const std::vector<std::string>& sitemaps() const;
  std::size_t memory_bytes() const { return rules_ ? rules_->memory_bytes() : 0; }

  std::string save(const RobotSettings& settings) const;  // versioned JSON
  static std::optional<RobotsRules> load(std::string_view bytes, const RobotSettings& settings);

 private:
  RobotsState state_ = RobotsState::unknown;
  std::shared_ptr<const RobotsTxt> rules_;  // the last that were read; shared by the copies of this value
  WallTime fetched_{}, fetch_at_{};
  WallTime failing_since_{};  // epoch: not failing
  int failures_ = 0;          // in a row
  int last_status_ = 0;
  bool ask_again_ = false;        // although it is not time yet
  std::optional<Error> failure_;  // not written down: who does not know it asks again
};

}  // namespace outrider
