#include "webui/memory_json.hpp"

#include "webui/paging.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <cmath>

namespace outrider::webui {
namespace {

std::string_view words(FetchedBy by) {
  return by == FetchedBy::browser ? "browser" : by == FetchedBy::robot ? "robot" : "nobody";
}

std::string_view words(StorageClass storage) {
  return storage == StorageClass::open ? "open" : storage == StorageClass::personal ? "personal" : "never";
}

json::value shown(const std::optional<WallTime>& time) {
  return time ? shown_or_null(*time) : json::value(nullptr);
}

// As in <meta name=robots>.
json::array json_of(const RobotsDirectives& robots) {
  json::array out;
  if (robots.noindex) out.emplace_back("noindex");
  if (robots.nofollow) out.emplace_back("nofollow");
  if (robots.noarchive) out.emplace_back("noarchive");
  if (robots.nosnippet) out.emplace_back("nosnippet");
  return out;
}

// JSON's numbers end at 53 bits.
std::string digits(std::uint64_t number) {
  return number == 0 ? "" : fmt::format("{:016x}", number);
}

json::object json_of(const PageContent& page) {
  json::array headings;
  for (const Heading& heading : page.headings)
    headings.push_back(json::object{{"level", heading.level}, {"text", heading.text}});
  json::object out{{"title", page.title},
                   {"description", page.description},
                   {"keywords", json::array(page.keywords.begin(), page.keywords.end())},
                   {"author", page.author},
                   {"language", page.language.code.empty() ? page.declared_language : page.language.code},
                   {"declared_language", page.declared_language},
                   {"language_confidence", std::round(page.language.confidence * 100) / 100},
                   {"charset", page.charset},
                   {"canonical", page.canonical},
                   {"site_name", page.site_name},
                   {"image", page.image},
                   {"favicon", page.favicon},
                   {"published", shown(page.published)},
                   {"modified", shown(page.modified)},
                   {"headings", std::move(headings)},
                   {"word_count", page.word_count},
                   {"reading_seconds", page.reading_seconds},
                   {"robots", json_of(page.robots)},
                   {"fingerprint", digits(page.fingerprint)},
                   {"simhash", digits(page.simhash)}};
  if (!page.text.empty()) out["text"] = page.text;
  return out;
}

}  // namespace

json::object json_of(const Node& node) {
  json::array observations;
  for (const Observation& seen : node.observations)
    observations.push_back(json::object{{"at", shown(seen.at)}, {"changed", seen.changed}});
  return {{"url", node.url},
          {"storage", words(node.storage)},
          {"fetched_by", words(node.fetched_by)},
          {"status", node.status},
          {"error", to_string(node.error)},
          {"error_text", node.error_text},
          {"redirects_to", node.redirects_to},
          {"mime", node.mime},
          {"wire_size", node.wire_size},
          {"decoded_size", node.decoded_size},
          {"etag", node.etag},
          {"last_modified", node.last_modified},
          {"page", json_of(node.page)},
          {"first_seen", shown_or_null(node.first_seen)},
          {"last_fetched", shown_or_null(node.last_fetched)},
          {"last_changed", shown_or_null(node.last_changed)},
          {"observations", std::move(observations)},
          {"fetches", node.fetches},
          {"visits", node.visit_count},
          {"last_visit", shown_or_null(node.last_visit)},
          {"in_degree", node.in_degree},
          {"out_degree", node.out_degree},
          {"has_text", node.has_text},
          {"has_body", node.has_body}};
}

json::object json_of(const KnownLink& known) {
  const Link& link = known.link;
  json::array flags;
  static constexpr std::pair<std::uint16_t, std::string_view> kFlags[] = {
      {LinkFlags::nofollow, "nofollow"},     {LinkFlags::ugc, "ugc"},
      {LinkFlags::sponsored, "sponsored"},   {LinkFlags::noopener, "noopener"},
      {LinkFlags::noreferrer, "noreferrer"}, {LinkFlags::new_window, "new_window"},
      {LinkFlags::download, "download"},     {LinkFlags::in_navigation, "in_navigation"}};
  for (const auto& [flag, name] : kFlags)
    if (link.has(flag)) flags.emplace_back(name);
  return {{"source", known.source},
          {"target", link.target},
          {"kind", to_string(link.kind)},
          {"reach", to_string(link.reach)},
          {"flags", std::move(flags)},
          {"text", link.text},
          {"rel", link.rel},
          {"hreflang", link.hreflang},
          {"position", link.position},
          {"first_seen", shown_or_null(known.first_seen)},
          {"last_seen", shown_or_null(known.last_seen)}};
}

// Numbers that may be beyond what JavaScript can count are texts.
json::object json_of(const Visit& visit) {
  return {{"id", std::to_string(visit.id)},
          {"at", shown_or_null(visit.at)},
          {"url", visit.url},
          {"title", visit.title},
          {"referrer", visit.referrer},
          {"came_from", visit.came_from == 0 ? json::value(nullptr) : json::value(std::to_string(visit.came_from))},
          {"link_text", visit.link_text}};
}

json::object json_of(const SearchHit& hit) {
  json::array highlights;
  for (const auto& [from, to] : hit.highlights) highlights.push_back(json::array{from, to});
  return {{"url", hit.url},
          {"title", hit.title},
          {"snippet", hit.snippet},
          {"highlights", std::move(highlights)},
          {"score", hit.score},
          {"language", hit.language},
          {"mime", hit.mime},
          {"last_fetched", shown_or_null(hit.last_fetched)},
          {"last_visit", shown_or_null(hit.last_visit)},
          {"visits", hit.visit_count},
          {"in_degree", hit.in_degree},
          {"folded", hit.folded}};
}

json::object json_of(const MemoryEvent& event) {
  return {{"kind", to_string(event.kind)},
          {"at", shown_or_null(event.at)},
          {"url", event.url},
          {"target", event.target},
          {"text", event.text}};
}

json::object json_of(const MemoryStats& stats) {
  return {{"nodes", stats.nodes},
          {"pages", stats.pages},
          {"links", stats.links},
          {"visits", stats.visits},
          {"events", stats.events},
          {"disk_bytes", stats.disk_bytes},
          {"text_bytes", stats.text_bytes},
          {"search_bytes", stats.search_bytes},
          {"ingest_queued", stats.ingest_queued},
          {"index_queued", stats.index_queued}};
}

}  // namespace outrider::webui
