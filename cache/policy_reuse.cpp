#include "cache/policy_reuse.hpp"

#include "cache/policy_inputs.hpp"

#include <algorithm>
#include <optional>

namespace outrider {
namespace {

// The origin forbids to use it once it is stale (sections 5.2.2.2, 5.2.2.8, 5.2.2.10).
bool forbids_stale(const ResponseDirectives& response, const CacheRules& rules) {
  const bool shared = rules.kind == CacheKind::shared;
  return response.must_revalidate || (shared && (response.proxy_revalidate || response.s_maxage));
}

struct Answer {
  Reuse reuse;
  ReuseReason reason;
};

// What does not depend on its age.
std::optional<Answer> before_age(const StoredHead& stored, const RequestHead& request,
                                 const RequestDirectives& directives, const ResponseDirectives& response,
                                 const CacheRules& rules) {
  if (rules.offline) return std::nullopt;
  if (response.no_cache) return Answer{Reuse::validate, ReuseReason::no_cache};
  if (stored.invalidated) return Answer{Reuse::validate, ReuseReason::invalidated};
  if (directives.no_cache && !rules.ignore_client_reload) return Answer{Reuse::validate, ReuseReason::client_no_cache};
  if (request.headers.has(HeaderId::authorization) && !may_share_authorized(response))
    return Answer{Reuse::validate, ReuseReason::client_authorization};
  return std::nullopt;
}

Answer by_age(const ReuseVerdict& times, bool invalidated, const RequestDirectives& directives,
              const ResponseDirectives& response, const CacheRules& rules) {
  const bool fresh = !times.is_stale();
  if (rules.offline) {
    const bool trusted = fresh && !response.no_cache && !invalidated;
    return trusted ? Answer{Reuse::fresh, ReuseReason::fresh} : Answer{Reuse::stale_allowed, ReuseReason::offline};
  }
  if (directives.min_fresh && times.ttl < *directives.min_fresh)
    return {Reuse::validate, ReuseReason::client_min_fresh};
  const bool too_old = directives.max_age && !rules.ignore_client_reload &&
                       (times.age > *directives.max_age || *directives.max_age == Seconds{0});
  if (too_old) {
    // RFC 8246 section 2: a reload (max-age=0) does not ask about what never changes; no-cache does.
    if (fresh && response.immutable) return {Reuse::fresh, ReuseReason::immutable};
    return {Reuse::validate, ReuseReason::client_max_age};
  }
  if (fresh) return {Reuse::fresh, ReuseReason::fresh};
  if (forbids_stale(response, rules)) return {Reuse::validate, ReuseReason::must_revalidate};
  const Seconds staleness = -times.ttl;
  if (directives.max_stale && staleness <= *directives.max_stale) return {Reuse::stale_allowed, ReuseReason::max_stale};
  if (!directives.max_age && response.stale_while_revalidate && staleness < *response.stale_while_revalidate)
    return {Reuse::stale_while_revalidate, ReuseReason::within_revalidate};
  return {Reuse::validate, ReuseReason::stale};
}

// RFC 9111 section 4.2.4 and RFC 5861 section 4.
void allow_on_failure(ReuseVerdict& verdict, const RequestDirectives& directives, const ResponseDirectives& response,
                      const CacheRules& rules) {
  switch (verdict.reason) {
    case ReuseReason::no_cache:
    case ReuseReason::invalidated:
    case ReuseReason::client_no_cache:
    case ReuseReason::client_authorization:
      return;
    default:
      break;
  }
  if (!verdict.is_stale()) {
    verdict.if_unreachable = verdict.if_server_error = true;
    return;
  }
  if (forbids_stale(response, rules)) return;
  const Seconds staleness = -verdict.ttl;
  std::optional<Seconds> window = response.stale_if_error;
  if (directives.stale_if_error) window = std::max(window.value_or(Seconds{0}), *directives.stale_if_error);
  verdict.if_unreachable = staleness <= window.value_or(rules.stale_if_unreachable);
  verdict.if_server_error = staleness <= window.value_or(rules.stale_if_server_error);
}

}  // namespace

std::string_view words(ReuseReason reason) {
  switch (reason) {
    case ReuseReason::fresh:
      return "it is fresh";
    case ReuseReason::immutable:
      return "it is fresh and never changes";
    case ReuseReason::max_stale:
      return "the client takes it past its lifetime";
    case ReuseReason::within_revalidate:
      return "it is just past its lifetime and is being renewed";
    case ReuseReason::offline:
      return "Outrider is offline";
    case ReuseReason::stale:
      return "it is past its lifetime";
    case ReuseReason::must_revalidate:
      return "it is past its lifetime and the origin insists on being asked";
    case ReuseReason::no_cache:
      return "the origin wants to be asked every time";
    case ReuseReason::invalidated:
      return "something was changed at this address since";
    case ReuseReason::client_no_cache:
      return "the client wants the origin to be asked";
    case ReuseReason::client_max_age:
      return "it is too old for the client";
    case ReuseReason::client_min_fresh:
      return "it will be past its lifetime too soon for the client";
    case ReuseReason::client_authorization:
      return "the request has a password or token of its own";
  }
  return {};
}

bool is_server_error(int status) {
  return status == 500 || status == 502 || status == 503 || status == 504;
}

ReuseVerdict judge(const StoredHead& stored, const RequestHead& request, const RequestDirectives& directives,
                   const CacheRules& rules, WallTime now) {
  return judge(stored, read_facts(stored.response, stored.response_time), request, directives, rules, now);
}

ReuseVerdict judge(const StoredHead& stored, const FreshnessFacts& facts, const RequestHead& request,
                   const RequestDirectives& directives, const CacheRules& rules, WallTime now) {
  const ResponseDirectives& response = facts.directives;
  ReuseVerdict verdict;
  verdict.age = current_age(facts, stored.request_time, stored.response_time, now);
  verdict.ttl = freshness_lifetime(facts, rules).seconds - verdict.age;
  const auto early = before_age(stored, request, directives, response, rules);
  const Answer answer = early ? *early : by_age(verdict, stored.invalidated, directives, response, rules);
  verdict.reuse = answer.reuse;
  verdict.reason = answer.reason;
  allow_on_failure(verdict, directives, response, rules);
  return verdict;
}

}  // namespace outrider
