// One entry: fetched, handed to the ingest, concluded.
#include "base/log.hpp"
#include "cache/ingest_page.hpp"
#include "cache/storage_class.hpp"
#include "robot/robot.hpp"

#include <fmt/format.h>

#include <charconv>

namespace outrider {
namespace {

constexpr Duration kIngestFull = std::chrono::milliseconds{5};
constexpr std::size_t kSurelyFits = 1 << 20;  // into an ingest that has nothing to do
constexpr int kMostRedirects = 5;

NodeError node_error(const Fetched& fetched) {
  if (!fetched.error) return fetched.status >= 400 ? NodeError::http : NodeError::none;
  return outrider::node_error(*fetched.error);
}

bool is_refusal(const Fetched& fetched) {
  return fetched.error && outrider::is_refusal(*fetched.error);
}

// That a robots.txt was not answered says little about a page, and nothing that the memory should keep. That its host
// is not there says all.
bool says_nothing(const RobotJob& job) {
  return job.unreachable && !is_of_host(*job.fetched.error);
}

// A robot has no name and no credentials: what is not for everybody is not for the memory either.
StorageClass storage_of(const Url& url, const HeaderMap& headers, const RobotRules& rules) {
  static const HeaderMap kNothingSpecial;
  std::string_view host = url.hostname();
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  StorageQuestion question{kNothingSpecial, headers};
  question.shareable = !headers.lists(HeaderId::cache_control, "private");
  question.never_keep = rules.never_keep && rules.never_keep(host, url.effective_port());
  return storage_class(question) == StorageClass::open ? StorageClass::open : StorageClass::never;
}

// RFC 9110 section 14.4: all of it, although a part was asked for.
bool is_whole(std::string_view content_range) {
  std::uint64_t last = 0, length = 0;
  constexpr std::string_view kFromTheFirst = "bytes 0-";
  if (!content_range.starts_with(kFromTheFirst)) return false;
  const char* const end = content_range.data() + content_range.size();
  const auto [slash, bad] = std::from_chars(content_range.data() + kFromTheFirst.size(), end, last);
  if (bad != std::errc{} || slash == end || *slash != '/') return false;
  const auto [rest, wrong] = std::from_chars(slash + 1, end, length);
  return wrong == std::errc{} && rest == end && length == last + 1;
}

// Of all that was not read, as far as the head says it; else 0.
std::uint64_t size_of_whole(const HeaderMap& headers) {
  std::string_view digits = headers.find(HeaderId::content_length).value_or("");
  if (const auto range = headers.find(HeaderId::content_range)) digits = range->substr(range->rfind('/') + 1);
  std::uint64_t size = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), size);
  return size;
}

// To the memory a part is an incomplete page, and what came without a body says nothing of one.
void note_parts(Arrival& arrival, bool head_only) {
  if (arrival.status == 206) {
    arrival.status = 200;
    if (!is_whole(arrival.headers.find(HeaderId::content_range).value_or(""))) arrival.body_complete = false;
  }
  if (head_only) arrival.body_complete = false;
  if (!arrival.body_complete) arrival.wire_size = size_of_whole(arrival.headers);
}

// The memory reads a page closely when there is time, and of one that it knows it has what was read of a former
// version, without the text. Who has to judge the page needs what came now.
void read_closely(const RobotJob& job, PageContent& page) {
  Arrival arrival;
  arrival.url = job.url;
  arrival.status = job.fetched.status;
  arrival.headers = job.fetched.headers;
  arrival.body = job.fetched.body;
  ScannedAnswer answer = scan_answer(arrival);
  if (answer.utf8.empty()) return;
  read_deeply(answer);
  page = std::move(answer.sighting.page);
}

std::string words(const Fetched& fetched) {
  return fetched.error ? std::string{to_string(fetched.error->kind)} : fmt::format("status {}", fetched.status);
}

}  // namespace

Task<> RobotEngine::work(std::shared_ptr<RobotJob> job) {
  const auto found = find(job->task);
  const std::string host{host_of(job->entry.url)};
  if (found && !job->unreachable && !job->url.href().empty()) {
    FetchOrder order = order_for(*found, job->url, job->entry);
    job->head_only = order.head_only;
    job->bulk = is_bulk(**found, *job);
    if (job->bulk) order.knows = [this, &job](std::uint64_t version) { return knows_links(*job, version); };
    Fetched fetched = co_await fetcher_.fetch(order);
    job->fetched = std::move(fetched);
    request_ended(host, job->url, job->fetched);
    if (const auto asker = find(job->task)) spend_ahead(*asker, *job);
  } else if (!job->unreachable) {
    job->fetched.error = Error{ErrorKind::invalid_argument, Side::self, "not a URL"};
  }
  job->fetching = false;
  Host& state = host_state(host);
  --state.under_way;
  ++(job->fetched.error || job->fetched.status >= 400 ? state.failed : state.fetched);
  const auto task = find(job->task);
  if (!task) co_return;  // was removed meanwhile
  if (job->forgotten) {
    pump();
    co_return;
  }
  if (stopping_ && job->fetched.error) {  // it was cut off: it stays in the queue
    leave(**task, *job);
    co_return;
  }
  if (job->fetched.known) {
    unchanged(job);
    co_return;
  }
  if (!retry(job)) {
    const bool is_page = !job->fetched.error && job->fetched.status >= 200 && job->fetched.status < 300;
    const bool taken = co_await hand_on(job);
    if (!is_page) {
      ended(job);
    } else if (const auto left = find(job->task); !taken && left) {
      leave(**left, *job);  // it stays in the queue for the next start
    }
  }
  pump();
}

