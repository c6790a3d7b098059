#include "webui/websocket_accept.hpp"

#include <gtest/gtest.h>

namespace outrider::webui {
namespace {

HeaderMap handshake() {
  HeaderMap headers;
  headers.add("Upgrade", "websocket");
  headers.add("Connection", "keep-alive, Upgrade");
  headers.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
  headers.add("Sec-WebSocket-Version", "13");
  return headers;
}

// Section 4.2.1.
TEST(WebSocketAccept, OnlyACompleteHandshake_IsOne) {
  EXPECT_EQ(websocket_key(Method::get, handshake()), "dGhlIHNhbXBsZSBub25jZQ==");
  EXPECT_FALSE(websocket_key(Method::post, handshake()));
  for (const char* name : {"Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"}) {
    HeaderMap headers = handshake();
    headers.remove(name);
    EXPECT_FALSE(websocket_key(Method::get, headers)) << name;
  }
  for (const auto& [name, value] :
       {std::pair{"Upgrade", "h2c"}, std::pair{"Connection", "close"}, std::pair{"Sec-WebSocket-Key", "short"},
        std::pair{"Sec-WebSocket-Version", "8"}, std::pair{"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j\"Q=="}}) {
    HeaderMap headers = handshake();
    headers.set(name, value);
    EXPECT_FALSE(websocket_key(Method::get, headers)) << name << ": " << value;
  }
}

}  // namespace
}  // namespace outrider::webui
