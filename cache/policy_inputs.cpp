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
  // Cookie and Authorization have rules of their own.
  if (field.id != HeaderId::other) return InputKind::harmless;
  if (starts_with_word(field.name, "sec-") || is_one_of(field.name, kHarmless)) return InputKind::harmless;
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
