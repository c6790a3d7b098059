// The syntax of hosts and request targets on the wire (RFC 9112 section 3.2): enough to refuse what nobody may forward.
// What a target means is the business of base/url.
#pragma once

#include "base/http_message.hpp"

#include <string>
#include <string_view>

namespace outrider {

// uri-host [ ":" port ] with a non-empty host: a name of unreserved characters and percent escapes, an IPv4 address or
// an IPv6 address in brackets. Stricter than RFC 3986, which also allows sub-delims ("a,b"): no name that resolves has
// them.
enum class PortRule : std::uint8_t { optional, required };
bool is_host_and_port(std::string_view text, PortRule rule);

// Why the target cannot belong to this method, or an empty text if it can: origin-form, absolute-form with an authority
// and without user information, authority-form with CONNECT and only there, "*" with OPTIONS and only there.
std::string_view target_fault(Method method, std::string_view target);

// The path and query of an absolute-form target, untouched (RFC 9110 section 7.7); only an empty path becomes "/".
std::string path_and_query_of(std::string_view absolute_target);

}  // namespace outrider
