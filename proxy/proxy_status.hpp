// The Proxy-Status field (RFC 9209): what went wrong, for programs.
#pragma once

#include <string>
#include <string_view>

namespace outrider {

inline constexpr std::string_view kProxyName = "outrider";

// outrider; error=dns_error; details="…". `error` is a token of the RFC's registry (section 2.3) and may be empty,
// `details` is anybody's text: what a structured string cannot hold (RFC 8941 section 3.3.3) becomes "?", and it is cut
// to a bearable length.
std::string proxy_status(std::string_view error, std::string_view details);

}  // namespace outrider
