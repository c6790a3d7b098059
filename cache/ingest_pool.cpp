#include "cache/ingest_pool.hpp"

#include "base/log.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace outrider {
namespace {

constexpr auto kDiskMayRecover = std::chrono::seconds{1};
// What is loaded beside a page comes in swarms, and nobody waits for it: one wake-up for many.
constexpr std::size_t kSwarm = 32;
constexpr std::size_t kPerThread = 8;  // so many of the robot's answers wait for each thread before another is woken
constexpr auto kSwarmTime = std::chrono::milliseconds{5};

void step_back(int niceness) {
  // Linux keeps a priority for each thread; where that is refused, the work is done at the usual one.
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
}

// Only what nobody else wants; whoever wakes up has the processor at once. A low priority alone waits for its turn to
// end, which a reader would feel.
void stand_aside() {
  const sched_param none{};
  if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0) step_back(19);
}

// One core is always left to the readers: even who gives way at once has filled its caches.
std::size_t idle_readers(std::size_t threads) {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency() / 2, 1, threads);
}

std::string_view without_fragment(std::string_view url) {
  return url.substr(0, url.find('#'));
}

void complain_about(const Arrival& arrival, const Error& error) {
  log::warn(Room::cache, "not_remembered", {{"url", log::safe_url(arrival.url.href())}, {"reason", error.detail}});
}

// Its links are wanted now, or not even these.
bool is_bulk(const Arrival& arrival) {
  return arrival.may_wait && (arrival.only_links || !arrival.on_scanned);
}

// A page that a former version only scanned, or whose text had to go.
bool lacks_text(const Node& node) {
  const bool readable = node.mime == "text/html" || node.mime == "application/xhtml+xml" || node.mime == "text/plain";
  return readable && !node.has_text && (!node.page.deep || node.page.word_count > 0);
}

}  // namespace

