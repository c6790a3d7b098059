// What came back of pages: their links are filed, their results written down, whoever waits is told. Pages of which
// nobody wants anything but the links are written together, and what has not changed is not read again.
#include "robot/robot.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider {
namespace {

constexpr std::size_t kTogether = 64;  // pages in one write

}  // namespace

// --- pages that have not changed

// Nobody looks at the page, or at what the memory knows of it, and nobody judges it: its links are all that is wanted.
bool RobotEngine::is_bulk(const RobotTask& task, const RobotJob& job) const {
  const TaskSpec& spec = task.spec;
  const bool judged = !task.judges.page_classifiers.empty() || !task.judges.page_filters.empty();
  return !job.entry.sitemap && !judged && !task.wants_link_texts() && !is_observed(task) && !spec.revisit &&
         !spec.interactive && !spec.content_seen_test && !spec.head_only && spec.first_bytes == 0 &&
         spec.apart.empty() && spec.keep;
}

// The page is in the store as it was when its links were written down. What the memory was never given it shall read.
bool RobotEngine::knows_links(RobotJob& job, std::uint64_t version) const {
  const std::optional<std::string> record = frontier_->links_of(job.entry.id);
  if (!record || version_of_links(*record) != version) return false;
  job.known_links = decode_links(frontier_->naming(), *record);
  return job.known_links && (job.known_links->remembered || !options_.ingest->remembers());
}

void RobotEngine::keep_links(Frontier::Batch& batch, const Scanned& page) const {
  const RobotJob& job = *page.job;
  if (!job.bulk || job.fetched.known || job.fetched.version == 0 || job.fetched.status != 200 || !job.fetched.complete)
    return;
  if (job.forgotten_links) return;  // not all of them
  KnownLinks head;
  head.version = job.fetched.version;
  head.nofollow = page.page.robots.nofollow;
  head.remembered = options_.ingest->remembers();
  if (std::string record = encode_links(head, page.links); !record.empty())
    batch.keep_links(job.entry.id, std::move(record));
}

// Its links are known, and the memory has read it or is about to: it only hears that somebody looked.
void RobotEngine::unchanged(const std::shared_ptr<RobotJob>& job) {
  if (job->fetched.verdict == CacheVerdict::revalidated && options_.ingest->remembers()) {
    Arrival arrival = arrival_of(job, false);
    arrival.status = 304;
    arrival.may_wait = true;
    (void)options_.ingest->submit(std::move(arrival));  // not worth waiting for
  }
  Scanned page;
  page.job = job;
  page.links = std::move(job->known_links->links);
  page.page.robots.nofollow = job->known_links->nofollow;
  mailbox_->put(std::move(page));  // with others that come at the same moment
}

// --- results

// What one of them files the next one finds in `decided` alone: it is not on disk yet. That is enough where no link
// changes an entry that waits.
bool RobotEngine::go_together(const RobotJob& one, const RobotJob& other) const {
  const auto goes = [](const RobotJob& job) { return job.bulk && job.entry.remaining == kEndless; };
  if (one.task != other.task || !goes(one) || !goes(other)) return false;
  const auto task = find(one.task);
  return task && (*task)->spec.depth == kUnlimitedDepth && !(*task)->counts_in_links();
}

void RobotEngine::arrived(std::vector<Scanned> pages) {
  for (std::size_t begin = 0, end = 0; begin < pages.size(); begin = end) {
    for (end = begin + 1; end < pages.size() && end - begin < kTogether; ++end)
      if (!go_together(*pages[begin].job, *pages[end].job)) break;
    const std::span<Scanned> some = std::span{pages}.subspan(begin, end - begin);
    guarded("pages", [&] { scanned(some); });
    // It failed half-way: they stay in the queue for the next start.
    for (const Scanned& page : some)
      if (RobotTask* const task = task_of(*page.job)) release(*task, *page.job);
  }
  pump();
}

// nullptr: it is not under way any more.
RobotTask* RobotEngine::task_of(const RobotJob& job) const {
  const auto task = find(job.task);
  return task && (*task)->jobs.contains(job.entry.key) ? *task : nullptr;
}

