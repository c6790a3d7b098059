#include "base/websocket_key.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

// The example of RFC 6455 section 1.3.
TEST(WebSocketKey, KeyOfTheSpecification_GivesItsAnswer) {
  EXPECT_EQ(websocket_accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

// Section 4.1: 16 bytes in base64, another one each time.
TEST(WebSocketKey, NewKeys_AreSixteenBytes_AndDiffer) {
  EXPECT_EQ(new_websocket_key().size(), 24U);
  EXPECT_TRUE(new_websocket_key().ends_with("=="));
  EXPECT_NE(new_websocket_key(), new_websocket_key());
}

}  // namespace
}  // namespace outrider
