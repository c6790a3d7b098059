// The blocks of a page as gumbo sees it. Neighbours: page_skeleton (what of it gumbo gets to see), nested_page (pages
// that need no gumbo).
#pragma once

#include "cache/page_blocks.hpp"

#include <string_view>
#include <vector>

namespace outrider {

// Never for a page that TreeBounds refused.
std::vector<TextBlock> read_tree(std::string_view utf8_html);

}  // namespace outrider
