#include "robot/found_link.hpp"

#include "base/canonical_key.hpp"

namespace outrider {

UrlId url_id(const UrlNaming& naming, const Url& url) {
  static const CanonicalOptions options;  // made once: they are lists of names
  std::string room;
  return naming.id_of(canonical_key(url, options, room));
}

FoundLink make_found_link(const UrlNaming& naming, const Url& url, LinkKind kind) {
  FoundLink link;
  link.kind = kind;
  link.id = url_id(naming, url);
  link.url = url;
  return link;
}

std::vector<FoundLink> make_found_links(const UrlNaming& naming, const std::vector<Link>& links, bool with_text) {
  std::vector<FoundLink> found;
  found.reserve(links.size());
  for (const Link& link : links) {
    if (link.kind == LinkKind::redirect) continue;  // the robot reads Location itself
    Result<Url> url = Url::parse(link.target);
    FoundLink made;
    if (url && url->is_http()) {
      made = make_found_link(naming, *url, link.kind);
    } else {
      made.id = naming.id_of(link.target);
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
