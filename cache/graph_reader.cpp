#include "cache/graph_reader.hpp"

#include "cache/graph_keys.hpp"
#include "cache/graph_links.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace outrider::graph {
namespace {

constexpr std::uint64_t kCounted = 2000;  // links to a page are counted up to here, estimated beyond
constexpr std::size_t kTextsRead = 5000;

std::vector<std::string> spaces_of(const Viewer& viewer) {
  std::vector<std::string> spaces{open_space()};
  if (viewer.sees_personal) spaces.push_back(personal_space(viewer.user));
  return spaces;
}

Error no_address() {
  return Error{ErrorKind::invalid_argument, Side::client, "an address must be one of http or https"};
}

std::int64_t latest_attempt(const records::NodeRecord& record) {
  return std::max(record.last_fetched(), record.failed_at());
}

}  // namespace

Result<GraphReader::Found> GraphReader::newest(const std::vector<std::string>& spaces,
                                               std::string_view resource) const {
  Found best;
  std::int64_t tried = 0;
  records::NodeRecord failure;  // of the latest attempt
  for (const std::string& space : spaces) {
    const Result<std::optional<std::string>> value = core_.db->get(Family::nodes, std::string{space}.append(resource));
    if (!value) return value.error();
    records::NodeRecord record;
    if (!*value || !parse(**value, record)) continue;
    if (latest_attempt(record) > tried) {
      tried = latest_attempt(record);
      failure.set_error(record.error());
      failure.set_error_text(record.error_text());
    }
    if (best.space.empty() || record.last_fetched() >= best.record.last_fetched()) best = {space, std::move(record)};
  }
  // Who fails to get a page that is known to all knows that for himself alone.
  if (tried > latest_attempt(best.record)) best.record.MergeFrom(failure);
  return best;
}

Result<GraphReader::InDegree> GraphReader::in_degree(const std::vector<std::string>& spaces,
                                                     std::string_view resource) const {
  InDegree degree;
  std::uint64_t bytes = 0;
  std::string last;
  const auto count = [&](std::string_view source, std::string_view value) {
    records::InLinkRecord record;
    if (degree.count == 0 && parse(value, record)) degree.first_seen = from_ms(record.first_seen());
    ++degree.count;
    bytes += resource.size() + source.size() + value.size();
    if (degree.count == kCounted) last = source;
    return degree.count < kCounted;
  };
  if (Result<void> read = each_source(*core_.db, spaces, resource, {}, count); !read) return read.error();
  if (last.empty()) return degree;
  // Blocks on disk are compressed, and so the rest is compared with what was counted, not measured.
  std::uint64_t counted = 0, all = 0;
  for (const std::string& space : spaces) {
    const KeyRange range = KeyRange::of_prefix(in_link_key(space, resource, {}));
    counted += core_.db->approximate_bytes(Family::links_in, {range.first, in_link_key(space, resource, last)});
    all += core_.db->approximate_bytes(Family::links_in, range);
  }
  const std::uint64_t per_link = std::max<std::uint64_t>(1, (counted > 0 ? counted : bytes) / kCounted);
  degree.count = std::max(degree.count, all / per_link);
  return degree;
}

Result<Node> GraphReader::complete(const Found& found, const std::vector<std::string>& spaces,
                                   std::string_view resource, bool with_text, bool with_in_degree) const {
  Node node = read_node(found.record);
  node.url = url_of(resource);
  if (const auto page = page_of(found.space + std::string{resource}); page && !found.space.empty()) {
    node.owner = page->owner;
    node.storage = page->storage;
  }
  if (with_in_degree) {
    const Result<InDegree> degree = in_degree(spaces, resource);
    if (!degree) return degree.error();
    node.in_degree = static_cast<std::uint32_t>(std::min<std::uint64_t>(degree->count, 1u << 31));
    if (found.space.empty() && degree->count > 0) node.first_seen = degree->first_seen;
  }
  if (with_text && node.has_text) {
    Result<std::optional<std::string>> text = core_.db->get(Family::texts, found.space + std::string{resource});
    if (!text) return text.error();
    if (*text) node.page.text = std::move(**text);
  }
  return node;
}

Result<std::optional<Node>> GraphReader::node(const Viewer& viewer, std::string_view url, bool with_text,
                                              bool with_in_degree) const {
  const std::string resource = resource_of(url);
  if (resource.empty()) return no_address();
  const std::vector<std::string> spaces = spaces_of(viewer);
  const Result<Found> found = newest(spaces, resource);
  if (!found) return found.error();
  Result<Node> node = complete(*found, spaces, resource, with_text, with_in_degree);
  if (!node) return node.error();
  if (viewer.sees_personal) {
    const auto summary = visits_.summary(personal_space(viewer.user), resource);
    if (!summary) return summary.error();
    node->visit_count = summary->count;
    node->last_visit = summary->last_at;
  }
  if (found->space.empty() && node->in_degree == 0 && node->visit_count == 0) return std::optional<Node>{};
  return std::optional{std::move(*node)};
}

