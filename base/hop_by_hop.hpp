// Fields that are meant for the next hop only, and so never forwarded (RFC 9110 section 7.6.1).
#pragma once

#include "base/http_headers.hpp"

#include <cstdint>

namespace outrider {

enum class Te : std::uint8_t {
  drop,
  keep_trailers,  // requests: if the sender takes trailers, say so to the next hop ("TE: trailers", "Connection: TE")
};

// Removes Connection and every field it nominates, Keep-Alive, Proxy-Connection, TE, Transfer-Encoding, Upgrade,
// Proxy-Authorization, Proxy-Authenticate and Proxy-Authentication-Info. Trailer stays: we forward trailers. Whoever
// needs one of them (Upgrade for WebSocket, the framing) looks before.
//
// A nomination of a field that is meant for everybody is ignored (the RFC forbids it, and it is used to make proxies
// drop what somebody behind them relies on): all fields that Outrider knows by name, and those of may_be_nominated().
void strip_hop_by_hop(HeaderMap& headers, Te te = Te::drop);

// May "Connection: name" make us drop that field?
bool may_be_nominated(std::string_view name);

}  // namespace outrider
