#include "cache/ingest_pool.hpp"

#include "base/log.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace outrider {
namespace {

// Weighs against the reader's threads like 1 against 15: it gets what they leave, and a little when they leave nothing.
constexpr int kNiceness = 12;

void step_back() {
  // Linux keeps a priority for each thread; where that is refused, the work is done at the usual one.
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);
}

// Of memory, while it waits: what is known of the page already comes to some kilobytes.
std::uint64_t weight(const ScannedAnswer& page) {
  return page.utf8.size() + 4096;
}

std::string_view without_fragment(std::string_view url) {
  return url.substr(0, url.find('#'));
}

void complain_about(const Arrival& arrival, const Error& error) {
  log::warn(Room::cache, "not_remembered", {{"url", log::safe_url(arrival.url.href())}, {"reason", error.detail}});
}

// A page whose deep parse was lost with a process, or whose text had to go.
bool lacks_text(const Node& node) {
  const bool readable = node.mime == "text/html" || node.mime == "application/xhtml+xml" || node.mime == "text/plain";
  return readable && (!node.page.deep || (!node.has_text && node.page.word_count > 0));
}

}  // namespace

IngestPool::IngestPool(Graph& graph, IngestOptions options, Metrics& metrics)
    : graph_(graph),
      options_(options),
      taken_in_(metrics.counter("outrider_ingest_answers_total", "Answers that the memory took in")),
      turned_away_(
          metrics.counter("outrider_ingest_turned_away_total", "Answers that came when too many were waiting")),
      failed_(metrics.counter("outrider_ingest_failed_total", "Answers that could not be remembered")) {
  for (std::size_t i = 0; i < options.threads; ++i) threads_.emplace_back([this] { work(); });
}

IngestPool::~IngestPool() {
  close();
}

