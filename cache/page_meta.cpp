#include "cache/page_meta.hpp"

#include "cache/page_dates.hpp"
#include "cache/page_limits.hpp"

#include <algorithm>

namespace outrider {
namespace {

using html_names::key;

void note_date(Ranked<std::optional<WallTime>>& into, int rank, std::string_view text) {
  if (!into.would_take(rank)) return;
  if (const auto date = parse_page_date(text)) into.offer(rank, date);
}

void note_text(Ranked<std::string>& into, int rank, std::string_view text, std::size_t limit) {
  if (!into.would_take(rank)) return;
  if (std::string clean = collapsed(text, limit); !clean.empty()) into.offer(rank, std::move(clean));
}

bool looks_like_url(std::string_view text) {
  text = trim_html_space(text);
  return text.starts_with("http://") || text.starts_with("https://") || text.starts_with("//");
}

}  // namespace

void note_meta(std::string_view name, std::string_view content, HeadFacts& facts) {
  using namespace page_limits;
  switch (html_name_key(name)) {
    case key("description"):
      return note_text(facts.description, 1, content, kDescription);
    case key("og:description"):
      return note_text(facts.description, 2, content, kDescription);
    case key("twitter:description"):
    case key("dc.description"):
    case key("dcterms.description"):
      return note_text(facts.description, 3, content, kDescription);
    case key("keywords"):
    case key("news_keywords"):
      return note_keywords(content, facts.keywords);
    case key("author"):
      return note_text(facts.author, 1, content, kShortText);
    case key("dc.creator"):
    case key("dcterms.creator"):
    case key("citation_author"):
    case key("parsely-author"):
    case key("article:author"):
      if (looks_like_url(content)) return;  // a profile, not a name
      return note_text(facts.author, 3, content, kShortText);
    case key("og:title"):
      return note_text(facts.title, 2, content, kTitle);  // only where <title> is missing
    case key("twitter:title"):
      return note_text(facts.title, 3, content, kTitle);
    case key("og:site_name"):
      return note_text(facts.site_name, 1, content, kShortText);
    case key("application-name"):
      return note_text(facts.site_name, 2, content, kShortText);
    case key("twitter:site"):
      return note_text(facts.site_name, 4, content, kShortText);
    case key("og:image:secure_url"):
    case key("og:image"):
    case key("og:image:url"):
      return note_text(facts.image, 1, content, kUrl);
    case key("twitter:image"):
    case key("twitter:image:src"):
      return note_text(facts.image, 2, content, kUrl);
    case key("robots"):
    case key("outrider"):
      return note_robots(content, facts.robots);
    case key("article:published_time"):
    case key("datepublished"):
      return note_date(facts.published, 1, content);
    case key("og:published_time"):
    case key("citation_publication_date"):
    case key("citation_online_date"):
    case key("citation_date"):
    case key("parsely-pub-date"):
    case key("dcterms.issued"):
    case key("dc.date.issued"):
    case key("dcterms.created"):
    case key("dc.date.created"):
      return note_date(facts.published, 3, content);
    case key("pubdate"):
    case key("publishdate"):
    case key("publish-date"):
    case key("publish_date"):
    case key("sailthru.date"):
    case key("article.published"):
    case key("date"):
    case key("dc.date"):
    case key("dcterms.date"):
      return note_date(facts.published, 4, content);
    case key("article:modified_time"):
    case key("datemodified"):
      return note_date(facts.modified, 1, content);
    case key("og:updated_time"):
    case key("dcterms.modified"):
    case key("dc.date.modified"):
      return note_date(facts.modified, 3, content);
    case key("last-modified"):
    case key("lastmod"):
    case key("revised"):
      return note_date(facts.modified, 4, content);
    default:
      return;
  }
}

void note_robots(std::string_view list, RobotsDirectives& robots) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view word = trim_html_space(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    const HtmlNameKey directive = html_name_key(word);
    const bool none = directive == key("none");
    if (none || directive == key("noindex")) robots.noindex = true;
    if (none || directive == key("nofollow")) robots.nofollow = true;
    if (directive == key("noarchive") || directive == key("nocache")) robots.noarchive = true;
    if (directive == key("nosnippet") || same_html_name(word, "max-snippet:0")) robots.nosnippet = true;
  }
}

void note_keywords(std::string_view list, std::vector<std::string>& keywords) {
  const char separator = list.find(',') != std::string_view::npos ? ',' : ';';
  while (!list.empty() && keywords.size() < page_limits::kKeywords) {
    const std::size_t end = list.find(separator);
    std::string word = collapsed(list.substr(0, end), page_limits::kShortText);
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
    if (!word.empty() && std::find(keywords.begin(), keywords.end(), word) == keywords.end()) {
      keywords.push_back(std::move(word));
    }
  }
}

std::optional<std::string_view> refresh_target(std::string_view content) {
  const auto skip_space = [&content] {
    while (!content.empty() && is_html_space(content.front())) content.remove_prefix(1);
  };
  const auto is_number = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  skip_space();
  if (content.empty() || !is_number(content.front())) return std::nullopt;
  while (!content.empty() && is_number(content.front())) content.remove_prefix(1);
  if (content.empty()) return std::string_view{};
  if (content.front() != ';' && content.front() != ',' && !is_html_space(content.front())) return std::nullopt;
  skip_space();
  if (!content.empty() && (content.front() == ';' || content.front() == ',')) content.remove_prefix(1);
  skip_space();
  if (same_html_name(content.substr(0, 3), "url")) {
    std::string_view after = content.substr(3);
    while (!after.empty() && is_html_space(after.front())) after.remove_prefix(1);
    if (after.starts_with('=')) {
      content = after.substr(1);
      skip_space();
    }
  }
  if (!content.empty() && (content.front() == '"' || content.front() == '\'')) {
    const char quote = content.front();
    content.remove_prefix(1);
    content = content.substr(0, content.find(quote));
  }
  return content;
}

std::string language_tag(std::string_view text) {
  text = trim_html_space(text.substr(0, text.find(',')));
  if (text.size() < 2 || text.size() > page_limits::kLanguageTag) return {};
  std::string tag{text};
  for (char& c : tag) {
    if (c == '_') c = '-';
    const char lower = html_lower(c);
    if (c != '-' && !(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9')) return {};
  }
  return tag;
}

}  // namespace outrider
