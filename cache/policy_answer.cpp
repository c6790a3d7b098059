#include "cache/policy_answer.hpp"

#include "cache/policy_freshness.hpp"
#include "cache/policy_validators.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider {
namespace {

// When it was last modified, or at least when it was as it is (section 4.3.2).
WallTime modified(const ResponseHead& response, WallTime response_time) {
  const auto field = response.headers.find(HeaderId::last_modified);
  const auto date = field ? read_date(*field, response_time) : std::nullopt;
  return date.value_or(date_of(response, response_time));
}

// RFC 9110 section 13.2.2; If-Match and If-Unmodified-Since never come here (policy_lookup.hpp).
bool is_not_modified(const RequestHead& request, const ResponseHead& response, WallTime response_time, WallTime now) {
  if (request.method != Method::get && request.method != Method::head) return false;
  if (request.headers.has(HeaderId::if_none_match)) {
    if (none_match_any(request.headers)) return true;
    const auto tag = response.headers.find(HeaderId::etag);
    return tag && none_match_lists(request.headers, *tag);
  }
  const auto since = request.headers.find(HeaderId::if_modified_since);
  const auto date = since ? read_date(*since, now) : std::nullopt;
  return date && modified(response, response_time) <= *date;
}

// RFC 9110 section 13.1.5.
bool if_range_holds(const StoredHead& stored, const HeaderMap& request) {
  const auto wanted = request.find(HeaderId::if_range);
  if (!wanted) return true;
  const bool is_tag = wanted->starts_with('"') || wanted->starts_with("W/");
  if (is_tag) return tags_match_strongly(*wanted, stored.response.headers.find(HeaderId::etag).value_or(""));
  return stored.response.headers.find(HeaderId::last_modified) == wanted && last_modified_is_strong(stored);
}

AnswerPlan whole_or_not_held(const StoredHead& stored, std::uint64_t length) {
  AnswerPlan plan;
  plan.kind = stored.range ? AnswerPlan::Kind::not_held : AnswerPlan::Kind::whole;
  plan.complete_length = length;
  plan.bytes = {0, length == 0 ? 0 : length - 1};
  return plan;
}

// What tells the client only about the body that a 304 or 416 does not have. Of a 304 RFC 9110 section 15.4.5 names
// what stays; Last-Modified stays as well, because a client may have no other validator.
bool describes_body(const HeaderField& field) {
  switch (field.id) {
    case HeaderId::content_encoding:
    case HeaderId::content_language:
    case HeaderId::content_length:
    case HeaderId::content_range:
    case HeaderId::content_type:
      return true;
    default:
      return equal_ignoring_case(field.name, "Content-MD5") || equal_ignoring_case(field.name, "Content-Digest");
  }
}

void set_status(ResponseHead& out, int status, std::string_view reason) {
  out.status = status;
  out.reason = reason;
}

std::string_view warning(StaleMark mark) {  // RFC 7234 section 5.5
  switch (mark) {
    case StaleMark::none:
      return {};
    case StaleMark::stale:
      return "110 Outrider \"Response is Stale\"";
    case StaleMark::origin_failed:
      return "111 Outrider \"Revalidation Failed\"";
    case StaleMark::offline:
      return "112 Outrider \"Disconnected Operation\"";
  }
  return {};
}

}  // namespace

AnswerPlan plan_answer(const StoredHead& stored, const RequestHead& request, WallTime now) {
  const int status = stored.response.status;
  const std::uint64_t length = stored.range ? stored.range->complete_length : stored.body_length;
  AnswerPlan plan = whole_or_not_held(stored, length);
  if (status < 200 || status > 299) return plan;  // RFC 9110 section 13.2.1
  if (is_not_modified(request, stored.response, stored.response_time, now)) {
    plan.kind = AnswerPlan::Kind::not_modified;
    return plan;
  }
  const auto range = request.headers.find(HeaderId::range);
  if (!range || request.method != Method::get || (status != 200 && !stored.range)) return plan;
  if (!if_range_holds(stored, request.headers)) return plan;
  const RangeAnswer wanted = resolve_range(*range, length);
  if (wanted.kind == RangeAnswer::Kind::ignored) return plan;
  if (wanted.kind == RangeAnswer::Kind::unsatisfiable) {
    plan.kind = AnswerPlan::Kind::unsatisfiable;
    return plan;
  }
  plan.bytes = wanted.range;
  plan.by_range = true;
  const std::uint64_t held_from = stored.range ? stored.range->first : 0;
  const bool held = wanted.range.first >= held_from && wanted.range.last - held_from < stored.body_length;
  plan.kind = held ? AnswerPlan::Kind::part : AnswerPlan::Kind::not_held;
  return plan;
}

void build_answer(ResponseHead& out, const StoredHead& stored, const AnswerPlan& plan, Seconds age, StaleMark mark) {
  out.status = stored.response.status;
  out.reason = stored.response.reason;
  out.version = stored.response.version;
  out.headers.reserve_like(stored.response.headers, 6, 320);  // Age, Cache-Status, Via, Content-Length, Connection …
  out.headers = stored.response.headers;
  switch (plan.kind) {
    case AnswerPlan::Kind::whole:
    case AnswerPlan::Kind::part:
    case AnswerPlan::Kind::not_held:
      if (plan.by_range) {
        set_status(out, 206, "Partial Content");
        out.headers.set(HeaderId::content_range, format_content_range(plan.bytes, plan.complete_length));
      } else if (stored.range) {  // all parts together are the whole (RFC 9110 section 15.3.7.3)
        set_status(out, 200, "OK");
        out.headers.remove(HeaderId::content_range);
      }
      break;
    case AnswerPlan::Kind::not_modified:
      set_status(out, 304, "Not Modified");
      out.headers.remove_if(describes_body);
      break;
    case AnswerPlan::Kind::unsatisfiable:
      set_status(out, 416, "Range Not Satisfiable");
      out.headers.remove_if([](const HeaderField& field) {
        return describes_body(field) || field.id == HeaderId::set_cookie || field.id == HeaderId::cache_control ||
               field.id == HeaderId::expires || field.id == HeaderId::etag || field.id == HeaderId::last_modified;
      });
      out.headers.add(HeaderId::content_range, format_unsatisfied_range(plan.complete_length));
      break;
  }
  out.headers.set(HeaderId::age, fmt::format_int(age.count()).c_str());
  if (mark != StaleMark::none) out.headers.add(HeaderId::warning, warning(mark));
}

bool client_has_it(const RequestHead& request, const ResponseHead& response, WallTime now) {
  return response.status == 200 && is_not_modified(request, response, now, now) && !none_match_any(request.headers);
}

}  // namespace outrider
