#include "cache/graph_records.hpp"

namespace outrider::graph {
namespace {

std::uint32_t robots_bits(const RobotsDirectives& robots) {
  return (robots.noindex ? 1u : 0u) | (robots.nofollow ? 2u : 0u) | (robots.noarchive ? 4u : 0u) |
         (robots.nosnippet ? 8u : 0u);
}

}  // namespace

std::int64_t to_ms(WallTime time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

WallTime from_ms(std::int64_t ms) {
  return WallTime{std::chrono::milliseconds{ms}};
}

void write_page(const PageContent& page, records::PageRecord& record) {
  record.Clear();
  record.set_charset(page.charset);
  record.set_title(page.title);
  record.set_description(page.description);
  for (const std::string& keyword : page.keywords) record.add_keywords(keyword);
  record.set_author(page.author);
  record.set_declared_language(page.declared_language);
  record.set_language(page.language.code);
  record.set_language_confidence(page.language.confidence);
  record.set_language_letters(page.language.letters);
  record.set_canonical(page.canonical);
  record.set_site_name(page.site_name);
  record.set_image(page.image);
  record.set_favicon(page.favicon);
  if (page.published) record.set_published(to_ms(*page.published));
  if (page.modified) record.set_modified(to_ms(*page.modified));
  for (const Heading& heading : page.headings) {
    records::HeadingRecord& written = *record.add_headings();
    written.set_level(heading.level);
    written.set_text(heading.text);
  }
  record.set_word_count(page.word_count);
  record.set_reading_seconds(page.reading_seconds);
  record.set_robots(robots_bits(page.robots));
  record.set_fingerprint(page.fingerprint);
  record.set_simhash(page.simhash);
  record.set_deep(page.deep);
}

PageContent read_page(const records::PageRecord& record) {
  PageContent page;
  page.charset = record.charset();
  page.title = record.title();
  page.description = record.description();
  page.keywords.assign(record.keywords().begin(), record.keywords().end());
  page.author = record.author();
  page.declared_language = record.declared_language();
  page.language = {record.language(), record.language_confidence(), record.language_letters()};
  page.canonical = record.canonical();
  page.site_name = record.site_name();
  page.image = record.image();
  page.favicon = record.favicon();
  if (record.has_published()) page.published = from_ms(record.published());
  if (record.has_modified()) page.modified = from_ms(record.modified());
  for (const records::HeadingRecord& heading : record.headings())
    page.headings.push_back({static_cast<std::uint8_t>(heading.level()), heading.text()});
  page.word_count = record.word_count();
  page.reading_seconds = record.reading_seconds();
  const std::uint32_t robots = record.robots();
  page.robots = {(robots & 1) != 0, (robots & 2) != 0, (robots & 4) != 0, (robots & 8) != 0};
  page.fingerprint = record.fingerprint();
  page.simhash = record.simhash();
  page.deep = record.deep();
  return page;
}

Node read_node(const records::NodeRecord& record) {
  Node node;
  node.fetched_by = static_cast<FetchedBy>(record.fetched_by());
  node.status = static_cast<int>(record.status());
  node.error = static_cast<NodeError>(record.error());
  node.error_text = record.error_text();
  node.redirects_to = record.redirects_to();
  node.mime = record.mime();
  node.wire_size = record.wire_size();
  node.decoded_size = record.decoded_size();
  node.etag = record.etag();
  node.last_modified = record.last_modified();
  node.page = read_page(record.page());
  node.partial = record.partial();
  node.page_at = from_ms(record.page_at());
  node.first_seen = from_ms(record.first_seen());
  node.last_fetched = from_ms(record.last_fetched());
  node.last_changed = from_ms(record.last_changed());
  for (const std::int64_t seen : record.observations())
    node.observations.push_back({from_ms(seen >> 1), (seen & 1) != 0});
  node.fetches = record.fetches();
  node.out_degree = record.out_degree();
  node.has_text = record.text_size() != 0;
  node.has_body = record.body_size() != 0;
  return node;
}

bool was_answered(const records::NodeRecord& record) {
  const bool now = record.status() >= 200 && record.status() < 300;
  return record.answered() || now || record.page().ByteSizeLong() != 0;  // the latter: former versions did not say
}

bool has_words(const records::NodeRecord& record) {
  return record.text_size() != 0 || !record.page().title().empty();
}

void write_link(const Link& link, records::LinkRecord& record) {
  record.set_target(link.target);
  record.set_kind(static_cast<std::uint32_t>(link.kind));
  record.set_reach(static_cast<std::uint32_t>(link.reach));
  record.set_flags(link.flags);
  record.set_text(link.text);
  record.set_rel(link.rel);
  record.set_hreflang(link.hreflang);
  record.set_position(link.position);
}

Link read_link(const records::LinkRecord& record) {
  Link link;
  link.target = record.target();
  link.kind = static_cast<LinkKind>(record.kind());
  link.reach = static_cast<LinkReach>(record.reach());
  link.flags = static_cast<std::uint16_t>(record.flags());
  link.text = record.text();
  link.rel = record.rel();
  link.hreflang = record.hreflang();
  link.position = record.position();
  return link;
}

Visit read_visit(const records::VisitRecord& record) {
  Visit visit;
  visit.at = from_ms(record.at());
  visit.url = record.url();
  visit.title = record.title();
  visit.referrer = record.referrer();
  visit.came_from = record.came_from();
  visit.link_text = record.link_text();
  return visit;
}

void write_visit(const Visit& visit, records::VisitRecord& record) {
  record.set_at(to_ms(visit.at));
  record.set_url(visit.url);
  record.set_title(visit.title);
  record.set_referrer(visit.referrer);
  record.set_came_from(visit.came_from);
  record.set_link_text(visit.link_text);
}

}  // namespace outrider::graph
