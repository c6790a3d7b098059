#include "cache/search_source.hpp"

#include "base/url.hpp"
#include "base/url_percent.hpp"
#include "base/utf8.hpp"

namespace outrider {
namespace {

constexpr std::size_t kAnchorTexts = 50, kLinkTargets = 500;
constexpr auto kPatience = std::chrono::minutes{10};  // with a robot that brings more than can be read, all day long
constexpr std::size_t kPiecesAtOnce = 5;  // of spreading new links: a person may be waiting for another page

bool is_link_of_a_reader(const Link& link) {
  return link.kind != LinkKind::embedded && link.kind != LinkKind::link_rel && link.kind != LinkKind::feed;
}

// The name of a file, for people; of a whole site its host.
std::string last_segment(std::string_view address) {
  const Result<Url> url = Url::parse(address);
  if (!url) return {};
  std::string_view path = url->pathname();
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty()) return std::string{url->hostname()};
  return replace_invalid_utf8(percent_decode(path.substr(path.rfind('/') + 1)));
}

}  // namespace

std::optional<SearchDocument> search_document_of(const Graph& graph, const IndexItem& item, const Node& node) {
  const PageContent& content = node.page;
  SearchDocument page;
  if (auto visits = graph.visits_of(item.page))
    for (VisitsOfPage& each : *visits) page.visits.push_back({std::move(each.user), each.count, each.last});
  if (auto anchors = graph.anchor_texts(item.page, kAnchorTexts)) page.anchor_texts = std::move(*anchors);
  const bool has_words = !content.text.empty() || !content.title.empty();
  if (!has_words && page.visits.empty() && page.anchor_texts.empty()) return std::nullopt;
  page.id = item.key;
  page.url = node.url;
  page.owner = item.page.owner;
  page.personal = item.page.storage == StorageClass::personal;
  if (!page.personal) page.owner.clear();
  page.title = has_words ? content.title : last_segment(node.url);
  for (const Heading& heading : content.headings) page.headings.push_back(heading.text);
  page.text = content.text;
  page.language = content.language.code.empty() ? content.declared_language : content.language.code;
  page.mime = node.mime;
  page.fetched = node.last_fetched;
  page.in_degree = node.in_degree;
  page.simhash = content.simhash;
  page.fingerprint = content.fingerprint;
  const Viewer viewer = page.personal ? Viewer{page.owner, true} : Viewer::nobody();
  if (const auto links = graph.links_from(viewer, node.url, {kLinkTargets, ""}))
    for (const KnownLink& known : links->links)
      if (is_link_of_a_reader(known.link)) page.link_targets.push_back(known.link.target);
  return page;
}

bool GraphIndexSource::gives_way() {
  if (!is_reading_ || !is_reading_()) {
    gives_way_since_.reset();
    return false;
  }
  if (!gives_way_since_) gives_way_since_ = clock_.steady();
  return clock_.steady() - *gives_way_since_ < kPatience;
}

Result<std::vector<IndexEntry>> GraphIndexSource::next(std::size_t limit) {
  const bool only_visited = gives_way();
  auto items = graph_.next_to_index(limit, only_visited);
  if (items && items->empty() && !only_visited) {
    for (std::size_t pieces = 0; pieces < kPiecesAtOnce; ++pieces) {
      const Result<bool> spread = graph_.queue_targets_of_new_links();
      if (!spread) return spread.error();
      if (!*spread) break;
    }
    items = graph_.next_to_index(limit);
  }
  if (!items) return items.error();
  std::vector<IndexEntry> entries;
  for (const IndexItem& item : *items) {
    const auto node = graph_.page(item.page, true);
    if (!node) return node.error();
    IndexEntry entry{item.ticket, std::nullopt, item.key};
    if (*node) {
      if (const auto noted = graph_.links_indexed(item, (*node)->in_degree); !noted) return noted.error();
      entry.page = search_document_of(graph_, item, **node);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<IndexRemoval>> GraphIndexSource::removals(std::size_t limit) {
  const auto items = graph_.next_to_unindex(limit);
  if (!items) return items.error();
  std::vector<IndexRemoval> removals;
  for (const IndexItem& item : *items) removals.push_back({item.ticket, item.key});
  return removals;
}

SearchTextOf texts_of(const Graph& graph) {
  return [&graph](const SearchTextRef& wanted) -> std::string {
    const StorageClass storage = wanted.personal ? StorageClass::personal : StorageClass::open;
    const auto node = graph.page({wanted.url, wanted.owner, storage}, true);
    if (!node || !*node) return {};
    return (*node)->page.text.empty() ? (*node)->page.description : (*node)->page.text;
  };
}

}  // namespace outrider
