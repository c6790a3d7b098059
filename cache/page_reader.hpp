// The second look at a page, behind the reader's back: what needs more than its tags in a row. Headings, the text that
// a reader came for, its language, its fingerprints. The first look is page_scan, which also decides whether gumbo may
// build a tree; a page that it may not is read from its tags alone, less exactly.
#pragma once

#include "base/url.hpp"
#include "cache/page_scan.hpp"
#include "plugins/api/page_content.hpp"

#include <string_view>

namespace outrider {

// Fills in headings, text, word_count, reading_seconds, language, fingerprint, simhash and deep.
void read_page(std::string_view utf8_html, const Url& page, PageContent& into);  // looks at the bounds of gumbo itself
void read_page(std::string_view utf8_html, PageScan& scan);                      // believes scan.too_much_for_tree

// text/plain: the text itself. Empty lines separate paragraphs.
void read_plain_text(std::string_view utf8, PageContent& into);

}  // namespace outrider
