#include "cache/graph_links.hpp"

#include "cache/graph_keys.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace outrider::graph {
namespace {

constexpr std::size_t kMostLinks = 20'000;
constexpr std::size_t kMostKeyBytes = 8 << 20;  // of one page's links: each is written under its target with both names
constexpr int kMoreTexts = 3;
constexpr std::size_t kMostAsked = 100;            // pages, for their words
constexpr std::int64_t kDay = 24 * 3600 * 1000ll;  // milliseconds

// How much a link says about its target: which one of several stands for them.
int worth(const records::LinkRecord& link) {
  const auto kind = static_cast<LinkKind>(link.kind());
  return (kind == LinkKind::anchor || kind == LinkKind::area ? 2 : 0) + (link.text().empty() ? 0 : 4);
}

void add_text(records::InLinkRecord& in, const std::string& text) {
  if (text.empty() || text == in.link().text() || in.more_texts_size() >= kMoreTexts) return;
  if (std::find(in.more_texts().begin(), in.more_texts().end(), text) == in.more_texts().end()) in.add_more_texts(text);
}

std::string_view fragment_of(std::string_view url) {
  const std::size_t hash = url.find('#');
  return hash == url.npos ? std::string_view{} : url.substr(hash);
}

void add_to(records::InLinkRecord& in, const records::LinkRecord& link, std::int64_t first_seen) {
  if (in.first_seen() == 0 || first_seen < in.first_seen()) in.set_first_seen(first_seen);
  if (in.has_link() && worth(in.link()) >= worth(link)) return add_text(in, link.text());
  const std::string former = in.link().text();
  records::LinkRecord& written = *in.mutable_link();
  written = link;
  const std::string_view fragment = fragment_of(link.target());  // the rest is the key
  written.set_target(fragment.data(), fragment.size());
  written.clear_age();
  add_text(in, former);
}

// A link and the page that it leads to.
struct Target {
  std::string resource;
  const records::LinkRecord* link;
};

// By the page that they lead to, in the order of their keys and, for one page, of the links; not to itself, and not
// where there is nothing to know ("mailto:").
std::vector<Target> by_target(const records::LinkSetRecord& set, std::string_view source) {
  std::vector<Target> targets;
  targets.reserve(static_cast<std::size_t>(set.links_size()));
  for (const records::LinkRecord& link : set.links()) {
    std::string target = resource_of(link.target());
    if (!target.empty() && target != source) targets.push_back({std::move(target), &link});
  }
  std::stable_sort(targets.begin(), targets.end(),
                   [](const Target& a, const Target& b) { return a.resource < b.resource; });
  return targets;
}

// One call for each page: visit(its links).
template <class Visit>
void each_page(const std::vector<Target>& targets, Visit&& visit) {
  for (auto at = targets.begin(); at != targets.end();) {
    const auto end = std::find_if(at, targets.end(), [&](const Target& each) { return each.resource != at->resource; });
    visit(std::span<const Target>{at, end});
    at = end;
  }
}

bool leads_to(const std::vector<Target>& targets, const std::string& resource) {
  const auto at = std::lower_bound(targets.begin(), targets.end(), resource,
                                   [](const Target& each, const std::string& name) { return each.resource < name; });
  return at != targets.end() && at->resource == resource;
}

// What makes a link the same one as before: with its words, or whatever they are.
struct LinkName {
  std::uint32_t kind = 0;
  std::string_view target, text;
  bool operator==(const LinkName&) const = default;
  struct Hash {
    std::size_t operator()(const LinkName& name) const {
      const std::hash<std::string_view> hash;
      return hash(name.target) ^ hash(name.text) * 31 ^ name.kind;
    }
  };
};

LinkName identity(const records::LinkRecord& link) {
  return {link.kind(), link.target(), {}};
}

LinkName with_words(const records::LinkRecord& link) {
  return {link.kind(), link.target(), link.text()};
}

bool is_news(const records::LinkRecord& link) {
  return link.age() == 0 || link.new_text();
}

bool same(const records::LinkRecord& a, const records::LinkRecord& b) {
  return a.target() == b.target() && a.kind() == b.kind() && a.flags() == b.flags() && a.text() == b.text() &&
         a.rel() == b.rel() && a.hreflang() == b.hreflang() && a.reach() == b.reach() && a.position() == b.position();
}

bool same(const records::LinkSetRecord& a, const records::LinkSetRecord& b) {
  return std::equal(a.links().begin(), a.links().end(), b.links().begin(), b.links().end(),
                    [](const auto& x, const auto& y) { return same(x, y); });
}

// One space's links to a page, read in pieces.
class SourceReader {
 public:
  SourceReader(const GraphDb& db, std::string_view space, std::string_view target, std::string_view after)
      : db_(db), rest_(KeyRange::of_prefix(in_link_key(space, target, {}))), prefix_(rest_.first.size()) {
    if (!after.empty()) rest_.first.append(after).push_back('\0');
  }

