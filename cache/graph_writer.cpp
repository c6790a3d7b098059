#include "cache/graph_writer.hpp"

#include "cache/graph_keys.hpp"
#include "cache/graph_links.hpp"

#include <algorithm>
#include <optional>

namespace outrider::graph {
namespace {

constexpr int kObservations = 32;
constexpr std::size_t kMostText = 4 << 20;

Error no_page(std::string_view url) {
  return Error{ErrorKind::invalid_argument, Side::self,
               "only pages of http and https are remembered, not " + std::string{url.substr(0, url.find(':'))}};
}

void observe(records::NodeRecord& node, std::int64_t at, bool changed) {
  if (node.observations_size() >= kObservations) {
    auto& all = *node.mutable_observations();
    all.erase(all.begin(), all.begin() + (all.size() - kObservations + 1));
  }
  node.add_observations(at * 2 + (changed ? 1 : 0));
}

// An answer to HEAD that does not tell.
bool says_no_size(const Sighting& sighting) {
  return sighting.partial && sighting.decoded_size == 0;
}

// Whether the content is another one than that of the last answer that had it, as far as the answer alone tells.
bool differs(const records::NodeRecord& old, const Sighting& now) {
  if (old.page().fingerprint() != 0 && now.page.fingerprint != 0)
    return old.page().fingerprint() != now.page.fingerprint;
  if (old.body_hash() != 0 && now.body_hash != 0) return old.body_hash() != now.body_hash;
  if (!old.etag().empty() && !now.etag.empty()) return old.etag() != now.etag;
  if (says_no_size(now)) return false;
  return old.decoded_size() != now.decoded_size;
}

bool is_answer(int status) {
  return status >= 200 && status < 300;
}

bool was_there(std::uint32_t status) {
  return status >= 200 && status < 400;
}

void note(records::EventGroupRecord& events, MemoryEventKind kind, std::string_view text,
          std::string_view target = {}) {
  records::EventRecord& event = *events.add_events();
  event.set_kind(static_cast<std::uint32_t>(kind));
  event.set_text(text.data(), text.size());
  event.set_target(target.data(), target.size());
}

records::EventGroupRecord events_of(const PageRef& page, std::string_view resource, std::int64_t at) {
  records::EventGroupRecord events;
  events.set_at(at);
  events.set_personal(page.storage == StorageClass::personal);
  if (events.personal()) events.set_user(page.owner);
  events.set_url(url_of(resource));
  return events;
}

void put_text(const GraphCore& core, rocksdb::WriteBatch& batch, std::string_view key, const std::string& text,
              records::NodeRecord& node) {
  const GraphDb& db = *core.db;
  const bool can_wait = core.disk_is_tight && !node.by_person();
  const std::string_view kept = std::string_view{text}.substr(0, can_wait ? 0 : kMostText);
  if (!kept.empty()) {
    db.put(batch, Family::texts, key, kept);
  } else if (node.text_size() != 0) {
    db.erase(batch, Family::texts, key);
  }
  node.set_text_size(static_cast<std::uint32_t>(kept.size()));
}

IndexQueue::Lane lane_of(const records::NodeRecord& node) {
  return node.by_person() ? IndexQueue::Lane::visited : IndexQueue::Lane::others;
}

// Of a page that leads elsewhere now: what it linked to as far as it is kept, and its redirect instead of a former one.
std::vector<Link> with_redirect(std::string_view former, const Sighting& sighting) {
  std::vector<Link> links;
  records::LinkSetRecord set;
  if (parse(former, set))
    for (const records::LinkRecord& link : set.links())
      if (static_cast<LinkKind>(link.kind()) != LinkKind::redirect) links.push_back(read_link(link));
  Link& redirect = links.emplace_back();
  redirect.target = sighting.redirects_to;
  redirect.kind = LinkKind::redirect;
  redirect.position = static_cast<std::uint32_t>(links.size() - 1);
  const Result<Url> from = Url::parse(sighting.url), to = Url::parse(sighting.redirects_to);
  if (from && to && from->host() == to->host()) redirect.reach = LinkReach::internal;
  return links;
}

// Half a page where the whole is known.
bool knows_better(const records::NodeRecord& node, const Sighting& sighting) {
  return sighting.partial && is_answer(sighting.status) && node.page().ByteSizeLong() != 0 && !node.partial();
}

// What kind of thing it is, and how to tell whether it is another one the next time.
void take_facts(const Sighting& sighting, records::NodeRecord& node) {
  node.set_etag(sighting.etag);
  node.set_last_modified(sighting.last_modified);
  if (!sighting.mime.empty()) node.set_mime(sighting.mime);
  if (!says_no_size(sighting)) {
    node.set_wire_size(sighting.wire_size);
    node.set_decoded_size(sighting.decoded_size);
  }
  if (!sighting.partial || sighting.body_hash != 0) node.set_body_hash(sighting.body_hash);
}

// An answer that says something of the page. Returns whether its content changed: errors and redirects do not tell, and
// leave what is known of it.
bool take_answer(const Sighting& sighting, std::int64_t at, bool is_new, records::NodeRecord& node) {
  const bool had_answer = was_answered(node), better_known = knows_better(node, sighting);
  const bool answered = is_answer(sighting.status);
  const bool changed = had_answer && answered && !sighting.not_modified && !better_known && differs(node, sighting);
  node.set_last_fetched(at);
  node.set_fetches(node.fetches() + 1);
  node.set_fetched_by(static_cast<std::uint32_t>(sighting.fetched_by));
  node.set_answered(had_answer || answered);
  if (answered || sighting.not_modified) observe(node, at, changed);
  node.clear_error();
  node.clear_error_text();
  node.clear_failed_at();
  if (better_known) {  // it is there, and here, also if the last answer was another one
    node.set_status(static_cast<std::uint32_t>(sighting.status));
    node.set_redirects_to(sighting.redirects_to);
    return false;
  }
  if (sighting.not_modified) {
    if (!sighting.etag.empty()) node.set_etag(sighting.etag);
    if (!sighting.last_modified.empty()) node.set_last_modified(sighting.last_modified);
    return false;
  }
  if (is_new || changed || (answered && !had_answer)) node.set_last_changed(at);
  node.set_status(static_cast<std::uint32_t>(sighting.status));
  node.set_redirects_to(sighting.redirects_to);
  if (answered || !had_answer) take_facts(sighting, node);
  return changed;
}

}  // namespace

Result<std::optional<records::NodeRecord>> GraphWriter::load(std::string_view page_key) const {
  const Result<std::optional<std::string>> value = core_.db->get(Family::nodes, page_key);
  if (!value) return value.error();
  records::NodeRecord node;
  if (!*value || !parse(**value, node)) return std::optional<records::NodeRecord>{};
  return std::optional{std::move(node)};
}

Result<Recorded> GraphWriter::record(const Sighting& sighting) {
  Recorded recorded;
  recorded.node.url = sighting.url;
  recorded.node.storage = sighting.storage;
  if (sighting.storage == StorageClass::never) return recorded;
  const std::string resource = resource_of(sighting.url);
  if (resource.empty()) return no_page(sighting.url);
  const std::string space = space_of(sighting.ref());
  const std::string key = space + resource;
  const std::int64_t at = to_ms(sighting.at);

  const std::shared_lock not_forgetting(core_.forgetting);
  if (core_.was_forgotten(space, resource, sighting.at)) return recorded;
  const std::lock_guard lock(core_.page_lock(key));
  Result<std::optional<records::NodeRecord>> old = load(key);
  if (!old) return old.error();
  records::NodeRecord node = *old ? std::move(**old) : records::NodeRecord{};
  if (sighting.waited && node.fetches() > 0 && node.last_fetched() >= at) return recorded;
  const std::uint32_t old_status = node.status();
  const bool had_page = node.page().ByteSizeLong() != 0, had_words = has_words(node), had_answer = was_answered(node);
  recorded.is_new = node.fetches() == 0;
  if (node.first_seen() == 0) node.set_first_seen(at);
  if (sighting.fetched_by == FetchedBy::browser) node.set_by_person(true);

  records::EventGroupRecord events = events_of(sighting.ref(), resource, at);
  rocksdb::WriteBatch batch;
  if (sighting.status != 0 || sighting.not_modified) {
    recorded.changed = take_answer(sighting, at, recorded.is_new, node);
    if (recorded.is_new) note(events, MemoryEventKind::node_new, sighting.page.title);
    if (was_there(old_status) && (sighting.status == 404 || sighting.status == 410))
      note(events, MemoryEventKind::node_gone, {});
  }
  if (sighting.error != NodeError::none) {
    node.set_error(static_cast<std::uint32_t>(sighting.error));
    node.set_error_text(sighting.error_text);
    node.set_failed_at(at);
    note(events, MemoryEventKind::error, sighting.error_text);
  }
  // An error page does not take the place of the page that was there before.
  const bool take_page =
      sighting.has_page && (sighting.error == NodeError::none || !had_page) && !knows_better(node, sighting);
  recorded.took_page = take_page;
  bool queued = false, text_is_new = false;
  if (take_page) {
    node.set_partial(sighting.partial);
    node.set_page_at(at);
    text_is_new = node.text_size() == 0 && !sighting.page.text.empty();  // retention had taken it
    write_page(sighting.page, *node.mutable_page());
    put_text(core_, batch, key, sighting.page.text, node);
  }
  const bool is_news = take_page ? recorded.changed || !had_page || text_is_new
                                 : is_answer(sighting.status) && (recorded.changed || !had_answer);
  if (is_news && (had_words || has_words(node) || has_words_of_links(*core_.db, seen_from(space), resource))) {
    enqueue(batch, lane_of(node), key, node);
    queued = true;
  }
  if (recorded.changed) note(events, MemoryEventKind::node_changed, node.page().title());

  if (take_page || (!sighting.redirects_to.empty() && sighting.error == NodeError::none)) {
    Result<std::optional<std::string>> former{std::optional<std::string>{}};
    if (!recorded.is_new) former = core_.db->get(Family::links_out, key);
    if (!former) return former.error();
    std::vector<Link> kept;
    if (!take_page) kept = with_redirect(former->value_or(""), sighting);
    const std::vector<Link>& links = take_page ? sighting.links : kept;
    const bool untold = core_.queue.has(node.links_ticket());
    const LinkChanges changes = replace_links(*core_.db, batch, space, resource,
                                              *former ? **former : std::string_view{}, links, sighting.at, untold);
    if (changes.tells_news && !untold) {
      std::string ticket;
      core_.queue.add(batch, IndexQueue::Lane::links, key, ticket);
      node.set_links_ticket(ticket);
      queued = true;
    }
    node.set_out_degree(changes.out_degree);
    for (const Link* link : changes.added) note(events, MemoryEventKind::link_new, link->text, link->target);
    node.set_links_seen(at);
  } else if (sighting.not_modified) {
    node.set_links_seen(at);
  }
  core_.db->put(batch, Family::nodes, key, node.SerializeAsString());
  if (Result<void> written = core_.events.commit(batch, events); !written) return written.error();
  if (queued) core_.queue.wake();

  recorded.node = read_node(node);
  recorded.node.url = events.url();
  recorded.node.owner = sighting.storage == StorageClass::personal ? sighting.owner : "";
  recorded.node.storage = sighting.storage;
  return recorded;
}

Result<void> GraphWriter::record_body(const PageRef& page, std::string_view body) {
  if (page.storage == StorageClass::never || !core_.options.keep_bodies || body.empty() || core_.disk_is_tight)
    return {};
  const std::string key = space_of(page) + resource_of(page.url);
  const std::shared_lock not_forgetting(core_.forgetting);
  const std::lock_guard lock(core_.page_lock(key));
  Result<std::optional<records::NodeRecord>> node = load(key);
  if (!node) return node.error();
  if (!*node) return {};
  (*node)->set_body_size(static_cast<std::uint32_t>(body.size()));
  rocksdb::WriteBatch batch;
  core_.db->put(batch, Family::bodies, key, body);
  core_.db->put(batch, Family::nodes, key, (*node)->SerializeAsString());
  return core_.db->write(batch);
}

Result<void> GraphWriter::visited(std::string_view space, std::string_view resource) {
  const std::string key = std::string{space}.append(resource);
  const std::lock_guard lock(core_.page_lock(key));
  Result<std::optional<records::NodeRecord>> node = load(key);
  if (!node) return node.error();
  if (!*node) return {};
  (*node)->set_by_person(true);
  rocksdb::WriteBatch batch;
  const bool is_found = was_answered(**node);
  if (is_found) enqueue(batch, IndexQueue::Lane::visited, key, **node);
  core_.db->put(batch, Family::nodes, key, (*node)->SerializeAsString());
  if (Result<void> written = core_.db->write(batch); !written) return written;
  if (is_found) core_.queue.wake();
  return {};
}

Result<GraphWriter::Removed> GraphWriter::remove(rocksdb::WriteBatch& batch, std::string_view page_key) {
  Result<std::optional<records::NodeRecord>> node = load(page_key);
  if (!node) return node.error();
  Removed removed;
  if (*node) {
    removed.ticket = (*node)->index_ticket();
    core_.queue.drop(batch, *(*node)->mutable_links_ticket());
  }
  core_.queue.add(batch, IndexQueue::Lane::removal, page_key, removed.ticket);
  for (const Family family : {Family::nodes, Family::texts, Family::bodies, Family::links_out})
    core_.db->erase(batch, family, page_key);
  const Result<std::optional<std::string>> links = core_.db->get(Family::links_out, page_key);
  if (!links) return links.error();
  std::string_view resource = page_key;
  const auto space = take_space(resource);
  if (space && *links) removed.targets = remove_links(*core_.db, batch, *space, resource, **links);
  return removed;
}

void GraphWriter::enqueue(rocksdb::WriteBatch& batch, IndexQueue::Lane lane, std::string_view page_key,
                          records::NodeRecord& node) const {
  std::string ticket = node.index_ticket();
  core_.queue.add(batch, lane, page_key, ticket);
  node.set_index_ticket(ticket);
}

// What has no words of its own is worth it if somebody visited it (a browser's are looked at for that) or has words for
// it.
bool GraphWriter::may_be_indexed(const records::NodeRecord& node, std::string_view page_key) const {
  if (!was_answered(node)) return false;
  if (has_words(node) || node.by_person()) return true;
  std::string_view resource = page_key;
  const auto space = take_space(resource);
  return space && has_words_of_links(*core_.db, seen_from(*space), resource);
}

Result<void> GraphWriter::queue_everything() {
  std::string at;
  for (bool more = true; more;) {
    std::vector<std::string> keys;
    const KeyRange rest{at, std::nullopt};
    const Result<void> read = core_.db->each(Family::nodes, rest, [&](std::string_view key, std::string_view) {
      keys.emplace_back(key);
      return keys.size() < 1000;
    });
    if (!read) return read;
    more = keys.size() == 1000;
    const std::shared_lock not_forgetting(core_.forgetting);
    for (const std::string& key : keys) {
      const std::lock_guard lock(core_.page_lock(key));
      Result<std::optional<records::NodeRecord>> node = load(key);
      if (!node) return node.error();
      if (!*node || !may_be_indexed(**node, key)) continue;
      rocksdb::WriteBatch batch;
      enqueue(batch, lane_of(**node), key, **node);
      core_.db->put(batch, Family::nodes, key, (*node)->SerializeAsString());
      if (Result<void> written = core_.db->write(batch); !written) return written;
    }
    if (more) at = keys.back() + '\0';
  }
  return {};
}

Result<void> GraphWriter::remove_part(std::string_view page_key, Part part) {
  const std::shared_lock not_forgetting(core_.forgetting);
  const std::lock_guard lock(core_.page_lock(page_key));
  Result<std::optional<records::NodeRecord>> node = load(page_key);
  if (!node) return node.error();
  if (!*node) return {};
  rocksdb::WriteBatch batch;
  if (part == Part::text) {
    (*node)->clear_text_size();
    core_.db->erase(batch, Family::texts, page_key);
    enqueue(batch, lane_of(**node), page_key, **node);  // found by its title from now on
  } else {
    (*node)->clear_body_size();
    core_.db->erase(batch, Family::bodies, page_key);
  }
  core_.db->put(batch, Family::nodes, page_key, (*node)->SerializeAsString());
  return core_.db->write(batch);
}

}  // namespace outrider::graph
