#include "cache/graph_forget.hpp"

#include "cache/graph_db_tuning.hpp"
#include "cache/graph_keys.hpp"
#include "cache/graph_links.hpp"
#include "cache/key.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace outrider::graph {
namespace {

constexpr std::size_t kBatch = 4 << 20;  // bytes; each page is whole in one of them

Error wrong(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::client, std::move(detail)};
}

std::vector<std::string> keys_in(const GraphDb& db, Family family, const KeyRange& range, Result<void>& outcome) {
  std::vector<std::string> keys;
  outcome = db.each(family, range, [&](std::string_view key, std::string_view) {
    keys.emplace_back(key);
    return true;
  });
  return keys;
}

// Few ranges: one after the other. Many: from the first to the last of their family.
std::vector<GraphDb::Touched> coalesced(const std::vector<GraphDb::Touched>& touched) {
  constexpr std::size_t kFew = 8;
  std::map<Family, std::vector<KeyRange>> ranges;
  for (const GraphDb::Touched& place : touched) ranges[place.family].push_back(place.range);
  std::vector<GraphDb::Touched> places;
  for (auto& [family, list] : ranges) {
    if (std::any_of(list.begin(), list.end(),
                    [](const KeyRange& range) { return range.first.empty() && !range.end; })) {
      places.push_back({family, KeyRange::all()});
      continue;
    }
    if (list.size() <= kFew) {
      for (KeyRange& range : list) places.push_back({family, std::move(range)});
      continue;
    }
    KeyRange whole = list.front();
    for (const KeyRange& range : list) {
      whole.first = std::min(whole.first, range.first);
      whole.end = whole.end && range.end ? std::optional{std::max(*whole.end, *range.end)} : std::nullopt;
    }
    places.push_back({family, std::move(whole)});
  }
  return places;
}

bool begins_with(std::string_view url, std::string_view prefix) {
  const std::string resource = resource_of(url);
  return !resource.empty() && resource.starts_with(prefix);
}

// Addresses that a page mentions beside its links. False: none of them.
bool clear_addresses(records::NodeRecord& node, std::string_view prefix) {
  const bool redirect = begins_with(node.redirects_to(), prefix),
             canonical = begins_with(node.page().canonical(), prefix), image = begins_with(node.page().image(), prefix),
             favicon = begins_with(node.page().favicon(), prefix);
  if (redirect) node.clear_redirects_to();
  if (canonical) node.mutable_page()->clear_canonical();
  if (image) node.mutable_page()->clear_image();
  if (favicon) node.mutable_page()->clear_favicon();
  return redirect || canonical || image || favicon;
}

}  // namespace

Result<ForgetReport> GraphForget::run(const ForgetScope& scope) {
  if (core_.db->read_only()) return Error{ErrorKind::unsupported, Side::self, "the memory is opened for reading only"};
  {
    const std::unique_lock nobody_writes(core_.forgetting);
    what_.when = core_.clock.now();
    what_.asked = core_.clock.steady();
    Result<void> done = select(scope);
    if (done) done = index_again();
    if (done) done = write();
    if (!done) return done.error();
    if (scope.user) what_.spaces = spaces_;
    core_.forgotten.add(what_);
  }
  if (Result<void> erased = erase_from_waiting(); !erased) return erased.error();
  if (Result<void> erased = erase_from_index(); !erased) return erased.error();
  // Nodes, links, events, queue and visits mention pages everywhere, and did so in records that were replaced long ago.
  for (const Family family :
       {Family::nodes, Family::links_in, Family::links_out, Family::events, Family::queue, Family::visits})
    touch(family, KeyRange::all());
  if (Result<void> scrubbed = core_.db->scrub(coalesced(touched_)); !scrubbed) return scrubbed.error();
  std::error_code ignored;
  std::filesystem::remove_all(damaged_folder(core_.options.folder), ignored);
  return report_;
}

// Answers that the robot brought and nobody has read yet: all of them are everybody's.
Result<void> GraphForget::erase_from_waiting() {
  if (!waiting_eraser_) return {};
  return waiting_eraser_([this](std::string_view url, WallTime at) {
    return what_.covers(open_space(), resource_of(url), at, core_.clock.steady());
  });
}

// The tickets see to it that the index forgets also if we do not come so far.
Result<void> GraphForget::erase_from_index() {
  if (!eraser_) return {};
  if (Result<void> erased = eraser_(gone_); !erased) return erased;
  const std::shared_lock not_forgetting(core_.forgetting);
  return core_.queue.done(removals_);
}

