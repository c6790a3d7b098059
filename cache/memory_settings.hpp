// What can be configured about the memory: where it is, how much it may use, what it never keeps.
#pragma once

#include "base/config_schema.hpp"
#include "cache/graph_types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct MemorySettings {
  bool enabled = true;
  std::string folder;
  ByteSize disk{4ull << 30};
  bool remember = true;
  std::vector<std::string> never_keep;
  std::vector<std::string> keep_anyway;
  std::int64_t threads = 2;
  ByteSize unread{1ull << 30};
  Duration keep_text{};
  bool keep_bodies = false;
  Duration keep_body = std::chrono::hours{24 * 30};
  std::int64_t keep_events = 100'000;
  Duration keep_events_for = std::chrono::hours{24 * 30};

  static constexpr std::string_view kSection = "memory";
  static constexpr std::string_view kComment =
      "What Outrider remembers of pages: their words, their links, who visited them.";
  static void describe(SectionSchema<MemorySettings>& s);

  GraphOptions graph_options(const std::filesystem::path& data_directory) const;
};

}  // namespace outrider
