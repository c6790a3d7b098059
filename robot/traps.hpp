// Places on the web that never end: folders inside themselves, calendars, session ids, one template with a million
// numbers, names below names, redirects in circles. One detector per task; it sees each URL before it is queued and
// each page after it was fetched, and its memory is bounded whatever a site does. Every refusal has a reason. One
// thread.
#pragma once

#include "base/clock.hpp"
#include "base/siphash.hpp"
#include "base/url.hpp"
#include "robot/settings.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace outrider {

// What a fetched page tells about its pattern.
struct PageLook {
  std::uint64_t simhash = 0;  // 0: too little text to tell
  std::uint64_t bytes = 0;
  Duration time{};
  bool too_big = false;   // cut off at the task's limit
  bool too_slow = false;  // gave up at the task's limit
};

class TrapDetector {
 public:
  explicit TrapDetector(const RobotSettings& settings);

  // Is this a trap? If not, "" is returned and the URL counts toward the budget of its pattern, so ask once for each
  // new URL. `from` is the page with the link, nullptr for a start.
  std::string check(const Url& url, const Url* from, WallTime now);
  void fetched(const Url& url, const PageLook& look);

  std::size_t memory_entries() const { return patterns_.size() + sessions_.size() + domains_.size() + names_; }

  static constexpr std::size_t kMostPatterns = 50'000;
  static constexpr std::size_t kMostSessions = 50'000;
  static constexpr std::size_t kMostDomains = 20'000;
  static constexpr std::uint32_t kHostsPerDomain = 1000;
  static constexpr std::size_t kMostNames = 50'000;  // of hosts, over all domains

 private:
  struct Cluster {  // pages that look alike
    std::uint64_t simhash = 0;
    std::uint32_t pages = 0;
  };
  struct Pattern {
    std::uint32_t urls = 0;
    std::uint32_t pages = 0;
    std::uint32_t alike = 0;    // pages that were in a cluster before they came
    std::uint32_t burdens = 0;  // too big or too slow
    std::array<Cluster, 4> clusters{};
  };
  struct Domain {
    std::unordered_set<std::uint64_t> hosts;  // hashes
  };

  std::string check_shape(const Url& url, const Url* from, WallTime now) const;
  std::string check_path(const Url& url, const Url* from) const;
  std::string check_names(const Url& url);
  std::string check_session(const Url& url);
  std::string check_pattern(const Url& url);
  std::uint64_t hash(std::string_view text) const { return siphash128(key_, text).low; }

  RobotSettings settings_;
  SipKey key_ = SipKey::random();
  std::unordered_map<std::uint64_t, Pattern> patterns_;
  std::unordered_set<std::uint64_t> sessions_;  // URLs without the session ids that they were met with
  std::unordered_map<std::string, Domain> domains_;
  std::size_t names_ = 0;  // in all of domains_
};

// The redirects of one request.
class RedirectChain {
 public:
  explicit RedirectChain(const Url& first);
  // Follow to `next`? "" = yes, else why not.
  std::string follow(const Url& next);
  static constexpr std::size_t kMost = 5;

 private:
  std::vector<std::string> seen_;
};

}  // namespace outrider
