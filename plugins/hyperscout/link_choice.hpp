// Which links are worth a look before anybody asks, and how to look: the beginning of the document, or only its head.
#pragma once

#include "base/url.hpp"
#include "plugins/api/link.hpp"

#include <string>
#include <vector>

namespace outrider::hyperscout {

enum class Look : std::uint8_t { beginning, head };

// By what the path promises: of a film or an archive the head says all that a card shows.
Look look_for(const Url& url);

// The links that a reader of `page` will most likely follow, the best first: in the text rather than in a menu, with
// words of their own, early on the page. Fragments removed, each once; never the page itself.
std::vector<Link> likely_links(const Url& page, std::vector<Link> links);

}  // namespace outrider::hyperscout
