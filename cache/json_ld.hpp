// What schema.org statements in <script type="application/ld+json"> say of a page. Only that is read which a node of
// the memory has a place for; the rest is skipped. Bounded in depth and number of objects (page_limits.hpp).
#pragma once

#include "cache/page_head.hpp"

#include <string_view>

namespace outrider {

void read_json_ld(std::string_view json, HeadFacts& facts);

}  // namespace outrider
