// A memory of a few lines, for those who only read one: what a test puts into the lists is what it answers. As in the
// real one a page that is personal is there for its owner alone, and so are its links and everybody's visits.
#pragma once

#include "plugins/api/memory.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace outrider::test {

class ScriptedMemory : public Memory {
 public:
  std::vector<Node> nodes;
  std::vector<KnownLink> links;
  std::vector<Visit> visited;  // oldest first
  SearchAnswer answer;
  std::vector<MemoryEvent> written;
  mutable SearchRequest last_search;
  mutable std::string last_viewer;  // who asked for events
  mutable std::size_t asked = 0;    // for nodes

  void write(MemoryEvent event) {
    event.cursor = written.size() + 1;
    written.push_back(std::move(event));
    if (const auto wake = wake_.lock()) (*wake)();
  }

  Result<std::optional<Node>> node(const Viewer& viewer, std::string_view url, bool, bool) const override {
    ++asked;
    for (const Node& node : nodes) {
      if (node.url != url || !sees(viewer, node)) continue;
      Node seen = node;
      if (!viewer.sees_personal) seen.visit_count = 0;
      return std::optional<Node>{std::move(seen)};
    }
    return std::optional<Node>{};
  }
  Result<LinkPage> links_from(const Viewer& viewer, std::string_view url, const LinkQuery& query) const override {
    return page(query, [&](const KnownLink& link) { return link.source == url && sees(viewer, link.source); });
  }
  Result<LinkPage> links_to(const Viewer& viewer, std::string_view url, const LinkQuery& query) const override {
    return page(query, [&](const KnownLink& link) { return link.link.target == url && sees(viewer, link.source); });
  }
  Result<std::vector<Visit>> visits(const Viewer&, const VisitQuery& query) const override {
    std::vector<Visit> found;
    for (auto visit = visited.rbegin(); visit != visited.rend() && found.size() < query.limit; ++visit)
      if ((query.before == 0 || visit->id < query.before) && (query.url.empty() || visit->url == query.url) &&
          (!query.from || visit->at >= *query.from))
        found.push_back(*visit);
    return found;
  }
  Result<std::vector<Visit>> trail(const Viewer&, VisitId visit, std::size_t limit) const override {
    std::vector<Visit> found;
    for (auto step = visited.rbegin(); step != visited.rend() && found.size() < limit; ++step) {
      if (step->id != visit) continue;
      found.push_back(*step);
      visit = step->came_from;
    }
    return found;
  }
  Result<SearchAnswer> search(const Viewer&, const SearchRequest& request) const override {
    last_search = request;
    return answer;
  }
  Result<std::vector<MemoryEvent>> events(const Viewer& viewer, EventCursor after, std::size_t limit) const override {
    last_viewer = viewer.user;
    std::vector<MemoryEvent> found;
    for (const MemoryEvent& event : written)
      if (event.cursor > after && found.size() < limit && sees(viewer, event)) found.push_back(event);
    return found;
  }
  Result<std::vector<MemoryEvent>> everybodys_events(EventCursor after, std::size_t limit) const {
    std::vector<MemoryEvent> found;
    for (const MemoryEvent& event : written)
      if (event.cursor > after && found.size() < limit) found.push_back(event);
    return found;
  }
  EventCursor newest_event() const override { return written.size(); }
  MemoryStats stats() const override {
    MemoryStats stats;
    stats.nodes = nodes.size();
    stats.visits = visited.size();
    return stats;
  }
  std::uint64_t forgotten = 0;  // how often
  std::uint64_t forgettings() const override { return forgotten; }
  std::shared_ptr<void> on_events(std::function<void()> wake) override {
    auto kept = std::make_shared<std::function<void()>>(std::move(wake));
    wake_ = kept;
    return kept;
  }

 private:
  static bool sees(const Viewer& viewer, const MemoryEvent& event) {
    return event.user.empty() || (viewer.sees_personal && event.user == viewer.user);
  }
  static bool sees(const Viewer& viewer, const Node& node) {
    return node.storage == StorageClass::open || (viewer.sees_personal && node.owner == viewer.user);
  }
  // Of a page that is in no list nothing is known but its links.
  bool sees(const Viewer& viewer, std::string_view url) const {
    const auto is_it = [url](const Node& node) { return node.url == url; };
    return std::none_of(nodes.begin(), nodes.end(), is_it) ||
           std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) { return is_it(node) && sees(viewer, node); });
  }
  template <class Match>
  LinkPage page(const LinkQuery& query, Match&& match) const {
    LinkPage page;
    std::size_t at = query.after.empty() ? 0 : std::stoul(query.after);
    for (; at < links.size() && page.links.size() < query.limit; ++at)
      if (match(links[at])) page.links.push_back(links[at]);
    if (std::any_of(links.begin() + static_cast<std::ptrdiff_t>(at), links.end(), match))
      page.next = std::to_string(at);
    return page;
  }
  std::weak_ptr<std::function<void()>> wake_;
};

}  // namespace outrider::test