// The entries of these pages contain what is gone now: words of links that led to them, addresses of their own links,
// visits.
// First in the queue, because whoever forgets waits for it.
Result<void> GraphForget::index_again() {
  const std::set<std::string_view> gone(gone_.begin(), gone_.end());
  for (const std::string& key : stale_) {
    std::string_view resource = key;
    const std::string own{take_space(resource).value_or("")};
    // What open pages say of others is also in the entries that people have of those for themselves.
    std::set<std::string> spaces{own};
    if (own == open_space()) spaces.insert(spaces_.begin(), spaces_.end());
    for (const std::string& space : spaces) {
      const std::string affected = std::string{space}.append(resource);
      if (gone.contains(affected)) continue;
      const Result<std::optional<std::string>> node = core_.db->get(Family::nodes, affected);
      if (!node) return node.error();
      records::NodeRecord record;
      std::string ticket;
      if (*node && parse(**node, record) && was_answered(record))  // others are not in the index
        core_.queue.add(batch_, IndexQueue::Lane::visited, affected, ticket);
    }
    if (batch_.GetDataSize() > kBatch)
      if (Result<void> done = write(); !done) return done;
  }
  return {};
}

Result<void> GraphForget::select(const ForgetScope& scope) {
  if (Result<void> found = find_spaces(scope); !found) return found;
  if (!scope.site.empty()) {
    const std::string site = site_of(scope.site);
    if (site.empty()) return wrong("a site is the name of a host, without a port");
    what_.prefix = site;
    return forget_resources(site);
  }
  if (!scope.url.empty()) {
    const std::string resource = resource_of(scope.url);
    if (resource.empty()) return wrong("an address must be one of http or https");
    what_.prefix = resource;
    return forget_resources(resource);
  }
  if (!scope.prefix.empty()) {
    const Result<Url> url = Url::parse(scope.prefix);
    if (!url || !url->is_http()) return wrong("an address must be one of http or https");
    what_.prefix = CacheKey::path_prefix(*url, url->path_and_query());
    return forget_resources(what_.prefix);
  }
  if (scope.from || scope.until) {
    what_.from = scope.from.value_or(WallTime::min());
    what_.until = scope.until.value_or(WallTime::max());
    return forget_span(what_.from, what_.until);
  }
  if (!scope.everything && !scope.user) return wrong("nothing was named that shall be forgotten");
  for (const std::string& space : spaces_)
    if (Result<void> done = forget_space(space); !done) return done;
  if (!scope.user) return forget_events([](const auto&, int) { return true; });
  return forget_events([&](const records::EventGroupRecord& group, int) {
    return group.personal() ? group.user() == *scope.user : scope.everything;
  });
}

Result<void> GraphForget::find_spaces(const ForgetScope& scope) {
  std::set<std::string> spaces;
  const bool user_alone = scope.user && scope.site.empty() && scope.url.empty() && scope.prefix.empty() &&
                          !scope.from && !scope.until && !scope.everything;
  if (!user_alone) spaces.insert(open_space());
  if (scope.user) {
    spaces.insert(personal_space(*scope.user));
  } else {
    for (const Family family : {Family::nodes, Family::visits, Family::links_in}) {
      KeyRange rest = KeyRange::of_prefix("p");
      for (bool more = true; more;) {
        more = false;
        const auto first = [&](std::string_view key, std::string_view) {
          if (const auto space = take_space(key)) {
            spaces.emplace(*space);
            rest.first = *behind(*space);
            more = true;
          }
          return false;
        };
        if (Result<void> read = core_.db->each(family, KeyRange{rest}, first); !read) return read;
      }
    }
  }
  spaces_.assign(spaces.begin(), spaces.end());
  return {};
}

Result<void> GraphForget::write() {
  Result<void> written = core_.db->write(batch_);
  batch_.Clear();
  return written;
}

Result<void> GraphForget::forget_page(std::string_view page_key) {
  Result<GraphWriter::Removed> removed = writer_.remove(batch_, page_key);
  if (!removed) return removed.error();
  ++report_.pages;
  report_.links += removed->targets.size();
  gone_.emplace_back(page_key);
  removals_.push_back(std::move(removed->ticket));
  std::string_view resource = page_key;
  const std::string own{take_space(resource).value_or("")};
  for (const std::string& target : removed->targets) stale_.insert(own + target);
  for (const Family family : {Family::nodes, Family::texts, Family::bodies}) touch(family, KeyRange::of_key(page_key));
  if (batch_.GetDataSize() > kBatch) return write();
  return {};
}

// --- a site, a page

