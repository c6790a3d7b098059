// The port to what the robot knows of hosts: their robots.txt, their pace, their troubles. Any thread may call; reads
// from a disk for a moment: not from a reactor. As JSON: robot_hosts_json.hpp.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct RobotHost {
  std::string host;                           // "https://www.example.com:8443": scheme, name, port
  std::string address;                        // of the machine; "" = not known
  std::string robots;                         // "unknown", "rules", "everything" (is allowed), "nothing" (is allowed)
  WallTime robots_fetched{}, robots_again{};  // when it was asked for, and when that is done again; epoch = never
  int robots_status = 0;                      // of the last answer; 0 = none
  std::vector<std::string> sitemaps;          // that robots.txt names
  std::optional<Duration> crawl_delay;        // that robots.txt asks for
  Duration gap{};                             // between two requests, as things stand
  std::string gap_reason;                     // "minimum gap", "Crawl-delay", "slow answers", "paused after 3 failures"
  Duration latency{};                         // moving average; zero = nothing known
  WallTime not_before{};                      // the next request; epoch = at once
  bool blocked = false;                       // it failed, or said 429 or 503: nothing is asked until not_before
  int failures = 0;                           // in a row
  std::string last_error;                     // of this run of the program
  WallTime last_error_at{};
  std::uint64_t under_way = 0, fetched = 0, failed = 0;  // of this run of the program
};

struct RobotHostQuery {
  std::string contains;  // in the name; "" = all
  bool only_blocked = false;
  std::size_t limit = 1000;
  std::string after;  // name of the last one of the page before
};

class RobotHosts {
 public:
  virtual ~RobotHosts() = default;
  virtual std::vector<RobotHost> hosts(const RobotHostQuery& query) const = 0;  // those in memory, by name
  virtual Result<RobotHost> host(std::string_view host) const = 0;              // also if it is only on disk; not_found
  virtual Result<void> clear_block(std::string_view host) = 0;         // its failures are forgotten: it may be asked
  virtual Result<void> fetch_robots_again(std::string_view host) = 0;  // before the next request
};

}  // namespace outrider
