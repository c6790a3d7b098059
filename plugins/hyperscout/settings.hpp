// What can be configured about link previews: [plugins.hyperscout].
#pragma once

#include "base/config_schema.hpp"

#include <string_view>
#include <utility>

namespace outrider::hyperscout {

enum class OnlyWith : std::uint8_t { none, alt, ctrl, shift, meta };
constexpr auto enum_names(OnlyWith) {
  return std::to_array<std::pair<OnlyWith, std::string_view>>({{OnlyWith::none, "none"},
                                                               {OnlyWith::alt, "alt"},
                                                               {OnlyWith::ctrl, "ctrl"},
                                                               {OnlyWith::shift, "shift"},
                                                               {OnlyWith::meta, "meta"}});
}

struct Settings {
  OnlyWith only_with = OnlyWith::none;
  bool mark_dead_links = false;
  bool fetch = true;
  unsigned quiet_links = 5;
  unsigned fetches_per_minute = 30;
  Duration refresh_after = std::chrono::hours{24 * 7};

  static constexpr std::string_view kSection = "plugins.hyperscout";
  static constexpr std::string_view kComment = "Previews of links on any page; see docs/hyperscout.md.";
  static void describe(SectionSchema<Settings>& s);
};

}  // namespace outrider::hyperscout
