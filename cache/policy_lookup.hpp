// Before anything is looked up: does this request concern the cache at all, and may it be forwarded?
#pragma once

#include "base/http_message.hpp"
#include "cache/policy_rules.hpp"

#include <string_view>

namespace outrider {

enum class Bypass : std::uint8_t {
  none,          // look it up
  method,        // only GET and HEAD are answered from the store
  body,          // a GET with a body: what it asks for is not in the key
  upgrade,       // a change of protocols
  no_store,      // the request says no-store
  precondition,  // If-Match, If-Unmodified-Since: only the origin knows (RFC 9110 section 13.1.1)
  never_keep,    // the rules of the site
  apart,         // what is kept must not make a difference to the origin
};
std::string_view words(Bypass bypass);  // a sentence for people

// Offline only method, body and upgrade keep a request from being answered with what is kept.
Bypass why_bypass(const RequestHead& request, const RequestDirectives& directives, bool has_body, bool upgrade,
                  const CacheRules& rules);

// False: what cannot be answered from the store is answered 504 (RFC 9111 section 5.2.1.7: only-if-cached; or offline).
inline bool may_forward(const RequestDirectives& directives, const CacheRules& rules) {
  return !directives.only_if_cached && !rules.offline;
}

}  // namespace outrider
