#include "cache/json_ld.hpp"

#include "cache/page_dates.hpp"
#include "cache/page_limits.hpp"

#include <boost/json.hpp>

#include <vector>

namespace outrider {
namespace {

namespace json = boost::json;

// Ranks between the <meta> made for search engines and the ones that blogs made up.
constexpr int kRank = 2;
constexpr int kFallbackRank = 5;

std::string_view as_text(const json::value& value) {
  return value.is_string() ? std::string_view(value.get_string()) : std::string_view{};
}

// A name may be given as text, as an object with a "name" (or "url"), or as a list of those: the first one counts.
std::string_view name_in(const json::value& value, std::string_view member) {
  const json::value* at = &value;
  if (at->is_array()) {
    if (at->get_array().empty()) return {};
    at = &at->get_array().front();
  }
  if (at->is_object()) {
    at = at->get_object().if_contains(member);
    if (at == nullptr) return {};
  }
  if (at->is_array() && !at->get_array().empty()) at = &at->get_array().front();
  return as_text(*at);
}

void offer(Ranked<std::string>& into, int rank, std::string_view text, std::size_t limit) {
  if (!into.would_take(rank)) return;
  if (std::string clean = collapsed(text, limit); !clean.empty()) into.offer(rank, std::move(clean));
}

void offer(Ranked<std::optional<WallTime>>& into, int rank, std::string_view text) {
  if (!into.would_take(rank)) return;
  if (const auto date = parse_page_date(text)) into.offer(rank, date);
}

// Comments, reviews and offers on the page have dates and authors of their own.
bool is_about_the_page(const json::object& thing) {
  const json::value* type = thing.if_contains("@type");
  if (type == nullptr) return false;
  const std::string_view name = name_in(*type, "");
  for (const std::string_view part : {"Article", "Posting", "WebPage", "Page", "Report", "NewsArticle", "CreativeWork",
                                      "Recipe", "VideoObject", "HowTo", "Dataset", "Book"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

void note_page(const json::object& thing, HeadFacts& facts) {
  for (const auto& [name, value] : thing) {
    const std::string_view member = name;
    if (member == "datePublished") offer(facts.published, kRank, as_text(value));
    if (member == "dateModified") offer(facts.modified, kRank, as_text(value));
    if (member == "dateCreated") offer(facts.published, kFallbackRank, as_text(value));
    if (member == "author") offer(facts.author, kRank, name_in(value, "name"), page_limits::kShortText);
    if (member == "publisher") offer(facts.site_name, 3, name_in(value, "name"), page_limits::kShortText);
    if (member == "description") offer(facts.description, kFallbackRank, as_text(value), page_limits::kDescription);
    if (member == "image") offer(facts.image, 3, name_in(value, "url"), page_limits::kUrl);
    if (member == "headline") offer(facts.title, kFallbackRank, as_text(value), page_limits::kTitle);
  }
}

void note_site(const json::object& thing, HeadFacts& facts) {
  const json::value* type = thing.if_contains("@type");
  if (type == nullptr || name_in(*type, "") != "WebSite") return;
  if (const json::value* name = thing.if_contains("name")) {
    offer(facts.site_name, kRank, as_text(*name), page_limits::kShortText);
  }
}

}  // namespace

void read_json_ld(std::string_view text, HeadFacts& facts) {
  json::error_code error;
  json::parse_options options;
  options.max_depth = page_limits::kJsonLdDepth;
  options.allow_invalid_utf8 = true;
  const json::value root = json::parse(text, error, json::make_shared_resource<json::monotonic_resource>(), options);
  if (error) return;
  // The things said, in the order of the page: the root, the elements of a list, those of "@graph" and "mainEntity".
  std::vector<const json::value*> waiting{&root};
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const json::value& value = *waiting[i];
    const auto visit = [&waiting](const json::value& next) {
      if (waiting.size() < page_limits::kJsonLdObjects) waiting.push_back(&next);
    };
    if (value.is_array()) {
      for (const json::value& element : value.get_array()) visit(element);
    } else if (value.is_object()) {
      const json::object& thing = value.get_object();
      if (is_about_the_page(thing)) note_page(thing, facts);
      note_site(thing, facts);
      for (const std::string_view member : {"@graph", "mainEntity", "isPartOf"})
        if (const json::value* inner = thing.if_contains(member)) visit(*inner);
    }
  }
}

}  // namespace outrider
