// Icons and pictures of pages for the card, as far as they are kept: inside the answer (data: URLs), so that showing
// one asks nobody anything, and a card with pictures makes no more requests than one without.
#pragma once

#include "plugins/api/node.hpp"
#include "plugins/api/stored_copies.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace outrider::hyperscout {

// "data:image/png;base64,…" if it is a raster image by its first bytes; what the origin calls it does not count.
std::optional<std::string> picture_data(std::string_view bytes);

// Adds "icon" and "picture".
void put_pictures(boost::json::object& facts, StoredCopies& copies, const PageContent& page, std::string_view page_url);

}  // namespace outrider::hyperscout
