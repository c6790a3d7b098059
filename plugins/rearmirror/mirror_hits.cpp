#include "plugins/rearmirror/mirror_hits.hpp"

#include "base/url.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace outrider {
namespace {

constexpr std::size_t kMostLinks = 1000;

// What a reader calls a link.
bool is_for_readers(LinkKind kind) {
  switch (kind) {
    case LinkKind::anchor:
    case LinkKind::area:
    case LinkKind::frame:
    case LinkKind::iframe:
    case LinkKind::meta_refresh:
    case LinkKind::redirect:
      return true;
    default:
      return false;
  }
}

std::string site_of(std::string_view url) {
  const Result<Url> parsed = Url::parse(url);
  if (!parsed) return {};
  const std::string_view domain = parsed->registrable_domain();
  return std::string{domain.empty() ? parsed->host() : domain};
}

}  // namespace

Result<std::vector<MirrorHit>> hits_from_memory(const Memory& memory, const Viewer& viewer, const std::string& url,
                                                std::size_t most) {
  LinkQuery query;
  query.limit = kMostLinks;
  Result<LinkPage> found = memory.links_to(viewer, url, query);
  if (!found) return found.error();
  // Others may link to the name that the page gives itself.
  const Result<std::optional<Node>> page = memory.node(viewer, url);
  if (page && *page && !(*page)->page.canonical.empty() && (*page)->page.canonical != url)
    if (Result<LinkPage> more = memory.links_to(viewer, (*page)->page.canonical, query))
      std::move(more->links.begin(), more->links.end(), std::back_inserter(found->links));

  const std::string site = site_of(url);
  std::map<std::string, MirrorHit> by_page;
  for (const KnownLink& known : found->links) {
    if (known.source == url || !is_for_readers(known.link.kind)) continue;
    MirrorHit& hit = by_page[known.source];
    const bool aside = known.link.has(LinkFlags::in_navigation);
    // The best of several: one with words, in the text.
    if (hit.links == 0 || (hit.text.empty() && !known.link.text.empty()) || (hit.aside && !aside)) {
      hit.text = known.link.text;
      hit.kind = known.link.kind;
      hit.aside = aside;
    }
    hit.first_seen = hit.links == 0 ? known.first_seen : std::min(hit.first_seen, known.first_seen);
    hit.last_seen = std::max(hit.last_seen, known.last_seen);
    hit.url = known.source;
    ++hit.links;
  }
  std::vector<MirrorHit> hits;
  for (auto& [source, hit] : by_page) {
    hit.same_site = site_of(source) == site;
    hits.push_back(std::move(hit));
  }
  std::sort(hits.begin(), hits.end(), [](const MirrorHit& a, const MirrorHit& b) {
    return std::tie(a.same_site, a.aside, b.last_seen, a.url) < std::tie(b.same_site, b.aside, a.last_seen, b.url);
  });
  if (hits.size() > most) hits.resize(most);
  for (MirrorHit& hit : hits)
    if (const Result<std::optional<Node>> node = memory.node(viewer, hit.url); node && *node)
      hit.title = (*node)->page.title;
  return hits;
}

bool is_open_page(const Memory& memory, const std::string& url) {
  const Result<std::optional<Node>> node = memory.node(Viewer::nobody(), url);
  if (!node || !*node) return false;
  const Node& known = **node;
  return known.storage == StorageClass::open && known.owner.empty() && known.fetched_by != FetchedBy::nobody &&
         known.status == 200 && (known.mime == "text/html" || known.mime == "application/xhtml+xml");
}

}  // namespace outrider
