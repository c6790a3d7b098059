#include "robot/found_link.hpp"

#include "base/canonical_key.hpp"

namespace outrider {

UrlId url_id(const Frontier& frontier, const Url& url) {
  static const CanonicalOptions options;  // made once: they are lists of names
  return frontier.id_of(canonical_key(url, options));
}

FoundLink make_found_link(const Frontier& frontier, const Url& url, LinkKind kind) {
  FoundLink link;
  link.kind = kind;
  link.id = url_id(frontier, url);
  link.url = url;
  return link;
}

std::vector<FoundLink> make_found_links(const Frontier& frontier, const std::vector<Link>& links, bool with_text) {
  std::vector<FoundLink> found;
  found.reserve(links.size());
  for (const Link& link : links) {
    if (link.kind == LinkKind::redirect) continue;  // the robot reads Location itself
    Result<Url> url = Url::parse(link.target);
    FoundLink made;
    if (url && url->is_http()) {
      made = make_found_link(frontier, *url, link.kind);
    } else {
      made.id = frontier.id_of(link.target);
      made.kind = link.kind;
    }
    made.flags = link.flags;
    made.position = link.position;
    if (with_text) made.text = link.text;
    found.push_back(std::move(made));
  }
  return found;
}

}  // namespace outrider
