// The handshake of a WebSocket (RFC 6455 section 4.2).
#pragma once

#include "base/http_message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace outrider::webui {

// The key, if this request asks to go on as a WebSocket of version 13 in the way that the specification wants.
std::optional<std::string> websocket_key(Method method, const HeaderMap& headers);

}  // namespace outrider::webui