// All of one task.
void RobotEngine::scanned(std::span<Scanned> pages) {
  RobotTask* task = nullptr;
  for (const Scanned& page : pages)
    if (task == nullptr) task = task_of(*page.job);
  if (task == nullptr) return;
  for (Scanned& page : pages)
    if (page.job->forgotten_links)
      std::erase_if(page.links,
                    [&page](const FoundLink& link) { return page.job->forgotten_links->means(link.url.href()); });
  if (pages.front().job->entry.sitemap) return sitemap_read(*task, pages.front());
  Frontier::Batch batch{*frontier_, task->id};
  Decided decided;
  std::vector<Scanned*> results;
  try {
    for (Scanned& page : pages) {
      if (task_of(*page.job) == nullptr) continue;
      const bool is_result = digest(*task, batch, decided, page);
      if (!is_result) page.observed.reset();
      results.push_back(&page);
    }
  } catch (...) {  // nothing of it is written
    task->statistics = task->written;
    task->statistics.under_way = task->jobs.size();
    task->filed.clear();
    throw;
  }
  const bool is_written = conclude(*task, batch).has_value();  // nobody hears of it before
  const TaskId id = task->id;
  const bool need_source = task->spec.need_source;
  const std::shared_ptr<const TaskObserver> own = task->observer;
  for (const Scanned* page : results) release(*task, *page->job);
  if (!is_written) return;
  for (const Scanned* page : results) {  // the observers may remove the task
    tell(*page->job, own);
    if (!page->observed) continue;
    const std::string_view source = need_source ? std::string_view{page->job->fetched.body} : std::string_view{};
    each_observer(id, own, [&](const TaskObserver& observer) {
      if (observer.on_page) observer.on_page({id, page->observed->first, page->observed->second, source});
    });
  }
}

// True: it is a result of the task, not only a page on the way.
bool RobotEngine::digest(RobotTask& task, Frontier::Batch& batch, Decided& decided, Scanned& page) {
  RobotJob& job = *page.job;
  job.fetched.from_store() ? task.count_cache_hit()
                           : task.count_downloaded(job.fetched.verdict == CacheVerdict::revalidated);
  if (!job.entry.again || !job.fetched.from_store()) task.statistics.bytes += job.fetched.body_size;
  batch.finish(job.entry, UrlFate::State::fetched, Reason::none, fmt::format("status {}", job.fetched.status));
  Source source;
  source.page = &job.url;
  source.cash = cash_of(task, job) / static_cast<std::uint32_t>(std::max<std::size_t>(page.links.size(), 1));
  source.deep_enough = job.entry.remaining > 0;
  if (source.deep_enough) source.remaining = one_less(job.entry.remaining);
  source.depth = static_cast<std::uint16_t>(job.entry.depth + 1);
  source.all = task.rules->check_type(job.fetched.headers.find(HeaderId::content_type).value_or(""));
  if (task.spec.content_seen_test && !source.all && !job.fetched.body.empty() && !job.entry.again) {
    // The memory's fingerprint may be that of a former version, or not be there yet: only one that was just made
    // counts.
    const bool by_text = task.judges.need_text() && page.page.fingerprint != 0;
    const UrlId content =
        frontier_->id_of(by_text ? fmt::format("text {}", page.page.fingerprint) : "bytes " + job.fetched.body);
    SeenMark mark;
    frontier_->look_up(task.id, {&content, 1}, {&mark, 1});
    if (mark.state != UrlFate::State::unknown) {
      ++task.statistics.content_seen;
      source.all = {Reason::content_seen, job.entry.url};
    } else {
      batch.reject(content, Reason::content_seen, job.entry.url);
    }
  }
  const PageView view{job.url, job.fetched.status, page.page, page.links};
  const Attributes attributes = task.judges.judge(view);
  if (!source.all) {
    UrlDecision decision = task.judges.decide(view, attributes);
    if (decision.decision == Decision::reject) source.all = {Reason::page_filter, std::move(decision.reason)};
  }
  if (task.wants_link_texts()) {
    source.view = &view;
    source.attributes = &attributes;
  }
  const bool is_result = !source.all;
  // Such a page is a result like others, only its links are not.
  if (is_result && page.page.robots.nofollow && !task.spec.follow_nofollow)
    source.all = {Reason::nofollow, "the page says so"};
  const std::uint64_t simhash = task.judges.need_text() ? page.page.simhash : 0;
  task.traps->fetched(job.url, {simhash, job.fetched.body_size, {}, job.fetched.cut, false});
  if (is_result && !job.entry.again && !job.entry.revisit) ++task.statistics.pages;
  if (task.spec.revisit && !job.entry.again) plan_look(task, batch, job, page.looks);
  file(task, batch, page.links, source, decided);
  keep_links(batch, page);
  return is_result;
}

}  // namespace outrider
