// What the header fields of an answer add to a page: Link (RFC 8288), X-Robots-Tag, Content-Language, Refresh.
#pragma once

#include "base/http_headers.hpp"
#include "base/url.hpp"
#include "cache/page_scan.hpp"

namespace outrider {

// `page` is where the answer came from; <base> does not count here.
void apply_headers(PageScan& scan, const Url& page, const HeaderMap& headers);

}  // namespace outrider
