// robots.txt by RFC 9309, compiled for one robot: only the rules that speak to it are kept, sorted so that the first
// one that matches decides. A value without time and without HTTP; what a missing or failing robots.txt means is the
// business of robots_rules.hpp.
//
// Bytes of strangers: any input is some robots.txt. Matching a URL costs O(rules × length of the URL) at worst,
// whatever the wildcards; there is no backtracking.
#pragma once

#include "base/clock.hpp"
#include "base/url.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// What is behind this many bytes is not read (RFC 9309 section 2.5).
inline constexpr std::size_t kRobotsTxtBytes = 500 * 1024;

struct RobotsVerdict {
  static constexpr std::uint32_t kNoRule = 0xffffffff;
  bool allowed = true;
  std::uint32_t rule = kNoRule;  // of the RobotsTxt that was asked
};

class RobotsTxt {
 public:
  RobotsTxt() = default;  // allows everything

  // `product` is the robot's name, "Outrider" (a whole User-Agent is cut to it). Only the first kRobotsTxtBytes count;
  // a line that is cut by that limit is dropped, because half a path would forbid or allow too much.
  static RobotsTxt parse(std::string_view bytes, std::string_view product);

  RobotsVerdict check(const Url& url) const { return check_path(url.path_and_query()); }
  // "/path?query", in any percent-encoding. "" counts as "/". That /robots.txt itself may always be fetched (section
  // 2.2.2) is for the one who fetches it to know: here the rules alone speak.
  RobotsVerdict check_path(std::string_view path_and_query) const;

  // "Disallow: /private (line 12 of robots.txt)"; "" if no rule matched.
  std::string describe(const RobotsVerdict& verdict) const;

  // The longest one of the groups that speak to us.
  std::optional<Duration> crawl_delay() const { return crawl_delay_; }
  // Of the whole file, as they are written (section 2.2.4: they belong to no group); the first 1,000.
  const std::vector<std::string>& sitemaps() const { return sitemaps_; }
  bool names_us() const { return names_us_; }  // a group other than that of "*"
  std::size_t rule_count() const { return rules_.size(); }
  std::size_t memory_bytes() const;

  // A minimal robots.txt that means the same to this robot: what is kept over a restart.
  std::string to_text(std::string_view product) const;

 private:
  friend class RobotsTxtParser;
  struct Rule {
    std::uint32_t at = 0, size = 0;  // in patterns_
    std::uint32_t weight = 0;        // octets of the rule (section 2.2.2): the longest one decides
    std::uint32_t line = 0;
    bool allow = false;
    bool anchored = false;  // ended in '$'
    bool wild = false;      // holds kAnything
  };
  static constexpr char kAnything = '\0';  // '*' in a compiled pattern; a '*' there is a literal one

  std::string_view pattern(const Rule& rule) const { return {patterns_.data() + rule.at, rule.size}; }
  bool matches(const Rule& rule, std::string_view path) const;
  static bool matches_wild(std::string_view pattern, bool anchored, std::string_view path);
  std::string pattern_text(const Rule& rule) const;

  std::string patterns_;
  std::vector<Rule> rules_;  // by falling weight; allow before disallow
  std::vector<std::string> sitemaps_;
  std::optional<Duration> crawl_delay_;
  bool names_us_ = false;
};

// One spelling for equal paths (section 2.2.2): upper-case hexadecimal digits, unreserved characters as they are,
// everything that a URL may not hold as a triplet. '*', '$' and "'" are literal here, also where they were written as
// triplets.
void append_normal_robots_path(std::string& out, std::string_view path);

}  // namespace outrider
