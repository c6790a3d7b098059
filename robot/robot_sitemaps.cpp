// Sitemaps: lists of pages that a site wants to be found. They are queued, fetched and written down like pages, so that
// they are as polite and survive as much; what they name is filed like start pages.
#include "base/content_coding.hpp"
#include "robot/robot.hpp"
#include "robot/sitemap.hpp"

#include <set>

namespace outrider {
namespace {

constexpr std::size_t kMostDecoded = 64 << 20;

FoundLink sitemap_at(const UrlNaming& naming, const Url& url) {
  FoundLink link = make_found_link(naming, url, LinkKind::anchor);
  link.sitemap = true;
  return link;
}

// Nothing: it cannot be read. What is there of one that was cut off is read.
std::optional<std::string> decoded(std::string_view bytes, std::string_view coding) {
  DecodeLimits limits;
  limits.size = kMostDecoded;
  Result<ContentDecoder> decoder = ContentDecoder::create(coding, limits);
  if (!decoder) return std::nullopt;
  std::string text;
  const auto append = [&text](std::string_view piece) { text.append(piece); };
  const Result<void> read = decoder->feed(bytes, append);
  if (!read && text.empty()) return std::nullopt;
  return text;
}

}  // namespace

std::vector<FoundLink> RobotEngine::sitemaps_of_starts(const RobotTask& task) const {
  std::set<std::string> places;
  for (const std::string& start : task.spec.start) places.insert(std::string{host_of(start)} + "/sitemap.xml");
  std::vector<FoundLink> links;
  for (const std::string& place : places)
    if (const Result<Url> url = Url::parse(place)) links.push_back(sitemap_at(frontier_->naming(), *url));
  return links;
}

// Its robots.txt is known now: those that it names come, too.
bool RobotEngine::file_named_sitemaps(RobotTask& task, const std::string& host) {
  if (!task.sitemaps_of_hosts.insert(host).second) return false;
  std::vector<FoundLink> links;
  for (const std::string& place : host_state(host).robots.sitemaps())
    if (const Result<Url> url = Url::parse(place); url && url->is_http())
      links.push_back(sitemap_at(frontier_->naming(), *url));
  if (links.empty()) return false;
  Frontier::Batch batch{*frontier_, task.id};
  Source source;
  source.remaining = remaining_from(task.spec.depth);
  file(task, batch, links, source);
  if (!conclude(task, batch)) task.sitemaps_of_hosts.erase(host);
  return true;
}

// By a thread of the ingest.
std::vector<FoundLink> RobotEngine::links_of_sitemap(const UrlNaming& naming, const RobotJob& job, bool any_host) {
  std::vector<FoundLink> links;
  std::optional<std::string> text = decoded(job.fetched.body, job.fetched.headers.joined(HeaderId::content_encoding));
  if (text && text->starts_with("\x1f\x8b")) text = decoded(*text, "gzip");  // sitemap.xml.gz, as it is
  if (!text) return links;
  const Sitemap sitemap = read_sitemap(*text, job.url, any_host);
  for (const Url& url : sitemap.sitemaps) links.push_back(sitemap_at(naming, url));
  for (const SitemapPage& page : sitemap.pages) {
    links.push_back(make_found_link(naming, page.url, LinkKind::anchor));
    links.back().position = static_cast<std::uint32_t>(links.size() - 1);
  }
  return links;
}

void RobotEngine::sitemap_read(RobotTask& task, Scanned& page) {
  RobotJob& job = *page.job;
  Frontier::Batch batch{*frontier_, task.id};
  job.fetched.from_store() ? task.count_cache_hit()
                           : task.count_downloaded(job.fetched.verdict == CacheVerdict::revalidated);
  task.statistics.bytes += job.fetched.body.size();
  batch.finish(job.entry, UrlFate::State::fetched, Reason::none, "a sitemap");
  Source source;  // what it names stands beside the start pages, if the task's rules let it pass
  source.page = &job.url;
  source.remaining = remaining_from(task.spec.depth);
  file(task, batch, page.links, source);
  (void)conclude(task, batch);
  release(task, job);
}

}  // namespace outrider
