// What the person who runs Outrider decides about caching; the policy_* functions obey it. Made from the configuration,
// with the overrides of the site already applied.
#pragma once

#include "cache/directives.hpp"

#include <cstdint>

namespace outrider {

enum class CacheKind : std::uint8_t {
  shared,   // several people: RFC 9111's shared cache
  private_  // one person's own cache: `private` answers are kept (in that person's partition), s-maxage does not count
};

struct CacheRules {
  CacheKind kind = CacheKind::shared;
  bool offline = false;  // answer with whatever is kept, ask no origin

  // Of one site.
  bool never_keep = false;              // nothing is stored, nothing is answered from the store
  Seconds minimum_lifetime{0};          // fresh at least so long, unless the origin forbids reuse
  Seconds maximum_lifetime = kLongest;  // fresh at most so long
  bool ignore_client_reload = false;    // no-cache and max-age of requests do not count

  // Where the origin says nothing (RFC 9111 section 4.2.2): this part of the time since Last-Modified, at most the cap.
  unsigned heuristic_percent = 10;
  Seconds heuristic_cap = std::chrono::hours{24 * 7};

  // When the origin cannot be reached, or answers 500, 502, 503 or 504, a stale answer may be used for so long after
  // its lifetime (RFC 9111 section 4.2.4, RFC 5861 section 4), unless the origin forbids it or names another time.
  Seconds stale_if_unreachable = kLongest;
  Seconds stale_if_server_error = std::chrono::hours{24};
};

}  // namespace outrider
