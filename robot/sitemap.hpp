// Sitemaps (https://www.sitemaps.org/protocol.html): lists of a site's pages, and lists of such lists, as XML; or one
// URL a line. Only what the robot needs is read, in one linear pass over bytes of strangers, within limits.
#pragma once

#include "base/clock.hpp"
#include "base/url.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

inline constexpr std::size_t kMostSitemapUrls = 50'000;  // the protocol's own limit

struct SitemapPage {
  Url url;
  std::optional<WallTime> modified;  // <lastmod>
};

struct Sitemap {
  std::vector<SitemapPage> pages;
  std::vector<Url> sitemaps;  // of an index
  bool cut = false;           // there were more
};

// `bytes` decoded (also from .gz), UTF-8; `base` is where they came from. URLs that are not http(s) are left out, and
// so are pages on other hosts: a sitemap speaks for its own (the protocol's section "location"). `any_host`: its site's
// robots.txt vouches for it.
Sitemap read_sitemap(std::string_view bytes, const Url& base, bool any_host = false);

// "2026-11-16", "2026-11-16T12:30:00Z", "2026-11-16T12:30+01:00", "2026-11", "2026": the W3C's profile of ISO 8601.
std::optional<WallTime> parse_w3c_date(std::string_view text);

}  // namespace outrider
