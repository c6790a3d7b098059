// Telling origins about the client, when the configuration wants it.
#pragma once

#include "base/http_headers.hpp"
#include "base/ip_address.hpp"

namespace outrider {

// Appends to Forwarded (RFC 7239) and X-Forwarded-For.
void add_forwarded(HeaderMap& headers, const IpAddress& client);

}  // namespace outrider
