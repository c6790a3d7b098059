// What can be configured about the cache: where it is, how much it may use.
#pragma once

#include "base/config_schema.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct CacheSettings {
  bool enabled = true;
  bool one_person = false;
  bool offline = false;
  std::vector<std::string> sites;
  std::int64_t heuristic_percent = 10;
  Duration heuristic_cap = std::chrono::hours{24 * 7};
  Duration stale_if_error = std::chrono::hours{24};
  std::string folder;
  ByteSize memory{256 << 20};
  ByteSize disk{10ull << 30};
  ByteSize max_object{1ull << 30};
  ByteSize max_memory_object{4 << 20};
  std::int64_t read_threads = 4;

  static constexpr std::string_view kSection = "cache";
  static constexpr std::string_view kComment = "What Outrider keeps of the pages that pass through it.";
  static void describe(SectionSchema<CacheSettings>& s);
};

}  // namespace outrider
