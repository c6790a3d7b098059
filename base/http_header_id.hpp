// The header names that Outrider itself looks at, so that finding one is a comparison of bytes, not of strings.
#pragma once

#include "base/ascii.hpp"  // equal_ignoring_case: names of headers have no case

#include <cstdint>
#include <string_view>

namespace outrider {

enum class HeaderId : std::uint8_t {
  other,
  // clang-format off
  accept, accept_encoding, accept_language, age, allow, alt_svc, authorization, cache_control, cache_status, connection,
  content_encoding, content_language, content_length, content_location, content_range, content_security_policy,
  content_security_policy_report_only, content_type, cookie, date, etag, expect, expires, forwarded, from, host,
  if_match, if_modified_since, if_none_match, if_range, if_unmodified_since, keep_alive, last_modified, link, location,
  max_forwards, origin, pragma, proxy_authenticate, proxy_authentication_info, proxy_authorization, proxy_connection,
  proxy_status, purpose, range, referer, retry_after, save_data, sec_fetch_dest, sec_fetch_mode, sec_fetch_site,
  sec_fetch_user, sec_purpose, sec_websocket_key, server, set_cookie, strict_transport_security, te, trailer,
  transfer_encoding, upgrade, upgrade_insecure_requests, user_agent, vary, via, warning, www_authenticate,
  x_forwarded_for, x_robots_tag,
  // clang-format on
  count_
};

HeaderId header_id(std::string_view name);  // any case; HeaderId::other if unknown
std::string_view header_name(HeaderId id);  // canonical spelling, e.g. "Content-Length"; "" for other

}  // namespace outrider