void IngestPool::close() {
  {
    const std::lock_guard lock{mutex_};
    closing_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

bool IngestPool::submit(Arrival&& arrival) {
  {
    const std::lock_guard lock{mutex_};
    if (closing_) return false;
    const bool full = people_.size() + robot_.size() >= options_.most_waiting ||
                      (waiting_bytes_ > 0 && waiting_bytes_ + arrival.body.size() > options_.most_waiting_bytes);
    if (full) {
      turned_away_.add();
      // That somebody was there is remembered in any case; it is small.
      if (!arrival.visit || people_.size() >= 2 * options_.most_waiting) return false;
      arrival.body.clear();
      arrival.body.shrink_to_fit();
      arrival.body_complete = false;
    }
    waiting_bytes_ += arrival.body.size();
    (arrival.by == FetchedBy::browser ? people_ : robot_).push_back(std::move(arrival));
  }
  work_.notify_one();
  return true;
}

std::size_t IngestPool::queued() const {
  const std::lock_guard lock{mutex_};
  return people_.size() + robot_.size() + unread_.size();
}

void IngestPool::work() {
  step_back();
  std::unique_lock lock{mutex_};
  for (;;) {
    work_.wait(
        lock, [this] { return closing_ || !people_.empty() || !robot_.empty() || !unread_.empty() || !left_.empty(); });
    if (std::deque<Arrival>& from = people_.empty() ? robot_ : people_; !from.empty()) {
      Arrival next = std::move(from.front());
      from.pop_front();
      waiting_bytes_ -= next.body.size();
      lock.unlock();
      take_in(std::move(next));
      lock.lock();
    } else if (!unread_.empty()) {
      ScannedAnswer next = std::move(unread_.front());
      unread_.pop_front();
      unread_bytes_ -= weight(next);
      lock.unlock();
      read(std::move(next));
      lock.lock();
    } else if (closing_) {
      return;
    } else if (!left_.empty()) {
      const UnreadPage next = std::move(left_.front());
      left_.pop_front();
      lock.unlock();
      guarded([&] { read_left(next); });
      lock.lock();
    }
  }
}

// Nothing that a page contains may end the thread, and each of these steps is owed whatever happened to the others.
void IngestPool::take_in(Arrival arrival) {
  taken_in_.add();
  guarded([&] { remember(arrival); });
  if (arrival.on_scanned) guarded([&] { tell(arrival, {}); });  // whoever waits for it must hear something
  if (arrival.visit) guarded([&] { note_visit(arrival); });
}

template <class Step>
void IngestPool::guarded(const Step& step) try {
  step();
} catch (const std::exception& problem) {
  failed_.add();
  log::error(Room::cache, "ingest_failed", {{"message", problem.what()}});
}

void IngestPool::remember(Arrival& arrival) {
  if (arrival.storage == StorageClass::never) {
    // Not kept, but whoever asked for its links shall have them.
    if (arrival.on_scanned) tell(arrival, scan_answer(arrival).sighting);
    return;
  }
  if ((arrival.from_store || arrival.not_modified) && known_already(arrival)) return;
  if (arrival.status == 304) return;  // of a page that was never seen: there is nothing to say but that it was visited
  arrival.not_modified = false;       // to the memory it is new
  ScannedAnswer answer = scan_answer(arrival);
  const bool at_once = arrival.by == FetchedBy::browser;
  if (at_once) read_deeply(answer);
  answer.sighting.deep_follows = !at_once && !answer.utf8.empty();
  const Result<Recorded> recorded = graph_.record(answer.sighting);
  if (!recorded) {
    failed_.add();
    complain_about(arrival, recorded.error());
    if (arrival.on_scanned) tell(arrival, answer.sighting);
    return;
  }
  if (const auto hear = std::exchange(arrival.on_scanned, nullptr))
    hear(Ingested{recorded->node, answer.sighting.links, recorded->is_new, recorded->changed});
  // Where bodies are kept (memory.keep_bodies); otherwise it does nothing.
  if (recorded->took_page && !graph_.record_body(answer.sighting.ref(), answer.utf8)) failed_.add();
  if (recorded->took_page && !at_once && !answer.utf8.empty()) read_later(std::move(answer));
}

void IngestPool::tell(Arrival& arrival, const Sighting& sighting) {
  Node node;
  node.url = sighting.url;
  node.status = sighting.status;
  node.mime = sighting.mime;
  node.page = sighting.page;
  std::exchange(arrival.on_scanned, nullptr)(Ingested{node, sighting.links, false, false});
}

// What was answered from the store, or is still right, has been read before: false if the memory has forgotten it.
bool IngestPool::known_already(Arrival& arrival) {
  const std::string url = arrival.url.href();
  const PageRef mine{url, arrival.user, StorageClass::personal}, everybodys{url, "", StorageClass::open};
  // A 304 for the browser does not say whose page it confirms.
  if (arrival.status == 304 && arrival.by == FetchedBy::browser)
    return tell_from_memory(arrival, mine) || tell_from_memory(arrival, everybodys);
  return tell_from_memory(arrival, arrival.storage == StorageClass::personal ? mine : everybodys);
}

bool IngestPool::tell_from_memory(Arrival& arrival, const PageRef& page) {
  const Result<std::optional<Node>> known = graph_.page(page, false);
  if (!known || !*known || (*known)->fetched_by == FetchedBy::nobody || (*known)->status != 200) return false;
  if (!arrival.body.empty() && lacks_text(**known)) return false;
  if (arrival.not_modified) {
    Sighting again;
    again.url = page.url;
    again.owner = page.owner;
    again.storage = page.storage;
    again.fetched_by = arrival.by;
    again.at = arrival.at;
    again.status = (*known)->status;
    again.not_modified = true;
    if (!graph_.record(again)) failed_.add();
  }
  if (!arrival.on_scanned) return true;
  const Viewer viewer = page.storage == StorageClass::personal ? Viewer{page.owner, true} : Viewer::nobody();
  std::vector<Link> links;
  LinkQuery query;
  do {
    Result<LinkPage> some = graph_.links_from(viewer, page.url, query);
    if (!some) return false;
    for (KnownLink& link : some->links) links.push_back(std::move(link.link));
    query.after = std::move(some->next);
  } while (!query.after.empty());
  std::exchange(arrival.on_scanned, nullptr)(Ingested{**known, links, false, false});
  return true;
}

void IngestPool::note_visit(const Arrival& arrival) {
  if (!arrival.visit->certain && was_a_frame(arrival)) return;
  Visit visit;
  visit.at = arrival.at;
  visit.user = arrival.user;
  visit.url = arrival.url.href();
  visit.referrer = arrival.visit->referrer;
  if (const Result<VisitId> noted = graph_.record_visit(std::move(visit), arrival.storage); !noted) {
    failed_.add();
    complain_about(arrival, noted.error());
  }
}

// On plain HTTP a browser does not say whether it fills the window or a frame; but the page with the frame is known by
// now.
bool IngestPool::was_a_frame(const Arrival& arrival) const {
  if (arrival.visit->referrer.empty()) return false;
  const Viewer viewer{arrival.user, true};
  const Result<LinkPage> links = graph_.links_from(viewer, arrival.visit->referrer, {10'000, ""});
  if (!links) return false;
  bool framed = false;
  for (const KnownLink& known : links->links) {
    if (without_fragment(known.link.target) != without_fragment(arrival.url.href())) continue;
    const bool is_frame = known.link.kind == LinkKind::frame || known.link.kind == LinkKind::iframe;
    if (!is_frame) return false;  // can be clicked, too
    framed = true;
  }
  return framed;
}

void IngestPool::read_later(ScannedAnswer answer) {
  answer.sighting.links = {};  // they are recorded, and take more memory than the page
  answer.utf8.shrink_to_fit();
  {
    const std::lock_guard lock{mutex_};
    if (unread_bytes_ + weight(answer) <= options_.most_unread_bytes) {
      unread_bytes_ += weight(answer);
      unread_.push_back(std::move(answer));
      return;
    }
  }
  read(std::move(answer));  // slows down whoever brings more than can be read
}

void IngestPool::catch_up(std::shared_ptr<StoredCopies> copies) {
  Result<std::vector<UnreadPage>> left = graph_.left_unread();
  if (!left || left->empty()) return;
  log::info(Room::cache, "pages_left_unread", {{"pages", left->size()}});
  {
    const std::lock_guard lock{mutex_};
    copies_ = std::move(copies);
    left_.assign(std::make_move_iterator(left->begin()), std::make_move_iterator(left->end()));
  }
  work_.notify_all();
}

std::optional<Arrival> IngestPool::body_of(const UnreadPage& page) const {
  const Result<Url> url = Url::parse(page.page.url);
  if (!url) return std::nullopt;
  const bool is_open = page.page.storage == StorageClass::open;
  const Viewer viewer = is_open ? Viewer::nobody() : Viewer{page.page.owner, true};
  Arrival arrival;
  arrival.url = *url;
  arrival.by = FetchedBy::robot;
  arrival.user = page.page.owner;
  arrival.storage = page.page.storage;
  arrival.status = 200;
  if (Result<std::optional<std::string>> kept = graph_.body(viewer, page.page.url); kept && *kept) {
    const Result<std::optional<Node>> node = graph_.page(page.page, false);
    const std::string mime = node && *node ? (*node)->mime : "text/html";
    arrival.headers.add("Content-Type", mime + "; charset=utf-8");
    arrival.body = std::move(**kept);
    return arrival;
  }
  std::optional<StoredCopy> copy;
  if (is_open && copies_) copy = copies_->find(page.page.url, options_.most_unread_bytes);
  if (!copy) return std::nullopt;
  arrival.headers.add("Content-Type", copy->content_type);
  arrival.body = std::move(copy->body);
  arrival.from_store = true;
  return arrival;
}

void IngestPool::read_left(const UnreadPage& page) {
  std::optional<Arrival> arrival = body_of(page);
  std::optional<ScannedAnswer> answer;
  if (arrival) answer = scan_answer(*arrival);
  // The cache may have another version by now.
  const auto is_other = [&] { return page.body_hash != 0 && answer->sighting.body_hash != page.body_hash; };
  if (answer && (answer->utf8.empty() || (arrival->from_store && is_other()))) answer.reset();
  const Result<bool> due = graph_.try_unread(page, answer.has_value());
  if (!due) failed_.add();
  if (!due || !*due) return;
  answer->sighting.at = WallTime::max();
  read(std::move(*answer));
}

void IngestPool::read(ScannedAnswer page) try {
  read_deeply(page);
  if (const Result<void> noted = graph_.record_deep(page.sighting.ref(), page.sighting.page, page.sighting.at); !noted)
    failed_.add();
} catch (const std::exception& problem) {
  failed_.add();
  log::error(Room::cache, "ingest_failed", {{"message", problem.what()}});
}

}  // namespace outrider
