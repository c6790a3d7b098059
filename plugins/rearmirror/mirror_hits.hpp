// The pages that link to one page, as far as the memory knows.
#pragma once

#include "plugins/api/memory.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct MirrorHit {
  std::string url;
  std::string title;
  std::string text;  // of the link
  LinkKind kind = LinkKind::anchor;
  WallTime first_seen{}, last_seen{};  // epoch = not by us
  std::uint32_t links = 0;             // of that page to this one
  bool same_site = false;
  bool aside = false;  // in a menu or a footer
};

// Other sites first, then what stands in the text, then what was seen last.
Result<std::vector<MirrorHit>> hits_from_memory(const Memory& memory, const Viewer& viewer, const std::string& url,
                                                std::size_t most);

// A page that everybody may see, so that it may be shown to a search engine or drawn by a renderer. Never one that is a
// person's own or is not kept.
bool is_open_page(const Memory& memory, const std::string& url);

}  // namespace outrider
