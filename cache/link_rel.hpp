// What the rel attribute of <a>, <area>, <link> (HTML standard, section 4.6.7) and the Link header (RFC 8288) say.
#pragma once

#include "base/url.hpp"
#include "plugins/api/link.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace outrider {

struct LinkRel {
  std::string tokens;       // in lower case, separated by one space
  std::uint16_t flags = 0;  // nofollow and its like
  bool is_icon = false;
  bool is_image = false;  // rel=image_src: the picture that stands for the page

  bool has(std::string_view token) const;
};

LinkRel parse_rel(std::string_view value);

// What a <link> or a Link header with these tokens is. `type` is its MIME type.
LinkKind kind_of_link(const LinkRel& rel, std::string_view type, bool has_hreflang);

LinkReach reach_of(const Url& target, const Url& page);

}  // namespace outrider
