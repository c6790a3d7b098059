// May this response be kept, and for whom (RFC 9111 section 3)?
//
// Besides the RFC: what a request carries that is not part of the key and may have changed the answer (cookies, fields
// that we do not know) keeps the answer with the one who sent it, and so does an answer that sets a cookie, unless the
// origin says that it is for everybody. docs/decisions/0030 has the reasons.
#pragma once

#include "base/http_message.hpp"
#include "base/url.hpp"
#include "cache/policy_rules.hpp"
#include "cache/stored_head.hpp"

#include <cstdint>
#include <string_view>

namespace outrider {

enum class StoreReason : std::uint8_t {
  // kept
  fresh,        // reusable for some time
  validatable,  // reusable after asking the origin
  last_resort,  // only offline, or if the origin does not answer
  // not kept
  bypassed,        // the request does not concern the cache (policy_lookup.hpp)
  method,          // neither GET nor a POST that says which GET it answers
  status,          // an answer to this one request only (206 without its place, 304, 401, 412, 416 …)
  not_understood,  // must-understand, and a status that we do not know
  no_store,        // the origin forbids it
  is_private,      // for one person, and this cache has several
  authorization,   // the request had credentials, and the origin does not allow to share the answer
  unkeyed_input,   // the request carries a field that makes servers answer for another URL
  vary_star,       // depends on more than the request says
  vary_too_much,   // Vary names too many or too long fields
  no_freshness,    // a status that is kept only if the origin says for how long
  early,           // it came before the request had ended
  endless,         // an event stream: what has passed is of no use to whoever comes later
  framing,         // the origin contradicted itself about the length
  never_keep,      // the rules of the site
};
std::string_view words(StoreReason reason);  // "the origin forbids it: no-store", …

struct StoreVerdict {
  bool keep = false;
  Scope scope = Scope::shared;  // personal: under the key of the person's partition only
  StoreReason reason = StoreReason::bypassed;
};

struct StoreQuestion {
  const RequestHead& request;           // as the client sent it, end-to-end fields
  const RequestDirectives& directives;  // of the request
  const Url& url;
  std::string_view path_and_query;  // as in the key
  bool has_body = false;            // of the request
  const ResponseHead& response;     // as the origin sent it, hop-by-hop fields included
};
StoreVerdict may_store(const StoreQuestion& question, const CacheRules& rules, WallTime now);

}  // namespace outrider
