// The documents under /plugins/hyperscout/: card and marks (frames in pages of others), and the pages where previews
// are switched on and off and where a copy is read (never in a frame).
#pragma once

#include "plugins/api/plugin.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace outrider::hyperscout {

// A file of the card's; nothing: there is none of this name.
std::optional<PluginAnswer> asset_answer(std::string_view name);

// The page with the switches. `site` "" = not asked from a page.
PluginAnswer switch_page(std::string_view site, bool on_everywhere, bool on_there);

// What the memory keeps of a page's text.
PluginAnswer copy_page(const Node& node);

// A value of a form (application/x-www-form-urlencoded); "" = there is none.
std::string form_value(std::string_view form, std::string_view name);

std::string escaped(std::string_view text);  // for HTML

}  // namespace outrider::hyperscout
