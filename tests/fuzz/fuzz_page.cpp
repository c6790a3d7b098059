// Pages as the memory reads them: links and head data do not depend on how the page is cut into chunks, everything
// stays within its limits, links are absolute URLs, and no page that gumbo is given makes anything break. The first
// byte seeds the cutting.
#include "base/utf8.hpp"
#include "cache/page_limits.hpp"
#include "cache/page_reader.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/split_feeder.hpp"

#include <cstddef>
#include <cstdint>

namespace {

using namespace outrider;

bool same(const Link& a, const Link& b) {
  return a.target == b.target && a.kind == b.kind && a.reach == b.reach && a.flags == b.flags && a.text == b.text &&
         a.rel == b.rel && a.hreflang == b.hreflang && a.position == b.position;
}

void require_same(const PageScan& a, const PageScan& b) {
  require(a.links.size() == b.links.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) require(same(a.links[i], b.links[i]));
  require(a.page.title == b.page.title && a.page.description == b.page.description && a.page.author == b.page.author);
  require(a.page.keywords == b.page.keywords && a.page.canonical == b.page.canonical && a.page.image == b.page.image);
  require(a.page.published == b.page.published && a.page.modified == b.page.modified);
}

void check_limits(const PageScan& scan) {
  require(scan.links.size() <= page_limits::kLinks && scan.page.title.size() <= page_limits::kTitle);
  for (const Link& link : scan.links) {
    require(link.target.size() <= page_limits::kUrl && link.text.size() <= page_limits::kLinkText);
    require(Url::parse(link.target).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  // As it comes from the charset decoder.
  const std::string page = replace_invalid_utf8({reinterpret_cast<const char*>(data) + 1, size - 1});
  static const Url url = Url::parse("https://site.example/folder/page.html?query").value();
  PageScan whole = scan_page(page, url);
  check_limits(whole);
  PageScanner cut{url};
  for (const std::string_view piece : test::cut_at_random(page, data[0])) cut.feed(piece);
  require_same(cut.finish(), whole);

  PageContent from_tags;
  {
    PageScan scan = whole;
    scan.too_much_for_tree = true;
    read_page(page, scan);
    from_tags = scan.page;
  }
  read_page(page, whole);
  for (const PageContent* read : {&whole.page, &from_tags}) {
    require(is_valid_utf8(read->text) && read->text.size() <= page_limits::kText);
    require((read->fingerprint == 0) == read->text.empty());
    require(read->language.confidence >= 0 && read->language.confidence <= 1);
  }
  read_plain_text(page, from_tags);
  return 0;
}
