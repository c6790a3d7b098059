// SOCKS5 (RFC 1928) with user name and password (RFC 1929), our side only: CONNECT through a parent proxy. Names are
// sent as names, so the parent resolves them. Called by open_tunnel() (base/parent_proxy).
#pragma once

#include "base/parent_proxy.hpp"

#include <cstdint>
#include <string>

namespace outrider {

// Afterwards `stream` speaks with host:port; not a byte beyond the handshake has been read.
Task<Result<void>> open_socks5_tunnel(Stream& stream, const ParentProxy& parent, std::string host, std::uint16_t port);

// The messages we send. `host` is a name of at most 255 bytes or an address without brackets.
std::string socks5_greeting(const ParentProxy& parent);
std::string socks5_login(const ParentProxy& parent);
Result<std::string> socks5_connect(std::string_view host, std::uint16_t port);
// What a reply code other than 0 means to us: the parent's refusal, or its report about the origin.
Error socks5_failure(const ParentProxy& parent, std::uint8_t code);

}  // namespace outrider