Result<std::optional<Node>> GraphReader::page(const PageRef& page, bool with_text) const {
  const std::string resource = resource_of(page.url);
  if (resource.empty()) return no_address();
  const std::string space = space_of(page);
  const Result<Found> found = newest({space}, resource);
  if (!found) return found.error();
  if (found->space.empty()) return std::optional<Node>{};
  Result<Node> node = complete(*found, seen_from(space), resource, with_text, true);
  if (!node) return node.error();
  // Of an open page: those of the one person where nobody logs in. Others' visits are nobody's business.
  const auto summary = visits_.summary(personal_space(page.storage == StorageClass::open ? "" : page.owner), resource);
  if (!summary) return summary.error();
  node->visit_count = summary->count;
  node->last_visit = summary->last_at;
  return std::optional{std::move(*node)};
}

Result<LinkPage> GraphReader::links_from(const Viewer& viewer, std::string_view url, const LinkQuery& query) const {
  const std::string resource = resource_of(url);
  if (resource.empty()) return no_address();
  const Result<Found> found = newest(spaces_of(viewer), resource);
  if (!found) return found.error();
  LinkPage page;
  if (found->space.empty()) return page;
  const Result<std::optional<std::string>> value = core_.db->get(Family::links_out, found->space + resource);
  if (!value) return value.error();
  records::LinkSetRecord set;
  if (!*value || !parse(**value, set)) return page;
  int at = 0;
  std::from_chars(query.after.data(), query.after.data() + query.after.size(), at);
  const std::string source = url_of(resource);
  const WallTime last_seen = from_ms(std::max(found->record.links_seen(), set.written()));
  for (at = std::max(at, 0); at < set.links_size() && page.links.size() < query.limit; ++at) {
    const WallTime first_seen = from_ms(set.written()) - std::chrono::seconds{set.links(at).age()};
    page.links.push_back({source, read_link(set.links(at)), first_seen, last_seen});
  }
  if (at < set.links_size()) page.next = std::to_string(at);
  return page;
}

Result<LinkPage> GraphReader::links_to(const Viewer& viewer, std::string_view url, const LinkQuery& query) const {
  const std::string resource = resource_of(url);
  if (resource.empty()) return no_address();
  const std::optional<std::string> after = from_hex(query.after);  // a source
  if (!after) return Error{ErrorKind::invalid_argument, Side::client, "that is not a cursor of ours"};
  const std::string target = url_of(resource);
  LinkPage page;
  if (query.limit == 0) return page;
  std::string last;
  const auto collect = [&](std::string_view source, std::string_view value) {
    if (page.links.size() == query.limit) {
      page.next = to_hex(last);
      return false;
    }
    last = source;
    records::InLinkRecord record;
    if (!parse(value, record)) return true;
    KnownLink& known = page.links.emplace_back();
    known.source = url_of(source);
    known.link = read_link(record.link());
    known.link.target.insert(0, target);  // the record has only the fragment
    known.first_seen = from_ms(record.first_seen());
    known.last_seen = from_ms(record.last_seen());
    return true;
  };
  if (Result<void> read = each_source(*core_.db, spaces_of(viewer), resource, *after, collect); !read)
    return read.error();
  return page;
}

Result<std::vector<std::string>> GraphReader::anchor_texts(const PageRef& page, std::size_t limit) const {
  const std::string resource = resource_of(page.url);
  if (resource.empty()) return no_address();
  const Viewer viewer{page.owner, page.storage == StorageClass::personal};
  std::map<std::string, std::size_t> counts;
  std::size_t read_so_far = 0;
  const auto collect = [&](std::string_view, std::string_view value) {
    records::InLinkRecord record;
    if (parse(value, record) && speaks_of_target(record.link())) {
      if (!record.link().text().empty()) ++counts[record.link().text()];
      for (const std::string& text : record.more_texts()) ++counts[text];
    }
    return ++read_so_far < kTextsRead;
  };
  if (Result<void> read = each_source(*core_.db, spaces_of(viewer), resource, {}, collect); !read) return read.error();
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const auto& [text, count] : counts) ranked.emplace_back(count, text);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (auto& [count, text] : ranked) {
    if (texts.size() == limit) break;
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<std::optional<std::string>> GraphReader::body(const Viewer& viewer, std::string_view url) const {
  const std::string resource = resource_of(url);
  if (resource.empty()) return no_address();
  const Result<Found> found = newest(spaces_of(viewer), resource);
  if (!found) return found.error();
  if (found->space.empty()) return std::optional<std::string>{};
  return core_.db->get(Family::bodies, found->space + resource);
}

}  // namespace outrider::graph
