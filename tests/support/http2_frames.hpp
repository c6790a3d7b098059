// HTTP/2 byte by byte, for tests that say what no library would: frames, and header blocks without compression.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider::testing::h2 {

enum Type : std::uint8_t {
  data = 0,
  headers = 1,
  priority = 2,
  rst_stream = 3,
  settings = 4,
  push_promise = 5,
  ping = 6,
  goaway = 7,
  window_update = 8,
  continuation = 9
};
inline constexpr std::uint8_t kEndStream = 1, kAck = 1, kEndHeaders = 4, kPadded = 8, kPriority = 0x20;
inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

inline std::string number(std::uint32_t value) {
  std::string text;
  for (const int shift : {24, 16, 8, 0}) text += static_cast<char>(value >> shift & 0xff);
  return text;
}

inline std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload = {}) {
  std::string text = number(static_cast<std::uint32_t>(payload.size())).substr(1);
  text += static_cast<char>(type);
  text += static_cast<char>(flags);
  text += number(stream);
  text += payload;
  return text;
}

inline std::string setting(std::uint16_t id, std::uint32_t value) {
  return number(id).substr(2) + number(value);
}

// A string of HPACK, as it is (RFC 7541 section 5.2).
inline std::string literal(std::string_view text) {
  std::string out;
  std::size_t length = text.size();
  if (length < 127) {
    out += static_cast<char>(length);
  } else {
    out += '\x7f';
    for (length -= 127; length >= 128; length /= 128) out += static_cast<char>(length % 128 + 128);
    out += static_cast<char>(length);
  }
  return out.append(text);
}

using Fields = std::vector<std::pair<std::string, std::string>>;

inline std::string block(const Fields& fields) {
  std::string out;
  for (const auto& [name, value] : fields) out += '\0' + literal(name) + literal(value);
  return out;
}

inline Fields get(std::string path = "/") {
  return {{":method", "GET"}, {":scheme", "https"}, {":authority", "example.org"}, {":path", std::move(path)}};
}
inline Fields with(Fields fields, std::initializer_list<std::pair<std::string, std::string>> more) {
  fields.insert(fields.end(), more);
  return fields;
}
inline std::string request(std::uint32_t stream, const Fields& fields, std::uint8_t flags = kEndStream | kEndHeaders) {
  return frame(headers, flags, stream, block(fields));
}

struct Frame {
  std::uint8_t type = 0, flags = 0;
  std::uint32_t stream = 0;
  std::string payload;

  std::uint32_t number_at(std::size_t at) const {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4 && i < payload.size(); ++i)
      value = value << 8 | static_cast<unsigned char>(payload[i]);
    return value;
  }
};

// Takes the first complete frame out of `bytes`; false: there is none.
inline bool take_frame(std::string& bytes, Frame& out) {
  constexpr std::size_t kHeader = 9;
  if (bytes.size() < kHeader) return false;
  const auto byte = [&bytes](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  const std::size_t length = byte(0) << 16 | byte(1) << 8 | byte(2);
  if (bytes.size() < kHeader + length) return false;
  out.type = byte(3);
  out.flags = byte(4);
  out.stream = (byte(5) & 0x7fU) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8);
  out.payload = bytes.substr(kHeader, length);
  bytes.erase(0, kHeader + length);
  return true;
}

}  // namespace outrider::testing::h2
