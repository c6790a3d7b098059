// What can be configured about the robot: who it says it is, how gently it asks, what it never touches.
#pragma once

#include "base/canonical_key.hpp"
#include "base/config_schema.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct RobotSettings {
  // Identity
  std::string product = "Outrider";
  std::string contact;
  std::string from;

  // Politeness (robot/politeness.hpp)
  Duration min_gap = std::chrono::seconds{1};
  std::int64_t per_host = 1;
  Duration address_gap = std::chrono::milliseconds{250};
  std::int64_t per_address = 4;
  double latency_factor = 5.0;
  Duration longest_gap = std::chrono::seconds{30};
  Duration crawl_delay_cap = std::chrono::seconds{60};
  Duration backoff_first = std::chrono::seconds{30};
  Duration backoff_longest = std::chrono::hours{1};
  Duration retry_after_cap = std::chrono::hours{24};

  // robots.txt (robot/robots_rules.hpp)
  Duration robots_lifetime = std::chrono::hours{24};
  Duration robots_unreachable = std::chrono::hours{24 * 30};

  // Loads that nobody asked for (robot/prefetch_guard.hpp)
  std::vector<std::string> prefetch_words;
  std::vector<std::string> prefetch_harmless;
  std::int64_t prefetch_per_day = 500;
  ByteSize prefetch_bytes_per_day{50 << 20};
  bool read_ahead = false;  // robot/read_ahead.hpp
  std::int64_t read_ahead_links = 3;

  // Traps (robot/traps.hpp)
  std::int64_t max_path_depth = 20;
  std::int64_t max_repeated_segments = 3;
  ByteSize max_url{2048};
  std::int64_t urls_per_pattern = 5000;
  std::int64_t duplicates_per_pattern = 50;

  // Which URLs are one page (base/canonical_key.hpp)
  bool ignore_tracking = true;
  std::vector<std::string> tracking_parameters = CanonicalOptions::default_tracking_parameters();
  bool ignore_session_ids = true;
  std::vector<std::string> session_parameters = CanonicalOptions::default_session_parameters();
  bool ignore_directory_index = false;
  std::vector<std::string> directory_index_names = CanonicalOptions::default_directory_index_names();
  bool ignore_trailing_slash = false;
  bool ignore_query_order = false;
  CanonicalOptions same_page() const;

  // Revisits (robot/revisit.hpp)
  Duration revisit_soonest = std::chrono::hours{1};
  Duration revisit_latest = std::chrono::hours{24 * 30};

  static constexpr std::string_view kSection = "robot";
  static constexpr std::string_view kComment =
      "The robot: who it says it is, how gently it asks, what it leaves alone. docs/robot-politeness.md explains it to "
      "the owners of sites.";
  static void describe(SectionSchema<RobotSettings>& s);
};

// "Outrider/0.1 (+https://example.org/robot)": what the robot sends as User-Agent.
std::string robot_user_agent(const RobotSettings& settings, std::string_view version);

}  // namespace outrider
