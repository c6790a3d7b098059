#include "cache/policy_lookup.hpp"

namespace outrider {

std::string_view words(Bypass bypass) {
  switch (bypass) {
    case Bypass::none:
      return "it may be answered from the store";
    case Bypass::method:
      return "only GET and HEAD are answered from the store";
    case Bypass::body:
      return "the request has a body, which may change the answer";
    case Bypass::upgrade:
      return "the request wants to switch protocols";
    case Bypass::no_store:
      return "the client wants nothing of it stored";
    case Bypass::precondition:
      return "the request has a condition that only the origin can judge";
    case Bypass::never_keep:
      return "nothing of this site is kept";
    case Bypass::apart:
      return "the origin is asked whatever is kept";
  }
  return {};
}

Bypass why_bypass(const RequestHead& request, const RequestDirectives& directives, bool has_body, bool upgrade,
                  const CacheRules& rules) {
  if (request.method != Method::get && request.method != Method::head) return Bypass::method;
  if (has_body) return Bypass::body;
  if (upgrade) return Bypass::upgrade;
  if (rules.never_keep) return Bypass::never_keep;
  if (rules.offline) return Bypass::none;
  if (directives.no_store) return Bypass::no_store;
  if (request.headers.has(HeaderId::if_match) || request.headers.has(HeaderId::if_unmodified_since))
    return Bypass::precondition;
  return Bypass::none;
}

}  // namespace outrider
