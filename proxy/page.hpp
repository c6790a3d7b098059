// The look that all pages of ours share, and the frame around their content. No scripts, no images, nothing from
// elsewhere: a page of ours may stand in for one of any site. (The onboarding page, which does not, adds its own
// script.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace outrider {

// The one style sheet. Also served at http://outrider.internal/outrider.css.
std::string_view page_style();

// Pages at our own address link the style sheet. Pages that stand in for one of a site must carry it in them, because
// they cannot ask that site for it.
enum class StyleIn : std::uint8_t { page, own_site };

// A whole document. `title` is escaped here; `content` is HTML: the children of <main>, and `footer` that of <footer>.
std::string html_page(std::string_view title, std::string_view content, std::string_view footer, StyleIn style);

// The Content-Security-Policy that lets exactly such a page work: the style is allowed by its hash.
std::string_view page_policy(StyleIn style);

inline constexpr std::string_view kHtmlType = "text/html; charset=utf-8";

}  // namespace outrider
