#include "cache/graph_visits.hpp"

#include "cache/graph_keys.hpp"

#include <algorithm>

namespace outrider::graph {
namespace {

constexpr std::size_t kRecent = 100;        // visits that are asked when only the origin of the referrer is known
constexpr std::size_t kMostVisitors = 256;  // of one page, that the index is told of
constexpr std::size_t kMostHops = 4, kMostWays = 20;  // redirects that lead to a visited page
constexpr std::size_t kInLinksRead = 1000;
constexpr VisitId kPerMillisecond = 1024;
// Pages are read by several threads, so of two visits the later one may be recorded first; not by more than this.
constexpr VisitId kOvertakesAtMost = 10'000 * kPerMillisecond;

// Ids grow with time and stay below 2^53, so that every reader of JSON can hold them.
VisitId first_id_at(WallTime at) {
  return static_cast<VisitId>(std::max<std::int64_t>(0, to_ms(at))) * kPerMillisecond;
}

std::string_view without_fragment(std::string_view url) {
  return url.substr(0, url.find('#'));
}

bool same_page(std::string_view a, std::string_view b) {
  return without_fragment(a) == without_fragment(b);
}

}  // namespace

std::string visit_key(std::string_view user_space, VisitId id) {
  std::string key = std::string{user_space}.append("t");
  append_number(key, id);
  return key;
}

std::string visited_key(std::string_view user_space, std::string_view resource, VisitId id) {
  std::string key = std::string{user_space}.append("u").append(resource);
  append_number(key, id);
  return key;
}

Result<void> GraphVisits::open() {
  const Result<std::vector<std::string>> users = user_spaces();
  if (!users) return users.error();
  for (const std::string& user : *users) {
    const auto newest = [&](std::string_view key, std::string_view) {
      ids_.last = std::max<VisitId>(ids_.last, number_at_end(key));
      return false;
    };
    const KeyRange all = KeyRange::of_prefix(user + "t");
    if (Result<void> read = core_.db->each(Family::visits, all, newest, GraphDb::Order::falling); !read) return read;
  }
  ids_.of_earlier_runs = ids_.last;
  return {};
}

Result<std::vector<std::string>> GraphVisits::user_spaces() const {
  std::vector<std::string> spaces;
  KeyRange rest = KeyRange::of_prefix("p");
  while (true) {
    std::optional<std::string> found;
    const auto first = [&](std::string_view key, std::string_view) {
      if (const auto space = take_space(key)) found = *space;
      return false;
    };
    if (Result<void> read = core_.db->each(Family::visits, rest, first); !read) return read.error();
    if (!found) return spaces;
    rest.first = *behind(*found);
    spaces.push_back(std::move(*found));
  }
}

Result<std::optional<Visit>> GraphVisits::load(std::string_view user_space, VisitId id) const {
  const Result<std::optional<std::string>> value = core_.db->get(Family::visits, visit_key(user_space, id));
  if (!value) return value.error();
  records::VisitRecord record;
  if (!*value || !parse(**value, record)) return std::optional<Visit>{};
  Visit visit = read_visit(record);
  visit.id = id;
  return std::optional{std::move(visit)};
}

// --- where it came from

Result<VisitId> GraphVisits::latest_of(std::string_view user_space, std::string_view resource) const {
  VisitId id = 0;
  const auto newest = [&](std::string_view key, std::string_view) {
    id = number_at_end(key);
    return false;
  };
  const KeyRange visits = KeyRange::of_prefix(std::string{user_space}.append("u").append(resource));
  if (Result<void> read = core_.db->each(Family::visits, visits, newest, GraphDb::Order::falling); !read)
    return read.error();
  return id;
}

Result<std::vector<std::string>> GraphVisits::ways_to(const Visit& visit) const {
  std::vector<std::string> ways{visit.url};
  std::size_t hop_begin = 0;
  for (std::size_t hop = 0; hop < kMostHops && hop_begin < ways.size(); ++hop) {
    const std::size_t hop_end = ways.size();
    for (; hop_begin < hop_end; ++hop_begin) {
      const std::string resource = resource_of(ways[hop_begin]);
      for (const std::string& space : {personal_space(visit.user), open_space()}) {
        std::size_t seen = 0;
        const std::size_t prefix = space.size() + resource.size();
        const auto collect = [&](std::string_view key, std::string_view value) {
          records::InLinkRecord link;
          if (parse(value, link) && static_cast<LinkKind>(link.link().kind()) == LinkKind::redirect) {
            std::string from = url_of(key.substr(prefix));
            if (std::find(ways.begin(), ways.end(), from) == ways.end()) ways.push_back(std::move(from));
          }
          return ++seen < kInLinksRead && ways.size() < kMostWays;
        };
        const KeyRange range = KeyRange::of_prefix(space + resource);
        if (Result<void> read = core_.db->each(Family::links_in, range, collect); !read) return read.error();
      }
    }
  }
  return ways;
}

Result<std::optional<std::string>> GraphVisits::text_of_link(const Visit& visit, std::string_view from) const {
  const std::string resource = resource_of(from);
  const Result<std::vector<std::string>> ways = ways_to(visit);
  if (!ways) return ways.error();
  for (const std::string& space : {personal_space(visit.user), open_space()}) {
    const Result<std::optional<std::string>> value = core_.db->get(Family::links_out, space + resource);
    if (!value) return value.error();
    records::LinkSetRecord links;
    if (!*value || !parse(**value, links)) continue;
    std::optional<std::string> text;
    for (const records::LinkRecord& link : links.links()) {
      const auto leads_there = [&](const std::string& url) { return same_page(link.target(), url); };
      if (std::none_of(ways->begin(), ways->end(), leads_there)) continue;
      if (!link.text().empty()) return std::optional{link.text()};
      text = "";  // there is a link, but it has no words
    }
    if (text) return text;
  }
  return std::optional<std::string>{};
}

// Most pages tell other sites only their origin. Then it was, among the latest visits there, one that links here; or
// else the latest.
Result<VisitId> GraphVisits::from_origin(const Visit& visit, std::string_view user_space) const {
  const Result<Url> referrer = Url::parse(visit.referrer);
  if (!referrer) return VisitId{0};
  std::vector<Visit> there;
  std::size_t seen = 0;
  const auto collect = [&](std::string_view key, std::string_view value) {
    records::VisitRecord record;
    if (parse(value, record)) {
      const Result<Url> url = Url::parse(record.url());
      if (url && url->origin() == referrer->origin()) {
        there.push_back(read_visit(record));
        there.back().id = number_at_end(key);
      }
    }
    return ++seen < kRecent && there.size() < 5;
  };
  const KeyRange all = KeyRange::of_prefix(std::string{user_space}.append("t"));
  if (Result<void> read = core_.db->each(Family::visits, all, collect, GraphDb::Order::falling); !read)
    return read.error();
  for (const Visit& candidate : there) {
    const Result<std::optional<std::string>> text = text_of_link(visit, candidate.url);
    if (text && *text) return candidate.id;
  }
  return there.empty() ? VisitId{0} : there.front().id;
}

Result<std::string> GraphVisits::title_of(const Visit& visit) const {
  const std::string resource = resource_of(visit.url);
  for (const std::string& space : {personal_space(visit.user), open_space()}) {
    const Result<std::optional<std::string>> value = core_.db->get(Family::nodes, space + resource);
    if (!value) return value.error();
    records::NodeRecord node;
    if (*value && parse(**value, node) && !node.page().title().empty()) return node.page().title();
  }
  return std::string{};
}

Result<Visit> GraphVisits::complete(Visit visit) const {
  const std::string user = personal_space(visit.user);
  if (visit.title.empty()) {
    Result<std::string> title = title_of(visit);
    if (!title) return title.error();
    visit.title = std::move(*title);
  }
  const std::string referrer = resource_of(visit.referrer);
  if (referrer.empty()) return visit;
  if (visit.came_from == 0) {
    Result<VisitId> from = latest_of(user, referrer);
    if (from && *from == 0) from = from_origin(visit, user);
    if (!from) return from.error();
    visit.came_from = *from;
  }
  if (visit.link_text.empty()) {
    std::string from = visit.referrer;
    if (visit.came_from != 0) {
      const Result<std::optional<Visit>> before = load(user, visit.came_from);
      if (before && *before) from = (*before)->url;
    }
    Result<std::optional<std::string>> text = text_of_link(visit, from);
    if (!text) return text.error();
    visit.link_text = text->value_or("");
  }
  return visit;
}

// --- writing

// In the order of the visits, microseconds included. If the clock was set back: in the order in which they are
// recorded.
VisitId GraphVisits::Ids::next(WallTime at) {
  const auto past = std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count() % 1000;
  const VisitId within = past > 0 ? static_cast<VisitId>(past) : 0;  // fewer than kPerMillisecond
  const std::lock_guard lock(mutex);
  VisitId id = std::max(first_id_at(at) + within, of_earlier_runs + 1);
  if (id + kOvertakesAtMost < last) id = last + 1;
  while (!taken.insert(id).second) ++id;
  last = std::max(last, id);
  if (last > kOvertakesAtMost) taken.erase(taken.begin(), taken.lower_bound(last - kOvertakesAtMost));
  return id;
}

Result<VisitId> GraphVisits::record(const Visit& visit) {
  const std::string resource = resource_of(visit.url);
  if (resource.empty())
    return Error{ErrorKind::invalid_argument, Side::self, "only pages of http and https are visited"};
  const VisitId id = ids_.next(visit.at);
  const std::string user = personal_space(visit.user);
  records::VisitRecord record;
  write_visit(visit, record);
  records::EventGroupRecord events;
  events.set_at(record.at());
  events.set_personal(true);
  events.set_user(visit.user);
  events.set_url(visit.url);
  records::EventRecord& event = *events.add_events();
  event.set_kind(static_cast<std::uint32_t>(MemoryEventKind::visit));
  event.set_text(visit.title);
  rocksdb::WriteBatch batch;
  core_.db->put(batch, Family::visits, visit_key(user, id), record.SerializeAsString());
  core_.db->put(batch, Family::visits, visited_key(user, resource, id), {});
  if (Result<void> written = core_.events.commit(batch, events); !written) return written.error();
  return id;
}

// --- reading

Result<std::vector<Visit>> GraphVisits::find(const Viewer& viewer, const VisitQuery& query) const {
  std::vector<Visit> found;
  if (!viewer.sees_personal || query.limit == 0) return found;
  const std::string user = personal_space(viewer.user);
  const VisitId first = query.from ? first_id_at(*query.from) : 0;
  VisitId end = query.until ? first_id_at(*query.until) : ~VisitId{0};
  if (query.before != 0) end = std::min(end, query.before);
  std::vector<VisitId> ids;  // newest first
  if (query.site.empty() && query.url.empty()) {
    const KeyRange range{visit_key(user, first), visit_key(user, end)};
    const auto collect = [&](std::string_view key, std::string_view) {
      ids.push_back(number_at_end(key));
      return ids.size() < query.limit;
    };
    Result<void> read = core_.db->each(Family::visits, range, collect, GraphDb::Order::falling);
    if (!read) return read.error();
  } else {
    const std::string what = query.url.empty() ? site_of(query.site) : resource_of(query.url);
    if (what.empty()) return Error{ErrorKind::invalid_argument, Side::client, "that is neither a site nor an address"};
    const auto collect = [&](std::string_view key, std::string_view) {
      const VisitId id = number_at_end(key);
      if (id >= first && id < end) ids.push_back(id);
      return true;
    };
    Result<void> read = core_.db->each(Family::visits, KeyRange::of_prefix(user + "u" + what), collect);
    if (!read) return read.error();
    std::sort(ids.rbegin(), ids.rend());
    if (ids.size() > query.limit) ids.resize(query.limit);
  }
  for (const VisitId id : ids) {
    Result<std::optional<Visit>> visit = load(user, id);
    if (!visit) return visit.error();
    if (!*visit) continue;
    (*visit)->user = viewer.user;
    if ((*visit)->title.empty()) {  // it was not known yet
      Result<std::string> title = title_of(**visit);
      if (title) (*visit)->title = std::move(*title);
    }
    found.push_back(std::move(**visit));
  }
  return found;
}

Result<std::vector<Visit>> GraphVisits::trail(const Viewer& viewer, VisitId id, std::size_t limit) const {
  std::vector<Visit> trail;
  if (!viewer.sees_personal) return trail;
  const std::string user = personal_space(viewer.user);
  while (id != 0 && trail.size() < limit) {
    Result<std::optional<Visit>> visit = load(user, id);
    if (!visit) return visit.error();
    if (!*visit) break;
    (*visit)->user = viewer.user;
    // It always leads into the past: a damaged record cannot make a circle.
    const VisitId before = (*visit)->came_from < id ? (*visit)->came_from : 0;
    trail.push_back(std::move(**visit));
    id = before;
  }
  return trail;
}

Result<GraphVisits::Summary> GraphVisits::summary(std::string_view user_space, std::string_view resource) const {
  Summary summary;
  const auto count = [&](std::string_view key, std::string_view) {
    ++summary.count;
    summary.last = number_at_end(key);
    return true;
  };
  const KeyRange visits = KeyRange::of_prefix(std::string{user_space}.append("u").append(resource));
  if (Result<void> read = core_.db->each(Family::visits, visits, count); !read) return read.error();
  if (summary.last == 0) return summary;
  const Result<std::optional<Visit>> last = load(user_space, summary.last);
  if (last && *last) summary.last_at = (*last)->at;
  return summary;
}

Result<std::vector<VisitsOfPage>> GraphVisits::of_page(const PageRef& page) const {
  const std::string resource = resource_of(page.url);
  Result<std::vector<std::string>> spaces{std::vector{personal_space(page.owner)}};
  if (page.storage != StorageClass::personal) spaces = user_spaces();
  if (!spaces) return spaces.error();
  std::vector<VisitsOfPage> visits;
  for (const std::string& space : *spaces) {
    const Result<Summary> one = summary(space, resource);
    if (!one) return one.error();
    const std::optional<PageRef> whose = page_of(space + resource);
    if (one->count > 0 && whose) visits.push_back({whose->owner, one->count, one->last_at});
    if (visits.size() == kMostVisitors) break;
  }
  return visits;
}

}  // namespace outrider::graph