// What the page may share among its links.
std::uint32_t RobotEngine::cash_of(const RobotTask& task, const RobotJob& job) const {
  if (!task.spends_cash()) return 0;
  const std::optional<SeenRecord> seen = frontier_->seen(task.id, job.entry.id);
  return seen ? seen->in_degree : 0;
}

Arrival RobotEngine::arrival_of(const std::shared_ptr<RobotJob>& job, bool is_page) const {
  Arrival arrival;
  arrival.url = job->url;
  arrival.by = FetchedBy::robot;
  arrival.at = reactor_.clock().now();
  arrival.status = job->fetched.status;
  arrival.headers = job->fetched.headers;
  arrival.wire_size = job->fetched.body_size;
  arrival.body_complete = job->fetched.complete;
  note_parts(arrival, job->head_only);
  arrival.storage = storage_of(job->url, job->fetched.headers, options_.rules);
  const auto task = find(job->task);
  arrival.only_tell = task && !(*task)->spec.keep;
  arrival.from_store = job->fetched.from_store();
  arrival.not_modified = !job->fetched.error && job->fetched.verdict == CacheVerdict::revalidated;
  arrival.error = node_error(job->fetched);
  if (job->fetched.error) arrival.error_text = job->fetched.error->detail;
  if (!is_page) {
    arrival.body = job->fetched.body;
    arrival.may_wait = job->bulk && arrival.status != 0;
    return arrival;
  }
  const bool link_texts = task && (*task)->wants_link_texts();
  const bool deep = task && (*task)->judges.need_text();
  const bool observed = task && is_observed(**task) && !job->entry.sitemap;
  const bool looks = task && (*task)->spec.revisit;
  const bool any_host = task && (*task)->spec.restriction != Restriction::all;
  // Who looks at the page, or at what the memory knows of it, must find it there.
  arrival.may_wait = task && !observed && !looks && !(*task)->spec.interactive;
  job->bulk = job->bulk && arrival.may_wait && !deep;  // somebody may have come meanwhile
  arrival.only_links = job->bulk;
  arrival.body = job->bulk ? std::move(job->fetched.body) : job->fetched.body;
  arrival.on_scanned = [job, link_texts, deep, observed, looks, any_host, naming = frontier_->naming(),
                        mailbox = mailbox_](const Ingested& ingested) {
    Scanned page;
    page.job = job;
    try {
      page.links = job->entry.sitemap ? links_of_sitemap(naming, *job, any_host)
                                      : make_found_links(naming, ingested.links, link_texts, ingested.urls);
      page.page.robots = ingested.node.page.robots;
      if (job->bulk) return mailbox->put(std::move(page));
      page.page = ingested.node.page;
      if (deep) read_closely(*job, page.page);
      if (looks) page.looks = ingested.node.observations;
      if (!observed) return mailbox->put(std::move(page));
      auto seen = std::make_shared<std::pair<Node, std::vector<Link>>>(ingested.node, ingested.links);
      if (deep) seen->first.page = page.page;
      page.observed = std::move(seen);
    } catch (const std::exception& failure) {  // without its links, but the task goes on
      log::error(Room::robot, "work_failed", {{"in", "a page's links"}, {"reason", failure.what()}});
    }
    mailbox->put(std::move(page));
  };
  return arrival;
}

// To the memory. For a page, the ingest answers with its links: arrived(). False: it was not taken.
Task<bool> RobotEngine::hand_on(std::shared_ptr<RobotJob> job) {
  if (is_refusal(job->fetched) || says_nothing(*job)) co_return true;
  const bool is_page = !job->fetched.error && job->fetched.status >= 200 && job->fetched.status < 300;
  Arrival arrival = arrival_of(job, is_page);
  for (;;) {
    // Asked first: who finds nothing waiting and is turned away is too large, and not too early.
    const bool idle = options_.ingest->queued() == 0;
    if (options_.ingest->submit(std::move(arrival))) co_return true;
    if (!is_page) co_return true;  // the memory is busy; an error is not worth waiting for
    if (idle && arrival.body.size() > kSurelyFits) {
      arrival.body.resize(arrival.body.size() / 2);
      arrival.body_complete = false;
      continue;
    }
    Timer pause{reactor_.executor()};
    pause.expires_after(kIngestFull);
    co_await pause.async_wait(as_result);
    if (stopping_ || !find(job->task)) co_return false;
  }
}

