#include "robot/found_link.hpp"

#include "base/canonical_key.hpp"

namespace outrider {

UrlId url_id(const UrlNaming& naming, const Url& url) {
  static const CanonicalOptions usual;  // made once: they are lists of names
  std::string room;
  return naming.id_of(canonical_key(url, naming.same_page ? *naming.same_page : usual, room));
}

FoundLink make_found_link(const UrlNaming& naming, Url url, LinkKind kind) {
  FoundLink link;
  link.kind = kind;
  link.id = url_id(naming, url);
  link.url = std::move(url);
  return link;
}

std::vector<FoundLink> make_found_links(const UrlNaming& naming, const std::vector<Link>& links, bool with_text,
                                        std::span<Url> urls) {
  std::vector<FoundLink> found;
  found.reserve(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    if (link.kind == LinkKind::redirect) continue;  // the robot reads Location itself
    Result<Url> url = i < urls.size() ? Result<Url>{std::move(urls[i])} : Url::parse(link.target);
    FoundLink& made = found.emplace_back();
    if (url && url->is_http()) {
      made.id = url_id(naming, *url);
      made.url = std::move(*url);
    } else {
      made.id = naming.id_of(url ? url->href() : link.target);
    }
    made.kind = link.kind;
    made.flags = link.flags;
    made.position = link.position;
    if (with_text) made.text = link.text;
  }
  return found;
}

}  // namespace outrider
