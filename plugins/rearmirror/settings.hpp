// What can be configured about the rear mirror.
#pragma once

#include "base/config_schema.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

enum class SearchMode : std::uint8_t { off, ask, always };
constexpr auto enum_names(SearchMode) {
  return std::to_array<std::pair<SearchMode, std::string_view>>(
      {{SearchMode::off, "off"}, {SearchMode::ask, "ask"}, {SearchMode::always, "always"}});
}

struct RearMirrorSettings {
  std::int64_t hits = 40;
  SearchMode search = SearchMode::off;
  std::string search_url;
  std::vector<std::string> search_own_hosts;
  std::vector<std::string> search_unwrap{"url", "u", "uddg", "q"};
  std::vector<std::string> search_skip_texts{"cached", "similar", "translate"};
  std::int64_t search_hits = 10;
  bool thumbnails = true;
  std::string renderer;
  bool renderer_without_sandbox = false;
  Duration render_time = std::chrono::seconds{10};
  std::int64_t keep_thumbnails = 300;

  static constexpr std::string_view kSection = "plugins.rearmirror";
  static constexpr std::string_view kComment = "Which pages link to the one in front of you; see docs/rearmirror.md.";
  static void describe(SectionSchema<RearMirrorSettings>& s);
};

}  // namespace outrider
