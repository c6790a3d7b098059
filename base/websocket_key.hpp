// The handshake of a WebSocket in HTTP/1 (RFC 6455 section 4): what one side asks with and the other one answers.
#pragma once

#include <string>
#include <string_view>

namespace outrider {

std::string new_websocket_key();
std::string websocket_accept(std::string_view key);  // Sec-WebSocket-Accept

}  // namespace outrider