IngestPool::IngestPool(Graph& graph, IngestOptions options, Metrics& metrics)
    : graph_(graph),
      options_(options),
      taken_in_(metrics.counter("outrider_ingest_answers_total", "Answers that the memory took in")),
      turned_away_(
          metrics.counter("outrider_ingest_turned_away_total", "Answers that came when too many were waiting")),
      failed_(metrics.counter("outrider_ingest_failed_total", "Answers that could not be remembered")),
      unread_gauge_(metrics.gauge_from("outrider_ingest_unread", "Answers of the robot that wait to be read", {},
                                       [this] { return static_cast<double>(unread()); })) {
  for (std::size_t i = 0; i < options.threads; ++i) threads_.emplace_back([this] { work(); });
  for (std::size_t i = 0; options.threads > 0 && i < idle_readers(options.threads); ++i)
    threads_.emplace_back([this] { read_asides_and_spool(); });
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
  unread_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

std::deque<Arrival>& IngestPool::queue_for(const Arrival& arrival) {
  if (arrival.by != FetchedBy::browser) return robot_;
  return arrival.visit || !arrival.body.empty() ? people_ : asides_;
}

bool IngestPool::submit(Arrival&& arrival) {
  std::condition_variable* whom = nullptr;
  {
    const std::lock_guard lock{mutex_};
    if (closing_) return false;
    const bool full = waiting() >= options_.most_waiting ||
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
    std::deque<Arrival>& queue = queue_for(arrival);
    queue.push_back(std::move(arrival));
    full_ = waiting() >= options_.most_waiting;
    if (&queue != &asides_) {
      if (!is_bulk(queue.back()) || wants_another()) whom = &work_;
      if (whom != nullptr && asleep_ > 0) --asleep_;
    } else if (asides_.size() == 1 || asides_.size() % kSwarm == 0) {
      whom = &unread_;
    }
  }
  if (whom != nullptr) whom->notify_one();
  return true;
}

// Whoever is awake takes the next one, too: to wake another thread for it costs as much as finding its links. Threads
// that read something closely do not count, which may take long. The lock is held.
bool IngestPool::wants_another() const {
  const std::size_t awake = options_.threads - asleep_ - std::min(reading_closely_, options_.threads - asleep_);
  return asleep_ > 0 && robot_.size() > kPerThread * awake;
}

bool IngestPool::turns_away_asides() {
  if (!full_.load(std::memory_order_relaxed)) return false;
  turned_away_.add();
  return true;
}

std::size_t IngestPool::queued() const {
  const std::lock_guard lock{mutex_};
  return waiting() + noting_;
}

std::size_t IngestPool::unread() const {
  const std::lock_guard lock{mutex_};
  return unread_in_spool() + being_read_;
}

// The lock is held.
Arrival IngestPool::take(std::deque<Arrival>& from) {
  Arrival next = std::move(from.front());
  from.pop_front();
  waiting_bytes_ -= next.body.size();
  full_ = waiting() >= options_.most_waiting;
  return next;
}

void IngestPool::work() {
  step_back(options_.niceness);
  std::unique_lock lock{mutex_};
  for (;;) {
    while (!closing_ && people_.empty() && robot_.empty()) {
      // Whoever calls us takes that back. Nobody may have: then somebody is called in vain once.
      asleep_ = std::min(asleep_ + 1, options_.threads);
      work_.wait(lock);
    }
    std::deque<Arrival>& from = people_.empty() ? robot_ : people_;
    if (from.empty()) return;
    Arrival next = take(from);
    const bool closely = !is_bulk(next);
    reading_closely_ += closely ? 1 : 0;
    const bool wake = closely && !robot_.empty() && wants_another();
    if (wake) --asleep_;
    lock.unlock();
    if (wake) work_.notify_one();
    take_in(std::move(next));
    lock.lock();
    reading_closely_ -= closely ? 1 : 0;
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
  if (arrival.storage == StorageClass::never || arrival.only_tell) {
    // Not kept, but whoever asked for its links shall have them.
    if (arrival.on_scanned) tell(arrival, scan_answer(arrival).sighting);
    return;
  }
  if (put_off(arrival)) return;
  const Result<void> taken = take_now(arrival, false);
  if (!taken) complain_about(arrival, taken.error());
}

// `waited`: it was seen long ago, and something newer may be known.
Result<void> IngestPool::take_now(Arrival& arrival, bool waited) {
  if ((arrival.from_store || arrival.not_modified) && known_already(arrival, waited)) return {};
  // A 304 of a page that was never seen: there is nothing to say but that it was visited.
  if (arrival.status == 304) return {};
  arrival.not_modified = false;  // to the memory it is new
  ScannedAnswer answer = scan_answer(arrival);
  read_deeply(answer);
  answer.sighting.waited = waited;
  const Result<Recorded> recorded = graph_.record(answer.sighting);
  if (!recorded) {
    failed_.add();
    if (arrival.on_scanned) tell(arrival, std::move(answer.sighting));
    return recorded.error();
  }
  if (const auto hear = std::exchange(arrival.on_scanned, nullptr))
    hear(Ingested{recorded->node, answer.sighting.links, recorded->is_new, recorded->changed});
  // Where bodies are kept (memory.keep_bodies); otherwise it does nothing.
  if (recorded->took_page && !graph_.record_body(answer.sighting.ref(), answer.utf8)) failed_.add();
  return {};
}

// The links are wanted now, everything else can wait. False: there is nowhere to put it.
bool IngestPool::put_off(Arrival& arrival) {
  const bool can_wait = options_.spool != nullptr && arrival.may_wait && arrival.by == FetchedBy::robot &&
                        arrival.storage == StorageClass::open && !arrival.visit &&
                        (arrival.error == NodeError::none || arrival.error == NodeError::http) &&
                        (!arrival.body.empty() || arrival.not_modified || arrival.status >= 300);
  if (!can_wait || !options_.spool->put(arrival)) return false;
  { const std::lock_guard nobody_misses_it{mutex_}; }
  unread_.notify_one();
  const ScanFor what = arrival.only_links ? ScanFor::links : ScanFor::everything;
  if (!arrival.on_scanned) return true;
  ScannedAnswer answer = scan_answer(arrival, what);
  tell(arrival, std::move(answer.sighting), answer.urls);
  return true;
}

void IngestPool::tell(Arrival& arrival, Sighting sighting, std::span<Url> urls) {
  Node node;
  node.url = std::move(sighting.url);
  node.status = sighting.status;
  node.mime = std::move(sighting.mime);
  node.page = std::move(sighting.page);
  node.partial = sighting.partial;
  std::exchange(arrival.on_scanned, nullptr)(Ingested{node, sighting.links, false, false, urls});
}

// What was answered from the store, or is still right, has been read before: false if the memory has forgotten it.
bool IngestPool::known_already(Arrival& arrival, bool waited) {
  const std::string url = arrival.url.href();
  const PageRef mine{url, arrival.user, StorageClass::personal}, everybodys{url, "", StorageClass::open};
  // A 304 for the browser does not say whose page it confirms.
  if (arrival.status == 304 && arrival.by == FetchedBy::browser)
    return tell_from_memory(arrival, mine, waited) || tell_from_memory(arrival, everybodys, waited);
  return tell_from_memory(arrival, arrival.storage == StorageClass::personal ? mine : everybodys, waited);
}

bool IngestPool::tell_from_memory(Arrival& arrival, const PageRef& page, bool waited) {
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
    again.waited = waited;
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

void IngestPool::read_asides_and_spool() {
  stand_aside();
  std::unique_lock lock{mutex_};
  for (;;) {
    unread_.wait(lock, [this] { return closing_ || !asides_.empty() || unread_in_spool() > 0; });
    if (!asides_.empty()) {
      unread_.wait_for(lock, kSwarmTime, [this] { return closing_ || asides_.size() >= kSwarm; });
      // All at once: who stands aside must not hold a lock often that readers take.
      std::deque<Arrival> swarm = std::exchange(asides_, {});
      const std::size_t count = swarm.size();
      noting_ += count;
      full_ = waiting() >= options_.most_waiting;
      lock.unlock();
      for (Arrival& next : swarm) take_in(std::move(next));
      lock.lock();
      noting_ -= count;
    } else if (closing_) {
      return;
    } else {
      ++being_read_;
      lock.unlock();
      read_spool();
      lock.lock();
      --being_read_;
    }
  }
}

void IngestPool::read_spool() {
  const std::optional<IngestSpool::Taken> next = options_.spool->take();
  if (!next) return;
  bool is_done = true;  // also if it cannot be read at all
  guarded([&] { is_done = read(next->arrival); });
  if (is_done) options_.spool->done(*next);
}

// False: it could not be written so far.
bool IngestPool::read(const Arrival& arrival) {
  for (;;) {
    Arrival copy = arrival;
    const Result<void> taken = take_now(copy, true);
    if (taken || taken.error().kind != ErrorKind::io) return true;
    std::unique_lock lock{mutex_};
    if (unread_.wait_for(lock, kDiskMayRecover, [this] { return closing_; })) return false;
  }
}

}  // namespace outrider
