// WebSocket frames (RFC 6455 section 5) as a server that only talks needs them: writing messages, and reading what a
// client may say meanwhile. Messages of the client are skipped, not kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// Whole, unmasked; opcode 1 = text, 8 = close, 9 = ping, 10 = pong.
void append_websocket_frame(std::string& out, std::uint8_t opcode, std::string_view payload);
void append_websocket_close(std::string& out, std::uint16_t code);

inline constexpr std::uint8_t kWebSocketText = 1, kWebSocketPing = 9;
inline constexpr std::uint16_t kWebSocketGoingAway = 1001, kWebSocketProtocolError = 1002, kWebSocketTooBig = 1009;
inline constexpr std::uint64_t kLongestWebSocketMessage = 64 * 1024;

class WebSocketReader {
 public:
  // Appends to `reply` what has to be sent back (pong; close). False: it is over, after `reply` has been sent.
  bool feed(std::string_view bytes, std::string& reply);

 private:
  bool head(std::string& reply);  // of a frame whose head is complete in head_
  bool finished(std::string& reply);
  static bool refuse(std::string& reply, std::uint16_t code);
  std::size_t head_size() const;  // of what is known of it so far

  std::string head_;           // of the frame that is being read
  std::uint64_t left_ = 0;     // of its payload
  std::uint64_t message_ = 0;  // size of the message so far
  std::uint8_t opcode_ = 0;    // of the frame
  bool final_ = false;         // it ends its message
  bool in_payload_ = false;
  bool fragmented_ = false;  // a message has begun and not ended
  std::size_t mask_at_ = 0;  // which byte of the mask is next
  std::string control_;      // payload of a control frame, unmasked
};

}  // namespace outrider
