// Sitemaps: only http(s) pages of the sitemap's own host come out, within the limit.
#include "robot/sitemap.hpp"
#include "tests/fuzz/require.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  static const Url base = Url::parse("https://a.example/sitemap.xml").value();
  const Sitemap map = read_sitemap({reinterpret_cast<const char*>(data), size}, base);
  require(map.pages.size() + map.sitemaps.size() <= kMostSitemapUrls);
  for (const SitemapPage& page : map.pages) require(page.url.is_http() && page.url.hostname() == "a.example");
  for (const Url& sitemap : map.sitemaps) require(sitemap.is_http());
  return 0;
}
