#include "cache/policy_stored_head.hpp"

#include "base/hop_by_hop.hpp"
#include "base/http_date.hpp"
#include "cache/policy_freshness.hpp"
#include "cache/policy_inputs.hpp"
#include "cache/policy_ranges.hpp"
#include "cache/policy_vary.hpp"

#include <charconv>

namespace outrider {
namespace {

std::uint64_t announced_length(const HeaderMap& headers) {
  std::uint64_t length = 0;
  const std::string_view text = headers.find(HeaderId::content_length).value_or("");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  return error == std::errc{} && end == text.data() + text.size() ? length : 0;
}

// RFC 9110 section 6.6.1: a recipient with a clock writes down when a response without a (good) date came.
void complete_date(HeaderMap& headers, WallTime response_time) {
  const auto date = headers.find(HeaderId::date);
  if (!date || !read_date(*date, response_time)) headers.set(HeaderId::date, format_http_date(response_time));
}

}  // namespace

void record_unknown_inputs(const HeaderMap& request, HeaderMap& vary_request) {
  for (const HeaderField& field : request)
    if (input_kind(field) == InputKind::unknown) record_unknown(field.name, request, vary_request);
}

HeaderMap compact(const HeaderMap& headers) {
  HeaderMap fields;
  for (const HeaderField& field : headers) fields.add(field.name, field.value);
  return HeaderMap{fields};  // a copy has no room to grow
}

void remove_message_fields(HeaderMap& headers) {
  strip_hop_by_hop(headers);
  headers.remove_if([](const HeaderField& field) {
    return field.id == HeaderId::content_length || field.id == HeaderId::transfer_encoding ||
           field.id == HeaderId::trailer;
  });
}

void remove_unkept_fields(HeaderMap& headers) {
  remove_message_fields(headers);
  for (const std::string_view name : restricted_fields(headers)) headers.remove(name);
}

StoredHead make_stored_head(const StoreQuestion& question, const StoreVerdict& verdict, WallTime request_time,
                            WallTime response_time) {
  const HeaderMap& request = question.request.headers;
  StoredHead stored;
  stored.response.status = question.response.status;
  stored.response.reason = question.response.reason;
  stored.response.version = question.response.version;
  stored.request_time = request_time;
  stored.response_time = response_time;
  stored.scope = verdict.scope;
  stored.body_length = announced_length(question.response.headers);
  HeaderMap fields = question.response.headers;
  remove_unkept_fields(fields);
  complete_date(fields, response_time);
  stored.response.headers = compact(fields);
  HeaderMap depends_on;
  record_vary(question.response.headers, request, depends_on);
  if (stored.scope == Scope::personal) record_unknown_inputs(request, depends_on);
  if (!depends_on.empty()) stored.vary_request = compact(depends_on);
  if (stored.response.status == 206) {
    const auto place = parse_content_range(stored.response.headers.find(HeaderId::content_range).value_or(""));
    stored.range = StoredRange{place->range.first, *place->complete_length};
  }
  return stored;
}

bool settle_length(StoredHead& stored, std::uint64_t body_length) {
  stored.body_length = body_length;
  if (!stored.range) return true;
  const auto place = parse_content_range(stored.response.headers.find(HeaderId::content_range).value_or(""));
  if (!place || body_length == 0 || body_length > place->range.length()) return false;
  StoredRange& range = *stored.range;
  if (body_length < place->range.length()) {
    // Less than announced, in a message that was not cut off: what is there begins where it says, and if it was to
    // reach the end of the representation, then that is where it ends. Good for itself, but not to be put beside other
    // parts.
    const bool to_the_end = place->range.last + 1 == range.complete_length;
    if (to_the_end && range.first == 0) return false;  // it would pass for the whole
    if (to_the_end) range.complete_length = range.first + body_length;
    range.combinable = false;
  } else if (range.first == 0 && body_length == range.complete_length) {  // all of it (RFC 9110 section 15.3.7.3)
    stored.range.reset();
    stored.response.status = 200;
    stored.response.reason = "OK";
    stored.response.headers.remove(HeaderId::content_range);
  }
  return true;
}

}  // namespace outrider
