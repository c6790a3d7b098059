#include "cache/page_headers.hpp"

#include "base/html_name.hpp"
#include "base/http_chars.hpp"
#include "base/http_lists.hpp"
#include "cache/link_rel.hpp"
#include "cache/page_limits.hpp"
#include "cache/page_meta.hpp"

#include <utility>

namespace outrider {
namespace {

struct LinkValue {
  std::string_view target;
  std::string rel, type, hreflang, title;
  bool about_another = false;  // it has an anchor: it is no link from this page
};

// RFC 8288 section 3 and appendix B.2: the URL stands between < and >, where commas and semicolons are its own.
class LinkFieldReader {
 public:
  explicit LinkFieldReader(std::string_view field) : rest_(field) {}

  std::optional<LinkValue> next() {
    const std::size_t open = rest_.find('<');
    if (open == std::string_view::npos) return std::nullopt;
    const std::size_t close = rest_.find('>', open);
    if (close == std::string_view::npos) return std::nullopt;
    LinkValue value;
    value.target = rest_.substr(open + 1, close - open - 1);
    rest_.remove_prefix(close + 1);
    const std::string_view parameters = rest_.substr(0, end_of_value());
    rest_.remove_prefix(parameters.size());
    ListReader list{parameters, ';'};
    while (const auto element = list.next()) note(parse_parameter(*element), value);
    return value;
  }

 private:
  // The comma that ends this value, outside quotes.
  std::size_t end_of_value() const {
    bool in_quotes = false;
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      if (in_quotes && rest_[at] == '\\') {
        ++at;
      } else if (rest_[at] == '"') {
        in_quotes = !in_quotes;
      } else if (rest_[at] == ',' && !in_quotes) {
        return at;
      }
    }
    return rest_.size();
  }

  static void note(const Parameter& parameter, LinkValue& value) {
    const auto set = [&parameter](std::string& into) {
      if (into.empty()) into = unquote(parameter.value);  // the first one counts (section 3.3)
    };
    if (same_html_name(parameter.name, "rel")) set(value.rel);
    if (same_html_name(parameter.name, "type")) set(value.type);
    if (same_html_name(parameter.name, "hreflang")) set(value.hreflang);
    if (same_html_name(parameter.name, "title")) set(value.title);
    if (same_html_name(parameter.name, "anchor")) value.about_another = true;
  }

  std::string_view rest_;
};

bool add_link(PageScan& scan, const Url& page, std::string_view target, Link link) {
  if (scan.links.size() >= page_limits::kLinks) return false;
  const Result<Url> url = Url::parse(target, &page);
  if (!url || !url->is_http() || url->href().size() > page_limits::kUrl) return false;
  link.target = url->href();
  link.reach = reach_of(*url, page);
  link.position = static_cast<std::uint32_t>(scan.links.size());
  scan.links.push_back(std::move(link));
  return true;
}

void note_link_field(PageScan& scan, const Url& page, std::string_view field) {
  LinkFieldReader reader{field};
  while (const auto value = reader.next()) {
    const LinkRel rel = parse_rel(value->rel);
    if (value->about_another || rel.tokens.empty()) continue;
    Link link;
    link.kind = kind_of_link(rel, value->type, !value->hreflang.empty());
    link.flags = rel.flags;
    link.rel = rel.tokens;
    link.hreflang = collapsed(value->hreflang, page_limits::kLanguageTag);
    link.text = collapsed(value->title, page_limits::kLinkText);
    const bool is_canonical = link.kind == LinkKind::canonical;
    if (!add_link(scan, page, value->target, std::move(link))) continue;
    const std::string& target = scan.links.back().target;
    if (is_canonical && scan.page.canonical.empty()) scan.page.canonical = target;
    if (rel.is_icon && scan.page.favicon.empty()) scan.page.favicon = target;
  }
}

// "noindex, nofollow", "otherbot: noindex", "outrider: none". What is said to another robot is not said to us.
void note_robots_field(RobotsDirectives& robots, std::string_view field) {
  const std::size_t colon = field.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view before = trim_ows(field.substr(0, colon));
    const bool is_directive = before.find(',') != std::string_view::npos || same_html_name(before, "max-snippet") ||
                              same_html_name(before, "max-image-preview") ||
                              same_html_name(before, "max-video-preview") ||
                              same_html_name(before, "unavailable_after");
    if (!is_directive) {
      if (!same_html_name(before, "outrider")) return;
      field = field.substr(colon + 1);
    }
  }
  note_robots(field, robots);
}

}  // namespace

void apply_headers(PageScan& scan, const Url& page, const HeaderMap& headers) {
  headers.each(HeaderId::link, [&](const HeaderField& field) { note_link_field(scan, page, field.value); });
  headers.each(HeaderId::x_robots_tag,
               [&](const HeaderField& field) { note_robots_field(scan.page.robots, field.value); });
  if (scan.page.declared_language.empty()) {
    if (const auto language = headers.find(HeaderId::content_language)) {
      scan.page.declared_language = language_tag(*language);
    }
  }
  if (const auto refresh = headers.find("Refresh")) {
    if (const auto target = refresh_target(*refresh); target && !target->empty()) {
      Link link;
      link.kind = LinkKind::meta_refresh;
      add_link(scan, page, *target, std::move(link));
    }
  }
}

}  // namespace outrider
