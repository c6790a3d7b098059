#include "cache/graph_links.hpp"

#include "cache/graph_keys.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace outrider::graph {
namespace {

constexpr std::size_t kMostLinks = 20'000;
constexpr std::size_t kMostKeyBytes = 8 << 20;  // of one page's links: each is written under its target with both names
constexpr int kMoreTexts = 3;
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
  *in.mutable_link() = link;
  in.mutable_link()->set_target(std::string{fragment_of(link.target())});
  in.mutable_link()->clear_age();
  add_text(in, former);
}

// By the page that they lead to; not to itself, and not where there is nothing to know ("mailto:").
using InLinks = std::unordered_map<std::string, records::InLinkRecord>;

InLinks by_target(const records::LinkSetRecord& set, std::string_view source) {
  InLinks targets;
  for (const records::LinkRecord& link : set.links()) {
    std::string target = resource_of(link.target());
    if (target.empty() || target == source) continue;
    add_to(targets[std::move(target)], link, set.written() - link.age() * 1000);
  }
  return targets;
}

std::string identity(const records::LinkRecord& link) {
  return std::string(1, static_cast<char>(link.kind())).append(link.target());
}

std::string with_words(const records::LinkRecord& link) {
  return identity(link).append(1, '\0').append(link.text());
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

LinkChanges replace_links(const GraphDb& db, rocksdb::WriteBatch& batch, std::string_view space,
                          std::string_view resource, std::string_view old_value, const std::vector<Link>& links,
                          WallTime now, bool untold) {
  records::LinkSetRecord old;
  if (!parse(old_value, old)) old.Clear();
  std::unordered_map<std::string, std::int64_t> first_seen;
  std::unordered_set<std::string> told;  // with their words
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

  InLinks targets = by_target(set, resource);
  changes.out_degree = static_cast<std::uint32_t>(targets.size());
  if (!old_value.empty() && same(old, set) && set.written() - old.written() < kDay) return changes;

  std::string key(space);
  key.append(resource);
  if (set.links_size() > 0) {
    db.put(batch, Family::links_out, key, set.SerializeAsString());
  } else if (!old_value.empty()) {
    db.erase(batch, Family::links_out, key);
  }
  for (auto& [target, in] : targets) {
    in.set_last_seen(set.written());
    db.put(batch, Family::links_in, in_link_key(space, target, resource), in.SerializeAsString());
  }
  for (const auto& [target, in] : by_target(old, resource))
    if (!targets.contains(target)) db.erase(batch, Family::links_in, in_link_key(space, target, resource));
  return changes;
}

std::vector<std::string> remove_links(const GraphDb& db, rocksdb::WriteBatch& batch, std::string_view space,
                                      std::string_view resource, std::string_view old_value) {
  records::LinkSetRecord old;
  if (old_value.empty() || !parse(old_value, old)) return {};
  std::vector<std::string> targets;
  for (const auto& [target, in] : by_target(old, resource)) {
    db.erase(batch, Family::links_in, in_link_key(space, target, resource));
    targets.push_back(target);
  }
  db.erase(batch, Family::links_out, std::string{space}.append(resource));
  return targets;
}

}  // namespace outrider::graph
