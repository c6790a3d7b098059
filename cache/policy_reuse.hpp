// May this stored response answer this request, now (RFC 9111 sections 4 and 5.2, RFC 5861, RFC 8246)? Asked after
// policy_lookup.hpp let the request pass and select_variant() (policy_vary.hpp) chose the response.
#pragma once

#include "base/http_message.hpp"
#include "cache/policy_freshness.hpp"
#include "cache/policy_rules.hpp"
#include "cache/stored_head.hpp"

#include <cstdint>
#include <string_view>

namespace outrider {

enum class Reuse : std::uint8_t {
  fresh,                   // answer with it
  stale_allowed,           // answer with it, marked as stale
  stale_while_revalidate,  // answer with it, and validate it in the background
  validate,                // ask the origin, with its validators if it has any (policy_validation.hpp)
  unusable,                // as if it were not there
};

enum class ReuseReason : std::uint8_t {
  fresh,
  immutable,          // fresh, and a reload need not ask (RFC 8246)
  max_stale,          // the client takes it stale
  within_revalidate,  // RFC 5861 section 3
  offline,
  stale,                 // past its lifetime
  must_revalidate,       // past its lifetime, and the origin forbids to use it then
  no_cache,              // the origin wants to be asked every time
  invalidated,           // something was changed at this URL since
  client_no_cache,       // the request wants the origin to be asked
  client_max_age,        // too old for the request
  client_min_fresh,      // not fresh for long enough for the request
  client_authorization,  // the request has credentials, the stored answer is not declared good for everybody
};
std::string_view words(ReuseReason reason);  // a clause for people: "it is past its lifetime"

struct ReuseVerdict {
  Reuse reuse = Reuse::unusable;
  ReuseReason reason = ReuseReason::stale;
  Seconds age{0};
  Seconds ttl{0};                // what is left of its lifetime; negative: stale for so long
  bool if_unreachable = false;   // may be used if the origin cannot be reached …
  bool if_server_error = false;  // … or answers as in is_server_error()

  bool answers() const { return reuse <= Reuse::stale_while_revalidate; }
  bool is_stale() const { return ttl <= Seconds{0}; }
};

ReuseVerdict judge(const StoredHead& stored, const RequestHead& request, const RequestDirectives& directives,
                   const CacheRules& rules, WallTime now);
// The same with what has been read from the stored fields before (policy_freshness.hpp): faster.
ReuseVerdict judge(const StoredHead& stored, const FreshnessFacts& facts, const RequestHead& request,
                   const RequestDirectives& directives, const CacheRules& rules, WallTime now);

// RFC 5861 section 4: 500, 502, 503, 504.
bool is_server_error(int status);

}  // namespace outrider