// Until then it takes no place that others could use, and nobody who stops the robot waits for it.
bool RobotEngine::retry(const std::shared_ptr<RobotJob>& job) {
  const auto task = find(job->task);
  if (!task || job->unreachable || !may_pass(job->fetched) || job->entry.attempts + 1 >= (*task)->spec.max_attempts)
    return false;
  const Duration wait = options_.retry_after * (1u << std::min(job->entry.attempts, 10u));
  ++job->entry.attempts;
  ++(*task)->statistics.retries;
  const std::string key = job->entry.key;
  (*task)->resting[key] = job->entry;
  leave(**task, *job);
  later(wait, [this, id = job->task, key] { try_again(id, key); });
  return true;
}

// Back to its place in the queue: whether and when it is fetched is decided there.
void RobotEngine::try_again(TaskId id, const std::string& key) {
  const auto task = find(id);
  if (!task) return;
  auto entry = (*task)->resting.extract(key);
  if (entry) (*task)->window->put_back(std::move(entry.mapped()));
}

void RobotEngine::ended(const std::shared_ptr<RobotJob>& job) {
  const auto task = find(job->task);
  if (!task) return;
  const bool is_redirect = !job->fetched.error && job->fetched.status >= 300 && job->fetched.status < 400 &&
                           job->fetched.headers.has(HeaderId::location);
  if (is_redirect) {
    redirected(**task, *job);
  } else {
    failed(**task, *job);
  }
}

void RobotEngine::release(RobotTask& task, RobotJob& job) {
  task.window->done(job.entry.key);
  leave(task, job);
}

// Its place is free.
void RobotEngine::leave(RobotTask& task, const RobotJob& job) {
  const std::string key = job.entry.key;
  if (task.jobs.erase(key) == 0) return;
  task.statistics.under_way = task.jobs.size();
  --under_way_;
  if (stopping_) wake_.notify();
}

// The last thing that is done with an entry: an observer may remove the task.
void RobotEngine::tell(const RobotJob& job, const std::shared_ptr<const TaskObserver>& own, std::string redirects_to) {
  if ((observers_.empty() && !own) || job.entry.again) return;
  const Fetched& fetched = job.fetched;
  RobotFetch fetch;
  fetch.task = job.task;
  fetch.url = job.url.href_without_fragment();
  fetch.status = fetched.status;
  fetch.error = node_error(fetched);
  if (fetched.error) fetch.error_text = fetched.error->detail;
  fetch.redirects_to = std::move(redirects_to);
  if (!fetched.from_store()) fetch.first_byte = fetched.first_byte;
  fetch.refused = is_refusal(fetched);
  fetch.storage = storage_of(job.url, fetched.headers, options_.rules);
  each_observer(job.task, own, [&fetch](const TaskObserver& observer) {
    if (observer.on_fetch) observer.on_fetch(fetch);
  });
}

void RobotEngine::failed(RobotTask& task, RobotJob& job) {
  Frontier::Batch batch{*frontier_, task.id};
  if (is_refusal(job.fetched)) {
    task.count_rejected(Reason::address);
    batch.finish(job.entry, UrlFate::State::rejected, Reason::address, job.fetched.error->detail);
  } else {
    task.count_failed();
    batch.finish(job.entry, UrlFate::State::failed, Reason::error, words(job.fetched));
  }
  plan_look_after_failure(task, batch, job.entry);
  if (!conclude(task, batch)) return release(task, job);
  const std::shared_ptr<const TaskObserver> own = task.observer;
  release(task, job);
  tell(job, own);
}

// RFC 9110 section 15.4: the target is another URL, checked and queued as one.
void RobotEngine::redirected(RobotTask& task, RobotJob& job) {
  Frontier::Batch batch{*frontier_, task.id};
  ++task.statistics.redirects;
  job.fetched.from_store() ? task.count_cache_hit()
                           : task.count_downloaded(job.fetched.verdict == CacheVerdict::revalidated);
  batch.finish(job.entry, UrlFate::State::fetched, Reason::none, words(job.fetched));
  const Result<Url> target = Url::parse(*job.fetched.headers.find(HeaderId::location), &job.url);
  FoundLink link;
  if (target && target->is_http()) {
    link = make_found_link(frontier_->naming(), *target, LinkKind::redirect);
  } else {
    link.id = frontier_->id_of(*job.fetched.headers.find(HeaderId::location));
  }
  Source source;
  source.page = &job.url;
  source.cash = cash_of(task, job);
  source.remaining = job.entry.remaining;
  source.depth = job.entry.depth;
  source.redirects = static_cast<std::uint8_t>(job.entry.redirects + 1);
  if (source.redirects > kMostRedirects) source.all = {Reason::redirects, fmt::format("more than {}", kMostRedirects)};
  if (job.forgotten_links && job.forgotten_links->means(link.url.href())) source.all = {Reason::forgotten, {}};
  plan_look_after_failure(task, batch, job.entry);  // it may come back
  file(task, batch, {&link, 1}, source);
  if (!conclude(task, batch)) return release(task, job);
  const std::shared_ptr<const TaskObserver> own = task.observer;
  release(task, job);
  tell(job, own, target ? target->href() : std::string{});
}

}  // namespace outrider
