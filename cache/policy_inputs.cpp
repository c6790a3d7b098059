#include "cache/policy_inputs.hpp"

#include "base/http_lists.hpp"

#include <algorithm>
#include <array>

namespace outrider {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::any_of(names.begin(), names.end(), [name](std::string_view n) { return equal_ignoring_case(name, n); });
}

bool starts_with_word(std::string_view name, std::string_view word) {
  return name.size() >= word.size() && equal_ignoring_case(name.substr(0, word.size()), word);
}

// What browsers and proxies say with any request. Fields of answers, in a request, are no habit of anybody's.
bool belongs_to_requests(HeaderId id) {
  switch (id) {
    case HeaderId::accept:
    case HeaderId::accept_encoding:
    case HeaderId::accept_language:
    case HeaderId::authorization:  // this one and Cookie have rules of their own
    case HeaderId::cookie:
    case HeaderId::cache_control:
    case HeaderId::connection:
    case HeaderId::content_length:  // of a body, like the coding it comes in
    case HeaderId::transfer_encoding:
    case HeaderId::date:
    case HeaderId::expect:
    case HeaderId::from:
    case HeaderId::host:
    case HeaderId::if_match:
    case HeaderId::if_modified_since:
    case HeaderId::if_none_match:
    case HeaderId::if_range:
    case HeaderId::if_unmodified_since:
    case HeaderId::keep_alive:
    case HeaderId::max_forwards:
    case HeaderId::origin:
    case HeaderId::pragma:
    case HeaderId::proxy_authorization:
    case HeaderId::proxy_connection:
    case HeaderId::purpose:
    case HeaderId::range:
    case HeaderId::referer:
    case HeaderId::save_data:
    case HeaderId::sec_fetch_dest:
    case HeaderId::sec_fetch_mode:
    case HeaderId::sec_fetch_site:
    case HeaderId::sec_fetch_user:
    case HeaderId::sec_purpose:
    case HeaderId::sec_websocket_key:
    case HeaderId::te:
    case HeaderId::trailer:
    case HeaderId::upgrade:
    case HeaderId::upgrade_insecure_requests:
    case HeaderId::user_agent:
    case HeaderId::via:
      return true;
    default:
      return false;
  }
}

constexpr std::array<std::string_view, 4> kHarmlessBeginnings = {"sec-fetch-", "sec-ch-", "sec-gpc", "sec-websocket-"};

constexpr std::array<std::string_view, 12> kHarmless = {"accept-charset", "dnt",   "priority",   "device-memory",
                                                        "downlink",       "dpr",   "ect",        "rtt",
                                                        "viewport-width", "width", "early-data", "tracestate"};

constexpr std::array<std::string_view, 13> kDangerous = {
    "front-end-https",        "x-backend-host",    "x-host",          "x-http-host-override", "x-http-method",
    "x-http-method-override", "x-method-override", "x-original-host", "x-original-uri",       "x-original-url",
    "x-rewrite-url",          "x-url-scheme",      "x-forwarded"};

// RFC 7239 section 5: "host" and "proto" change what the request is for. In doubt (quotes, spaces) they are there.
bool names_another_place(std::string_view forwarded) {
  for (std::size_t at = 0; at < forwarded.size(); ++at)
    if (starts_with_word(forwarded.substr(at), "host") || starts_with_word(forwarded.substr(at), "proto")) return true;
  return false;
}

}  // namespace

InputKind input_kind(const HeaderField& field) {
  // What we tell about the client ourselves is added later (exchange_fetch.cpp): this is somebody else's word.
  if (field.id == HeaderId::x_forwarded_for) return InputKind::unknown;
  if (field.id == HeaderId::forwarded)
    return names_another_place(field.value) ? InputKind::dangerous : InputKind::unknown;
  if (field.id != HeaderId::other) return belongs_to_requests(field.id) ? InputKind::harmless : InputKind::unknown;
  for (const std::string_view word : kHarmlessBeginnings)
    if (starts_with_word(field.name, word)) return InputKind::harmless;
  if (is_one_of(field.name, kHarmless)) return InputKind::harmless;
  if (starts_with_word(field.name, "x-forwarded-") || is_one_of(field.name, kDangerous)) return InputKind::dangerous;
  return InputKind::unknown;
}

bool is_keyed(std::string_view name, const HeaderMap& response) {
  return response.lists(HeaderId::vary, name);
}

InputKind unkeyed_inputs(const HeaderMap& request, const HeaderMap& response) {
  InputKind worst = InputKind::harmless;
  for (const HeaderField& field : request) {
    const InputKind kind = input_kind(field);
    if (kind > worst && !is_keyed(field.name, response)) worst = kind;
  }
  return worst;
}

bool sets_cookie(const HeaderMap& response) {
  return response.has(HeaderId::set_cookie) || response.has("Set-Cookie2");
}

bool may_share_authorized(const ResponseDirectives& directives) {
  return directives.is_public || directives.must_revalidate || directives.s_maxage;
}

bool is_somebodys(const HeaderMap& request, const HeaderMap& response, const ResponseDirectives& directives) {
  if (sets_cookie(response) && !directives.is_public) return true;
  if (request.has(HeaderId::cookie) && !directives.is_public && !directives.s_maxage) return true;
  if (!request.has(HeaderId::origin) || is_keyed("Origin", response)) return false;
  const auto allowed = response.find("Access-Control-Allow-Origin");
  return allowed && *allowed != "*";
}

}  // namespace outrider
