// What can be configured about plugins in general. Each plugin may have a section of its own besides: [plugins.NAME].
#pragma once

#include "base/config_schema.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

// Which plugins are called by a thread of their own.
enum class PluginIsolation : std::uint8_t { loaded, all };
constexpr auto enum_names(PluginIsolation) {
  return std::to_array<std::pair<PluginIsolation, std::string_view>>(
      {{PluginIsolation::loaded, "loaded"}, {PluginIsolation::all, "all"}});
}

struct PluginSettings {
  std::vector<std::string> load;
  std::vector<std::string> off;
  std::vector<std::string> off_sites;
  PluginIsolation isolate = PluginIsolation::loaded;
  Duration budget = std::chrono::milliseconds{50};
  Duration patience = std::chrono::seconds{2};

  static constexpr std::string_view kSection = "plugins";
  static constexpr std::string_view kComment = "What may change pages and requests on their way; see docs/plugins.md.";
  static void describe(SectionSchema<PluginSettings>& s);
};

}  // namespace outrider
