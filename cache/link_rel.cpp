#include "cache/link_rel.hpp"

#include "base/escape.hpp"
#include "base/html_name.hpp"
#include "cache/page_limits.hpp"
#include "cache/page_text.hpp"

namespace outrider {
namespace {

std::uint16_t flag_of(HtmlNameKey token) {
  switch (token) {
    case html_name_key("nofollow"):
      return LinkFlags::nofollow;
    case html_name_key("ugc"):
      return LinkFlags::ugc;
    case html_name_key("sponsored"):
      return LinkFlags::sponsored;
    case html_name_key("noopener"):
      return LinkFlags::noopener;
    case html_name_key("noreferrer"):
      return LinkFlags::noreferrer;
    default:
      return 0;
  }
}

// Calls visit(token) for each token.
template <class Visit>
void each_token(std::string_view text, Visit&& visit) {
  while (true) {
    while (!text.empty() && is_html_space(text.front())) text.remove_prefix(1);
    if (text.empty()) return;
    std::size_t end = 0;
    while (end < text.size() && !is_html_space(text[end])) ++end;
    visit(text.substr(0, end));
    text.remove_prefix(end);
  }
}

bool is_feed(std::string_view type) {
  type = trim_html_space(type.substr(0, type.find(';')));
  return same_html_name(type, "application/rss+xml") || same_html_name(type, "application/atom+xml") ||
         same_html_name(type, "application/feed+json");
}

}  // namespace

bool LinkRel::has(std::string_view token) const {
  bool found = false;
  each_token(tokens, [&](std::string_view each) { found = found || each == token; });
  return found;
}

LinkRel parse_rel(std::string_view value) {
  LinkRel rel;
  each_token(utf8_prefix(value, page_limits::kRel), [&rel](std::string_view token) {
    const HtmlNameKey key = html_name_key(token);
    rel.flags |= flag_of(key);
    rel.is_icon = rel.is_icon || key == html_name_key("icon") || key == html_name_key("apple-touch-icon");
    rel.is_image = rel.is_image || key == html_name_key("image_src");
    if (!rel.tokens.empty()) rel.tokens += ' ';
    for (const char c : token) rel.tokens += html_lower(c);
  });
  return rel;
}

LinkKind kind_of_link(const LinkRel& rel, std::string_view type, bool has_hreflang) {
  if (rel.tokens.empty()) return LinkKind::link_rel;
  if (rel.has("canonical")) return LinkKind::canonical;
  // "alternate stylesheet" is a style sheet (section 4.6.7.1).
  if (rel.has("stylesheet") || rel.is_icon || rel.is_image || rel.has("preload") || rel.has("modulepreload")) {
    return LinkKind::embedded;
  }
  if (rel.has("feed")) return LinkKind::feed;
  if (rel.has("alternate")) return is_feed(type) && !has_hreflang ? LinkKind::feed : LinkKind::alternate;
  if (rel.has("amphtml")) return LinkKind::alternate;
  if (rel.has("next") || rel.has("prev") || rel.has("previous")) return LinkKind::pagination;
  return LinkKind::link_rel;
}

LinkReach reach_of(const Url& target, const Url& page) {
  if (!target.is_http() || target.host() != page.host()) return LinkReach::external;
  const std::string_view folder = page.pathname().substr(0, page.pathname().rfind('/') + 1);
  return target.pathname().starts_with(folder) ? LinkReach::subdirectory : LinkReach::internal;
}

}  // namespace outrider
