#include "proxy/websocket_frames.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr std::uint8_t kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10;
constexpr std::uint64_t kLongestControl = 125;  // section 5.5

bool is_control(std::uint8_t opcode) {
  return opcode >= 8;
}

std::uint8_t byte_of(char c) {
  return static_cast<std::uint8_t>(c);
}

}  // namespace

void append_websocket_frame(std::string& out, std::uint8_t opcode, std::string_view payload) {
  out += static_cast<char>(0x80 | opcode);
  const std::uint64_t size = payload.size();
  const auto put = [&out, size](int bytes) {
    for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(size >> (8 * i) & 0xFF);
  };
  if (size <= kLongestControl) {
    put(1);
  } else if (size <= 0xFFFF) {
    out += static_cast<char>(126);
    put(2);
  } else {
    out += static_cast<char>(127);
    put(8);
  }
  out += payload;
}

void append_websocket_close(std::string& out, std::uint16_t code) {
  const char payload[] = {static_cast<char>(code >> 8), static_cast<char>(code & 0xFF)};
  append_websocket_frame(out, kClose, {payload, 2});
}

bool WebSocketReader::refuse(std::string& reply, std::uint16_t code) {
  append_websocket_close(reply, code);
  return false;
}

std::size_t WebSocketReader::head_size() const {
  if (head_.size() < 2) return 2;
  const std::uint8_t size = byte_of(head_[1]) & 0x7F;
  return 2U + 4U + (size == 126 ? 2U : size == 127 ? 8U : 0U);  // a client always masks
}

bool WebSocketReader::head(std::string& reply) {
  const std::uint8_t first = byte_of(head_[0]), second = byte_of(head_[1]);
  final_ = (first & 0x80) != 0;
  opcode_ = first & 0x0F;
  const bool known = opcode_ <= kBinary || (opcode_ >= kClose && opcode_ <= kPong);
  // No extension was agreed upon, so the reserved bits are 0; a client masks (sections 5.1, 5.2).
  if ((first & 0x70) != 0 || !known) return refuse(reply, kWebSocketProtocolError);
  const std::uint8_t short_size = second & 0x7F;
  left_ = short_size;
  if (short_size >= 126) {
    left_ = 0;
    for (std::size_t i = 2; i < head_.size() - 4; ++i) left_ = left_ << 8 | byte_of(head_[i]);
  }
  if (is_control(opcode_)) {
    if (!final_ || left_ > kLongestControl) return refuse(reply, kWebSocketProtocolError);
    control_.clear();
  } else {
    if ((opcode_ == kContinuation) != fragmented_) return refuse(reply, kWebSocketProtocolError);
    if (left_ > kLongestWebSocketMessage || message_ + left_ > kLongestWebSocketMessage)
      return refuse(reply, kWebSocketTooBig);
    message_ += left_;
    fragmented_ = !final_;
    if (final_) message_ = 0;
  }
  mask_at_ = 0;
  in_payload_ = true;
  return true;
}

bool WebSocketReader::finished(std::string& reply) {
  in_payload_ = false;
  head_.clear();
  if (opcode_ == kPing) append_websocket_frame(reply, kPong, control_);
  if (opcode_ != kClose) return true;
  append_websocket_frame(reply, kClose, std::string_view{control_}.substr(0, 2));  // the code, not the reason
  return false;
}

bool WebSocketReader::feed(std::string_view bytes, std::string& reply) {
  for (;;) {
    if (in_payload_ && left_ == 0) {
      if (!finished(reply)) return false;
      continue;
    }
    if (bytes.empty()) return true;
    if (!in_payload_) {
      head_ += bytes.front();
      bytes.remove_prefix(1);
      if (head_.size() == 2 && (byte_of(head_[1]) & 0x80) == 0) return refuse(reply, kWebSocketProtocolError);
      if (head_.size() == head_size() && !head(reply)) return false;
      continue;
    }
    const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
    if (is_control(opcode_)) {
      const std::string_view mask = std::string_view{head_}.substr(head_.size() - 4);
      for (std::size_t i = 0; i < taken; ++i)
        control_ += static_cast<char>(byte_of(bytes[i]) ^ byte_of(mask[mask_at_++ % 4]));
    }
    left_ -= taken;
    bytes.remove_prefix(taken);
  }
}

}  // namespace outrider
