#include "robot/read_ahead.hpp"

#include "base/log.hpp"
#include "base/url.hpp"

#include <algorithm>
#include <unordered_set>

namespace outrider {
namespace {

constexpr std::size_t kLinksRead = 300;  // of a page
constexpr std::size_t kEventsAtOnce = 64;
constexpr std::size_t kMostTasks = 8;    // under way: who reads faster than this is not helped
constexpr std::size_t kCandidates = 40;  // whose visits are looked up

double weight_of(const Url& page, const KnownLink& known, const Url& target) {
  const Link& link = known.link;
  double weight = 1;
  if (link.kind == LinkKind::pagination && link.rel.find("next") != std::string::npos) weight += 4;
  if (!link.has(LinkFlags::in_navigation)) weight += 2;
  if (target.host() == page.host()) weight += 1;
  if (link.has(LinkFlags::new_window)) weight -= 0.5;
  if (link.text.empty()) weight -= 1;
  return weight + 1.0 / (1.0 + link.position / 10.0);  // of equals the first
}

}  // namespace

std::vector<LikelyLink> likely_links(const std::string& page_url, const std::vector<KnownLink>& links,
                                     const std::function<std::uint32_t(const std::string& url)>& visits,
                                     std::size_t most) {
  std::vector<LikelyLink> found;
  const Result<Url> page = Url::parse(page_url);
  if (!page) return found;
  std::unordered_set<std::string> seen{std::string{page->href_without_fragment()}};
  for (const KnownLink& known : links) {
    const bool can_be_clicked = known.link.kind == LinkKind::anchor || known.link.kind == LinkKind::area ||
                                known.link.kind == LinkKind::pagination;
    if (!can_be_clicked || known.link.has(LinkFlags::nofollow) || known.link.has(LinkFlags::download)) continue;
    const Result<Url> target = Url::parse(known.link.target);
    if (!target || !target->is_http()) continue;
    std::string url{target->href_without_fragment()};
    if (!seen.insert(url).second) continue;
    found.push_back({std::move(url), known.link.text, weight_of(*page, known, *target)});
  }
  const auto better = [](const LikelyLink& a, const LikelyLink& b) { return a.weight > b.weight; };
  std::stable_sort(found.begin(), found.end(), better);
  if (found.size() > kCandidates) found.resize(kCandidates);
  for (LikelyLink& link : found) link.weight += std::min<double>(visits(link.url), 3);
  std::stable_sort(found.begin(), found.end(), better);
  if (found.size() > most) found.resize(most);
  return found;
}

ReadAhead::ReadAhead(Memory& memory, Robot& robot) : memory_(memory), robot_(robot) {}

ReadAhead::~ReadAhead() {
  stop();
}

void ReadAhead::start() {
  subscription_ = memory_.on_events([this] {
    const std::lock_guard lock(mutex_);
    if (!on_) return;
    news_ = true;
    changed_.notify_all();
  });
  {
    const std::lock_guard lock(mutex_);
    begin_ = memory_.newest_event();
  }
  thread_ = std::thread{[this] { work(); }};
}

void ReadAhead::stop() {
  subscription_.reset();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void ReadAhead::set(bool on, std::size_t links_per_page) {
  const std::lock_guard lock(mutex_);
  if (on && !on_) begin_ = memory_.newest_event();
  on_ = on;
  links_per_page_ = links_per_page;
}

void ReadAhead::work() {
  EventCursor cursor = 0;
  for (;;) {
    std::size_t most = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return news_ || stopping_; });
      if (stopping_) return;
      news_ = false;
      if (!on_) continue;
      most = links_per_page_;
      cursor = std::max(cursor, begin_);
    }
    for (;;) {
      const Result<std::vector<MemoryEvent>> events = memory_.events(Viewer{}, cursor, kEventsAtOnce);
      if (!events || events->empty()) break;
      for (const MemoryEvent& event : *events) {
        cursor = event.cursor;
        if (event.kind != MemoryEventKind::visit) continue;
        try {
          visited(event, most);
        } catch (const std::exception& failure) {
          log::error(Room::robot, "work_failed", {{"in", "reading ahead"}, {"reason", failure.what()}});
        }
      }
    }
  }
}

void ReadAhead::visited(const MemoryEvent& event, std::size_t most) {
  // What only this person may see has links that only he may follow.
  const Result<std::optional<Node>> node = memory_.node(Viewer::nobody(), event.url);
  if (!node || !*node || (*node)->storage != StorageClass::open || (*node)->page.robots.nofollow) return;
  std::size_t under_way = 0;
  for (const TaskStatus& task : robot_.list()) {
    if (task.spec.owner != kOwner) continue;
    if (task.state >= TaskState::finished) {
      (void)robot_.remove(task.id);
    } else {
      ++under_way;
    }
  }
  if (under_way >= kMostTasks) return;
  LinkQuery query;
  query.limit = kLinksRead;
  const Result<LinkPage> links = memory_.links_from(Viewer::nobody(), event.url, query);
  if (!links) return;
  const auto visits = [this, &event](const std::string& url) -> std::uint32_t {
    const Result<std::optional<Node>> target = memory_.node(Viewer{event.user}, url);
    return target && *target ? (*target)->visit_count : 0;
  };
  TaskSpec spec;
  spec.name = "ahead of " + event.url;
  spec.owner = kOwner;
  spec.depth = 0;
  spec.restriction = Restriction::all;
  spec.prefetch = true;
  spec.max_attempts = 1;
  spec.max_page_size = 2 << 20;
  spec.priority = 5;  // the reader is near: before what can wait
  for (LikelyLink& link : likely_links(event.url, links->links, visits, most)) {
    spec.start.push_back(std::move(link.url));
    spec.start_texts.push_back(std::move(link.text));
  }
  if (!spec.start.empty()) (void)robot_.submit(std::move(spec));
}

}  // namespace outrider
