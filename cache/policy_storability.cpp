#include "cache/policy_storability.hpp"

#include "base/http_validator.hpp"
#include "cache/policy_freshness.hpp"
#include "cache/policy_inputs.hpp"
#include "cache/policy_ranges.hpp"
#include "cache/policy_vary.hpp"

#include <algorithm>
#include <optional>

namespace outrider {
namespace {

// Final statuses whose meaning for caches we know (RFC 9110 section 15, RFC 4918, 5842, 6585, 7725).
bool is_understood(int status) {
  switch (status) {
    case 200:
    case 201:
    case 202:
    case 203:
    case 204:
    case 205:
    case 206:
    case 300:
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
    case 400:
    case 402:
    case 403:
    case 404:
    case 405:
    case 406:
    case 409:
    case 410:
    case 411:
    case 413:
    case 414:
    case 415:
    case 422:
    case 451:
    case 500:
    case 501:
    case 502:
    case 503:
    case 504:
    case 505:
      return true;
    default:
      return false;
  }
}

// Said to this one request: about its credentials, its conditions, its connection, its rate. RFC 6585 forbids to keep
// some of them outright.
bool answers_one_request(int status) {
  switch (status) {
    case 304:
    case 401:
    case 407:
    case 408:
    case 412:
    case 416:
    case 417:
    case 421:
    case 425:
    case 426:
    case 428:
    case 429:
    case 431:
    case 511:
      return true;
    default:
      return status < 200;
  }
}

bool has_a_place(const HeaderMap& partial) {
  if (partial.count(HeaderId::content_range) != 1 || is_multipart(partial)) return false;
  const auto place = parse_content_range(*partial.find(HeaderId::content_range));
  return place && place->complete_length;
}

// RFC 9110 section 9.3.3: an answer to POST says for which GET it is good, and for how long.
bool answers_get_as_well(const StoreQuestion& question, const Lifetime& lifetime) {
  const auto location = question.response.headers.find(HeaderId::content_location);
  if (question.response.status != 200 || !lifetime.is_explicit() || !location) return false;
  const auto url = Url::parse(*location, &question.url);
  return url && url->origin() == question.url.origin() && url->path_and_query() == question.path_and_query;
}

// Section 3: something says that it may be kept. How long it is fresh is another question.
bool is_cacheable(const ResponseHead& response, const ResponseDirectives& directives, const Lifetime& lifetime,
                  const CacheRules& rules) {
  if (lifetime.is_explicit() || directives.is_public || is_heuristically_cacheable(response.status)) return true;
  return directives.is_private && rules.kind == CacheKind::private_;
}

StoreReason worth(const ResponseHead& response, const FreshnessFacts& facts, const Lifetime& lifetime, WallTime now) {
  if (!facts.directives.no_cache && lifetime.seconds > current_age(facts, now, now, now)) return StoreReason::fresh;
  const bool can_ask = response.headers.has(HeaderId::etag) || response.headers.has(HeaderId::last_modified);
  return can_ask ? StoreReason::validatable : StoreReason::last_resort;
}

constexpr std::ptrdiff_t kMostUnknownFields = 32;  // each of them is written down

std::ptrdiff_t count_unknown(const HeaderMap& request) {
  return std::count_if(request.begin(), request.end(),
                       [](const HeaderField& field) { return input_kind(field) == InputKind::unknown; });
}

bool is_event_stream(const HeaderMap& response) {
  constexpr std::string_view kType = "text/event-stream";
  const std::string_view type = response.find(HeaderId::content_type).value_or("");
  return type.size() >= kType.size() && equal_ignoring_case(type.substr(0, kType.size()), kType);
}

StoreVerdict refuse(StoreReason reason) {
  return {false, Scope::shared, reason};
}

// What has nothing to do with Cache-Control.
std::optional<StoreReason> objection(const StoreQuestion& question, const CacheRules& rules) {
  const Method method = question.request.method;
  if (rules.never_keep) return StoreReason::never_keep;
  if (question.directives.no_store || (question.has_body && method == Method::get)) return StoreReason::bypassed;
  if (method != Method::get && method != Method::post) return StoreReason::method;
  if (framing_is_doubtful(question.response)) return StoreReason::framing;
  if (is_event_stream(question.response.headers)) return StoreReason::endless;
  if (answers_one_request(question.response.status)) return StoreReason::status;
  if (question.response.status == 206 && (method != Method::get || !has_a_place(question.response.headers)))
    return StoreReason::status;
  HeaderMap scratch;
  switch (record_vary(question.response.headers, question.request.headers, scratch)) {
    case VaryRecord::star:
      return StoreReason::vary_star;
    case VaryRecord::too_much:
      return StoreReason::vary_too_much;
    case VaryRecord::recorded:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string_view words(StoreReason reason) {
  switch (reason) {
    case StoreReason::fresh:
      return "it can be used again for some time";
    case StoreReason::validatable:
      return "it can be used again after asking the origin";
    case StoreReason::last_resort:
      return "of use only when the origin cannot be asked";
    case StoreReason::bypassed:
      return "the request does not concern the cache";
    case StoreReason::method:
      return "answers to this method are not kept";
    case StoreReason::status:
      return "an answer with this status is good for one request only";
    case StoreReason::not_understood:
      return "the origin wants it kept only by caches that know this status";
    case StoreReason::no_store:
      return "the origin forbids it: no-store";
    case StoreReason::is_private:
      return "the origin means it for one person: private";
    case StoreReason::authorization:
      return "it was asked for with a password or token";
    case StoreReason::unkeyed_input:
      return "the request asked in a way that may have got it another page's answer";
    case StoreReason::vary_star:
      return "it depends on more than the request says: Vary: *";
    case StoreReason::vary_too_much:
      return "it depends on too much of the request";
    case StoreReason::no_freshness:
      return "the origin does not say how long it is good";
    case StoreReason::early:
      return "it came before the request had ended";
    case StoreReason::endless:
      return "an event stream has no end";
    case StoreReason::framing:
      return "the origin contradicted itself about its length";
    case StoreReason::never_keep:
      return "nothing of this site is kept";
  }
  return {};
}

StoreVerdict may_store(const StoreQuestion& question, const CacheRules& rules, WallTime now) {
  if (const auto reason = objection(question, rules)) return refuse(*reason);
  const ResponseHead& response = question.response;
  // Before anything is read that takes longer: what is not kept passes as quickly as possible (section 5.2.2.3).
  if (const ResponseDirectives early = parse_response_directives(response.headers);
      early.no_store && !early.must_understand)
    return refuse(StoreReason::no_store);
  const FreshnessFacts facts = read_facts(response, now);
  const ResponseDirectives& directives = facts.directives;
  const Lifetime lifetime = freshness_lifetime(facts, rules);

  if (question.request.method == Method::post && !answers_get_as_well(question, lifetime))
    return refuse(StoreReason::method);
  if (directives.must_understand && !is_understood(response.status)) return refuse(StoreReason::not_understood);
  if (directives.is_private && rules.kind == CacheKind::shared) return refuse(StoreReason::is_private);
  if (question.request.headers.has(HeaderId::authorization) && !may_share_authorized(directives))
    return refuse(StoreReason::authorization);
  if (!is_cacheable(response, directives, lifetime, rules)) return refuse(StoreReason::no_freshness);

  const InputKind inputs = unkeyed_inputs(question.request.headers, response.headers);
  if (inputs == InputKind::dangerous) return refuse(StoreReason::unkeyed_input);
  if (inputs == InputKind::unknown && count_unknown(question.request.headers) > kMostUnknownFields)
    return refuse(StoreReason::vary_too_much);
  const bool personal = inputs == InputKind::unknown || directives.is_private ||
                        is_somebodys(question.request.headers, response.headers, directives);
  return {true, personal ? Scope::personal : Scope::shared, worth(response, facts, lifetime, now)};
}

}  // namespace outrider
