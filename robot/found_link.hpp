// A link as the robot looks at it: parsed, with the name under which its target is known. Made on the thread that
// parsed the page, so that the robot's own thread has less to do.
#pragma once

#include "base/url.hpp"
#include "plugins/api/link.hpp"
#include "robot/queue_entry.hpp"

#include <vector>

namespace outrider {

struct FoundLink {
  Url url;  // empty: not something that can be fetched
  UrlId id;
  LinkKind kind = LinkKind::anchor;
  std::uint16_t flags = 0;  // LinkFlags
  std::uint32_t position = 0;
  bool sitemap = false;
  std::string text;  // of the anchor, where somebody wants to judge it
};

// Under which a URL is known to a task: spelling, tracking parameters and session ids do not count, and what else the
// settings say.
UrlId url_id(const UrlNaming& naming, const Url& url);

FoundLink make_found_link(const UrlNaming& naming, Url url, LinkKind kind);
// `urls`: of the first links, which have no `target`; they are taken.
std::vector<FoundLink> make_found_links(const UrlNaming& naming, const std::vector<Link>& links, bool with_text,
                                        std::span<Url> urls = {});

}  // namespace outrider