Result<void> GraphForget::forget_resources(std::string_view prefix) {
  const auto queued = [&](std::string_view key) {
    const auto space = take_space(key);
    return space && key.starts_with(prefix) && std::find(spaces_.begin(), spaces_.end(), *space) != spaces_.end();
  };
  if (Result<void> done = forget_queued(queued); !done) return done;
  for (const std::string& space : spaces_) {
    const KeyRange range = KeyRange::of_prefix(std::string{space}.append(prefix));
    Result<void> read;
    for (const std::string& key : keys_in(*core_.db, Family::nodes, range, read))
      if (Result<void> done = forget_page(key); !done) return done;
    if (!read) return read;
    if (Result<void> done = forget_addresses(space, prefix); !done) return done;
    if (Result<void> done = forget_links_to(space, prefix); !done) return done;
    for (const Family family : {Family::nodes, Family::texts, Family::bodies, Family::links_out, Family::links_in}) {
      core_.db->erase(batch_, family, range);
      touch(family, range);
    }
  }
  const auto there = [&](const records::VisitRecord& visit) { return begins_with(visit.url(), prefix); };
  const auto unmention = [&](records::VisitRecord& visit) {
    if (!begins_with(visit.referrer(), prefix)) return false;
    visit.clear_referrer();
    visit.clear_link_text();
    visit.clear_came_from();
    return true;
  };
  if (Result<void> done = forget_visits(there, unmention); !done) return done;
  return forget_events([&](const records::EventGroupRecord& group, int event) {
    const std::string space = group.personal() ? personal_space(group.user()) : open_space();
    if (std::find(spaces_.begin(), spaces_.end(), space) == spaces_.end()) return false;
    return begins_with(group.url(), prefix) || begins_with(group.events(event).target(), prefix);
  });
}

// Other pages have their picture there: not everything that a head names is a link. A look at every page that is known,
// therefore at their bytes; the few that contain the host are read.
Result<void> GraphForget::forget_addresses(std::string_view space, std::string_view prefix) {
  const std::string host = host_of(prefix);
  const auto look = [&](std::string_view key, std::string_view value) {
    if (value.find(host) == value.npos || key.substr(space.size()).starts_with(prefix)) return true;
    records::NodeRecord node;
    if (!parse(value, node) || !clear_addresses(node, prefix)) return true;
    core_.db->put(batch_, Family::nodes, key, node.SerializeAsString());
    touch(Family::nodes, KeyRange::of_key(key));
    return true;
  };
  if (Result<void> read = core_.db->each(Family::nodes, KeyRange::of_prefix(space), look); !read) return read;
  return batch_.GetDataSize() > kBatch ? write() : Result<void>{};
}

// Other pages mention it in their links.
Result<void> GraphForget::forget_links_to(std::string_view space, std::string_view prefix) {
  std::set<std::string> sources;
  const auto collect = [&](std::string_view key, std::string_view) {
    key.remove_prefix(space.size());
    if (!take_resource(key) || key.starts_with(prefix)) return true;
    sources.emplace(key);
    ++report_.links;
    return true;
  };
  const KeyRange range = KeyRange::of_prefix(std::string{space}.append(prefix));
  if (Result<void> read = core_.db->each(Family::links_in, range, collect); !read) return read;
  for (const std::string& source : sources)
    if (Result<void> done = forget_mention(std::string{space}.append(source), prefix); !done) return done;
  return {};
}

Result<void> GraphForget::forget_mention(std::string_view page_key, std::string_view prefix) {
  stale_.emplace(page_key);
  const Result<std::optional<std::string>> value = core_.db->get(Family::links_out, page_key);
  if (!value) return value.error();
  records::LinkSetRecord set;
  if (*value && parse(**value, set)) {
    auto& links = *set.mutable_links();
    const auto there = [&](const records::LinkRecord& link) { return begins_with(link.target(), prefix); };
    links.erase(std::remove_if(links.begin(), links.end(), there), links.end());
    core_.db->put(batch_, Family::links_out, page_key, set.SerializeAsString());
  }
  const Result<std::optional<std::string>> node = core_.db->get(Family::nodes, page_key);
  if (!node) return node.error();
  records::NodeRecord record;
  if (*node && parse(**node, record)) {
    std::set<std::string> targets;
    for (const records::LinkRecord& link : set.links()) targets.insert(resource_of(link.target()));
    targets.erase("");
    record.set_out_degree(static_cast<std::uint32_t>(targets.size()));
    clear_addresses(record, prefix);
    core_.db->put(batch_, Family::nodes, page_key, record.SerializeAsString());
    touch(Family::nodes, KeyRange::of_key(page_key));
  }
  if (batch_.GetDataSize() > kBatch) return write();
  return {};
}

Result<void> GraphForget::forget_visits(const std::function<bool(const records::VisitRecord&)>& doomed,
                                        const std::function<bool(records::VisitRecord&)>& edit) {
  for (const std::string& space : spaces_) {
    if (!space.starts_with('p')) continue;
    std::set<VisitId> gone;
    const auto look = [&](std::string_view key, std::string_view value) {
      records::VisitRecord visit;
      if (!parse(value, visit)) return true;
      if (doomed(visit)) {
        core_.db->erase(batch_, Family::visits, key);
        core_.db->erase(batch_, Family::visits, visited_key(space, resource_of(visit.url()), number_at_end(key)));
        gone.insert(number_at_end(key));
        stale_.insert(open_space() + resource_of(visit.url()));
        ++report_.visits;
        return true;
      }
      bool changed = edit(visit);
      if (gone.contains(visit.came_from())) {  // that one was before, and is in order of time
        visit.clear_came_from();
        visit.clear_link_text();
        visit.clear_referrer();
        changed = true;
      }
      if (changed) {
        core_.db->put(batch_, Family::visits, key, visit.SerializeAsString());
      }
      return true;
    };
    if (Result<void> read = core_.db->each(Family::visits, KeyRange::of_prefix(space + "t"), look); !read) return read;
  }
  return {};
}

