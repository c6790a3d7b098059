#include "cache/policy_status.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider {
namespace {

constexpr std::string_view kCacheName = "Outrider";

std::string_view token(Forwarded forwarded) {
  switch (forwarded) {
    case Forwarded::none:
      return {};
    case Forwarded::bypass:
      return "bypass";
    case Forwarded::method:
      return "method";
    case Forwarded::uri_miss:
      return "uri-miss";
    case Forwarded::vary_miss:
      return "vary-miss";
    case Forwarded::stale:
      return "stale";
    case Forwarded::request:
      return "request";
    case Forwarded::partial:
      return "partial";
  }
  return {};
}

// A string of RFC 8941 holds visible ASCII and spaces only.
void append_string(std::string& out, std::string_view text) {
  out += '"';
  const auto needs_care = [](char c) { return c < 0x20 || c == 0x7f || c == '"' || c == '\\'; };
  if (std::none_of(text.begin(), text.end(), needs_care)) {
    out.append(text).push_back('"');
    return;
  }
  for (const char c : text) {
    const bool plain = c >= 0x20 && c < 0x7f;
    if (c == '"' || c == '\\') out += '\\';
    out += plain ? c : '?';
  }
  out += '"';
}

}  // namespace

void append_cache_status(std::string& out, const CacheStatus& status) {
  out += kCacheName;
  if (status.hit) out += "; hit";
  if (!status.hit && status.forwarded != Forwarded::none) out.append("; fwd=").append(token(status.forwarded));
  const auto append_number = [&out](std::string_view name, auto number) {
    const fmt::format_int text{number};
    out.append(name).append(text.data(), text.size());
  };
  if (status.forward_status != 0) append_number("; fwd-status=", status.forward_status);
  if (status.ttl) append_number("; ttl=", status.ttl->count());
  if (status.stored) out += "; stored";
  if (status.collapsed) out += "; collapsed";
  if (status.detail.empty()) return;
  out += "; detail=";
  append_string(out, status.detail);
}

void add_cache_status(HeaderMap& headers, const CacheStatus& status) {
  std::string value;
  value.reserve(127);
  append_cache_status(value, status);
  headers.add(HeaderId::cache_status, value);
}

Forwarded forwarded_because(Bypass bypass) {
  switch (bypass) {
    case Bypass::none:
      return Forwarded::none;
    case Bypass::method:
      return Forwarded::method;
    case Bypass::no_store:
    case Bypass::precondition:
      return Forwarded::request;
    case Bypass::body:
    case Bypass::upgrade:
    case Bypass::never_keep:
    case Bypass::apart:
      return Forwarded::bypass;
  }
  return Forwarded::bypass;
}

Forwarded forwarded_because(ReuseReason reason) {
  switch (reason) {
    case ReuseReason::client_no_cache:
    case ReuseReason::client_max_age:
    case ReuseReason::client_min_fresh:
    case ReuseReason::client_authorization:
      return Forwarded::request;
    default:
      return Forwarded::stale;
  }
}

}  // namespace outrider