  // Afterwards source() is the next one, or over() is true.
  Result<void> next() {
    ++at_;
    if (at_ < piece_.size() || over_) return {};
    piece_.clear();
    at_ = 0;
    const auto take = [this](std::string_view key, std::string_view value) {
      piece_.emplace_back(key.substr(prefix_), value);
      return piece_.size() < kPiece;
    };
    if (Result<void> read = db_.each(Family::links_in, rest_, take); !read) return read;
    over_ = piece_.size() < kPiece;
    if (!over_) rest_.first.replace(prefix_, std::string::npos, piece_.back().first).push_back('\0');
    return {};
  }
  bool over() const { return at_ >= piece_.size(); }
  const std::string& source() const { return piece_[at_].first; }
  std::string& in_link() { return piece_[at_].second; }

 private:
  static constexpr std::size_t kPiece = 256;
  const GraphDb& db_;
  KeyRange rest_;
  const std::size_t prefix_;
  std::vector<std::pair<std::string, std::string>> piece_;
  std::size_t at_ = 0;
  bool over_ = false;
};

// One page says it in both spaces.
std::string seen_last(std::string a, std::string b) {
  records::InLinkRecord first, second;
  if (!parse(a, first)) return b;
  if (!parse(b, second)) return a;
  records::InLinkRecord& later = second.last_seen() > first.last_seen() ? second : first;
  later.set_first_seen(std::min(first.first_seen(), second.first_seen()));
  return later.SerializeAsString();
}

}  // namespace

bool speaks_of_target(const records::LinkRecord& link) {
  const auto kind = static_cast<LinkKind>(link.kind());
  return kind != LinkKind::embedded && kind != LinkKind::link_rel && kind != LinkKind::feed;
}

std::map<std::string, bool> news_in(const records::LinkSetRecord& links, std::string_view source, std::size_t limit) {
  std::map<std::string, bool> news;
  for (const records::LinkRecord& link : links.links()) {
    if (!is_news(link) || !speaks_of_target(link)) continue;
    std::string target = resource_of(link.target());
    if (target.empty() || target == source) continue;
    const auto [known, is_new] = news.try_emplace(std::move(target), link.new_text());
    if (!is_new) known->second &= link.new_text();
    if (news.size() == limit) break;
  }
  return news;
}

std::string in_link_key(std::string_view space, std::string_view target, std::string_view source) {
  std::string key;
  key.reserve(space.size() + target.size() + source.size());
  return key.append(space).append(target).append(source);
}

Result<void> each_source(const GraphDb& db, const std::vector<std::string>& spaces, std::string_view target,
                         std::string_view after, const VisitSource& visit) {
  if (spaces.size() == 1) {  // nothing to merge, nothing to copy
    KeyRange range = KeyRange::of_prefix(in_link_key(spaces.front(), target, {}));
    const std::size_t prefix = range.first.size();
    if (!after.empty()) range.first.append(after).push_back('\0');
    return db.each(Family::links_in, range,
                   [&](std::string_view key, std::string_view value) { return visit(key.substr(prefix), value); });
  }
  std::vector<SourceReader> readers;
  readers.reserve(spaces.size());
  for (const std::string& space : spaces) {
    readers.emplace_back(db, space, target, after);
    if (Result<void> read = readers.back().next(); !read) return read;
  }
  std::string source, link;
  while (true) {
    const SourceReader* first = nullptr;
    for (const SourceReader& each : readers)
      if (!each.over() && (first == nullptr || each.source() < first->source())) first = &each;
    if (first == nullptr) return {};
    source = first->source();
    link.clear();
    for (SourceReader& each : readers) {
      if (each.over() || each.source() != source) continue;
      link = link.empty() ? std::move(each.in_link()) : seen_last(std::move(link), std::move(each.in_link()));
      if (Result<void> read = each.next(); !read) return read;
    }
    if (!visit(source, link)) return {};
  }
}