// --- a span of time

Result<void> GraphForget::forget_span(WallTime from, WallTime until) {
  const auto within = [&](std::int64_t ms) {
    const WallTime at = from_ms(ms);
    return ms != 0 && at >= from && at < until;
  };
  for (const std::string& space : spaces_) {
    std::vector<std::string> pages;
    const auto look = [&](std::string_view key, std::string_view value) {
      records::NodeRecord node;
      if (!parse(value, node) || within(node.last_fetched()) || within(node.first_seen())) {
        pages.emplace_back(key);
        return true;
      }
      const auto& seen = node.observations();
      const bool failed_then = within(node.failed_at());
      if (!failed_then && std::none_of(seen.begin(), seen.end(), [&](std::int64_t each) { return within(each >> 1); }))
        return true;
      if (failed_then) {
        node.clear_failed_at();
        node.clear_error();
        node.clear_error_text();
      }
      auto& kept = *node.mutable_observations();
      kept.erase(std::remove_if(kept.begin(), kept.end(), [&](std::int64_t each) { return within(each >> 1); }),
                 kept.end());
      core_.db->put(batch_, Family::nodes, key, node.SerializeAsString());
      touch(Family::nodes, KeyRange::of_key(key));
      return true;
    };
    if (Result<void> read = core_.db->each(Family::nodes, KeyRange::of_prefix(space), look); !read) return read;
    for (const std::string& key : pages)
      if (Result<void> done = forget_page(key); !done) return done;
  }
  const auto then = [&](const records::VisitRecord& visit) { return within(visit.at()); };
  if (Result<void> done = forget_visits(then, [](records::VisitRecord&) { return false; }); !done) return done;
  return forget_events([&](const records::EventGroupRecord& group, int) {
    const std::string space = group.personal() ? personal_space(group.user()) : open_space();
    return within(group.at()) && std::find(spaces_.begin(), spaces_.end(), space) != spaces_.end();
  });
}

// --- a person, everything

Result<void> GraphForget::forget_space(std::string_view space) {
  const KeyRange range = KeyRange::of_prefix(space);
  Result<void> read;
  std::vector<std::string> keys = keys_in(*core_.db, Family::nodes, range, read);
  if (!read) return read;
  report_.pages += keys.size();
  const auto count = [&](std::string_view key, std::string_view) {
    key.remove_prefix(space.size());
    if (key.starts_with('t')) {
      ++report_.visits;
    } else if (key.size() > 1 + sizeof(VisitId)) {
      stale_.insert(open_space().append(key.substr(1, key.size() - 1 - sizeof(VisitId))));
    }
    return true;
  };
  if (read = core_.db->each(Family::visits, range, count); !read) return read;
  if (Result<void> done = forget_queued([&](std::string_view key) { return key.starts_with(space); }); !done)
    return done;
  for (std::string& key : keys) {
    core_.queue.add(batch_, IndexQueue::Lane::removal, key, removals_.emplace_back());
    gone_.push_back(std::move(key));
    if (batch_.GetDataSize() > kBatch)
      if (Result<void> done = write(); !done) return done;
  }
  for (const Family family :
       {Family::nodes, Family::texts, Family::bodies, Family::links_out, Family::links_in, Family::visits}) {
    core_.db->erase(batch_, family, range);
    touch(family, range);
  }
  return {};
}

Result<void> GraphForget::forget_queued(const std::function<bool(std::string_view page_key)>& doomed) {
  return core_.db->each(Family::queue, KeyRange::all(), [&](std::string_view ticket, std::string_view key) {
    if (!doomed(key)) return true;
    if (ticket.starts_with(static_cast<char>(IndexQueue::Lane::removal))) {  // evicted, but not yet from the index
      gone_.emplace_back(key);
      removals_.emplace_back(ticket);
    } else {
      core_.db->erase(batch_, Family::queue, ticket);
    }
    return true;
  });
}

Result<void> GraphForget::forget_events(const std::function<bool(const records::EventGroupRecord&, int)>& doomed) {
  const Result<std::uint64_t> removed = core_.events.remove(batch_, doomed);
  if (!removed) return removed.error();
  report_.events += *removed;
  return {};
}

}  // namespace outrider::graph
