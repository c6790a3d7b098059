// What an unsafe request makes doubtful (RFC 9111 section 4.4).
#pragma once

#include "base/http_message.hpp"
#include "base/url.hpp"

#include <string>
#include <vector>

namespace outrider {

struct Invalidation {
  struct Other {
    Url url;
    std::string
        written;  // its path and query as the origin wrote them, "" if as in `url`: keys have what clients wrote
  };
  bool target = false;        // the URL of the request …
  std::vector<Other> others;  // … and those of Location and Content-Location that are of the same origin
};

// To be applied before the answer itself is stored. In all partitions: CacheKey::resource().
Invalidation invalidated_by(const RequestHead& request, const Url& url, const ResponseHead& response);

// Safe by definition: the methods of RFC 9110, and PROPFIND, REPORT, SEARCH, QUERY.
bool is_safe_method(const RequestHead& request);

}  // namespace outrider