bool has_words_of_links(const GraphDb& db, const std::vector<std::string>& spaces, std::string_view target) {
  bool found = false;
  std::size_t looked_at = 0;
  for (const std::string& space : spaces) {
    const auto look = [&](std::string_view, std::string_view value) {
      records::InLinkRecord in;
      found = parse(value, in) && speaks_of_target(in.link()) && !in.link().text().empty();
      return !found && ++looked_at < kMostAsked;
    };
    if (!db.each(Family::links_in, KeyRange::of_prefix(in_link_key(space, target, {})), look)) return false;
    if (found) return true;
  }
  return false;
}

LinkChanges replace_links(const GraphDb& db, rocksdb::WriteBatch& batch, std::string_view space,
                          std::string_view resource, std::string_view old_value, const std::vector<Link>& links,
                          WallTime now, bool untold) {
  records::LinkSetRecord old;
  if (!parse(old_value, old)) old.Clear();
  // Views: of `old`, and of `set`, whose records stay where they are while it grows.
  std::unordered_map<LinkName, std::int64_t, LinkName::Hash> first_seen;
  std::unordered_set<LinkName, LinkName::Hash> told;  // with their words
  first_seen.reserve(links.size());
  for (const records::LinkRecord& link : old.links()) {
    first_seen.try_emplace(identity(link), old.written() - link.age() * 1000);
    if (!untold || !is_news(link)) told.insert(with_words(link));
  }

  LinkChanges changes;
  records::LinkSetRecord set;
  set.set_written(to_ms(now));
  std::size_t key_bytes = 0;
  for (const Link& link : links) {
    key_bytes += space.size() + resource.size() + link.target.size();
    if (static_cast<std::size_t>(set.links_size()) == kMostLinks || key_bytes > kMostKeyBytes) break;
    records::LinkRecord& written = *set.add_links();
    write_link(link, written);
    const auto [known, is_new] = first_seen.try_emplace(identity(written), to_ms(now));
    if (is_new) changes.added.push_back(&link);
    written.set_age(std::max<std::int64_t>(0, (set.written() - known->second) / 1000));
    if (speaks_of_target(written) && !told.contains(with_words(written))) {
      changes.tells_news = true;
      if (written.age() > 0) written.set_new_text(true);
    }
  }

  const std::vector<Target> targets = by_target(set, resource);
  each_page(targets, [&](std::span<const Target>) { ++changes.out_degree; });
  if (!old_value.empty() && same(old, set) && set.written() - old.written() < kDay) return changes;

  std::string key(space);
  key.append(resource);
  if (set.links_size() > 0) {
    db.put(batch, Family::links_out, key, set.SerializeAsString());
  } else if (!old_value.empty()) {
    db.erase(batch, Family::links_out, key);
  }
  records::InLinkRecord in;
  std::string value;
  each_page(targets, [&](std::span<const Target> page) {  // in their order: RocksDB looks for their places side by side
    in.Clear();
    for (const Target& each : page) add_to(in, *each.link, set.written() - each.link->age() * 1000);
    in.set_last_seen(set.written());
    in.SerializeToString(&value);
    db.put(batch, Family::links_in, in_link_key(space, page.front().resource, resource), value);
  });
  each_page(by_target(old, resource), [&](std::span<const Target> page) {
    const std::string& gone = page.front().resource;
    if (!leads_to(targets, gone)) db.erase(batch, Family::links_in, in_link_key(space, gone, resource));
  });
  return changes;
}

std::vector<std::string> remove_links(const GraphDb& db, rocksdb::WriteBatch& batch, std::string_view space,
                                      std::string_view resource, std::string_view old_value) {
  records::LinkSetRecord old;
  if (old_value.empty() || !parse(old_value, old)) return {};
  std::vector<std::string> targets;
  each_page(by_target(old, resource), [&](std::span<const Target> page) {
    db.erase(batch, Family::links_in, in_link_key(space, page.front().resource, resource));
    targets.push_back(page.front().resource);
  });
  db.erase(batch, Family::links_out, std::string{space}.append(resource));
  return targets;
}

}  // namespace outrider::graph
