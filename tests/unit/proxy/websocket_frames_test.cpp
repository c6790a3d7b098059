#include "proxy/websocket_frames.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

// A frame as a client sends it: masked (RFC 6455 section 5.3).
std::string client_frame(std::uint8_t first, std::string_view payload) {
  std::string frame(1, static_cast<char>(first));
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    frame += static_cast<char>(0xFE);
    frame += static_cast<char>(payload.size() >> 8);
    frame += static_cast<char>(payload.size() & 0xFF);
  }
  const std::string_view mask = "\x11\x22\x33\x44";
  frame += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  return frame;
}

std::string server_frame(std::uint8_t opcode, std::string_view payload) {
  std::string frame;
  append_websocket_frame(frame, opcode, payload);
  return frame;
}

std::string close_frame(std::uint16_t code) {
  std::string frame;
  append_websocket_close(frame, code);
  return frame;
}

struct Verdict {
  bool goes_on = true;
  std::string reply;
  bool operator==(const Verdict&) const = default;
};

Verdict read(std::string_view bytes) {
  Verdict verdict;
  WebSocketReader reader;
  verdict.goes_on = reader.feed(bytes, verdict.reply);
  // The same from exact-size pieces, split at every place.
  for (std::size_t at = 0; at <= bytes.size(); ++at) {
    const std::string one{bytes.substr(0, at)}, other{bytes.substr(at)};
    Verdict again;
    WebSocketReader split;
    again.goes_on = split.feed(one, again.reply) && split.feed(other, again.reply);
    EXPECT_EQ(again, verdict) << "split at " << at;
  }
  return verdict;
}

// RFC 6455 section 5.2: the length in 7, 16 or 64 bits.
TEST(WebSocketFrames, LengthsHaveThreeForms) {
  EXPECT_EQ(server_frame(1, "hello"), std::string("\x81\x05hello"));
  EXPECT_EQ(server_frame(1, std::string(126, 'x')).substr(0, 4), std::string("\x81\x7e\x00\x7e", 4));
  EXPECT_EQ(server_frame(1, std::string(65536, 'x')).substr(0, 10), std::string("\x81\x7f\0\0\0\0\0\1\0\0", 10));
}

// Section 5.5.2.
TEST(WebSocketFrames, APing_IsAnsweredWithItsPayload) {
  EXPECT_EQ(read(client_frame(0x89, "are you there")), (Verdict{true, server_frame(10, "are you there")}));
}

// Section 5.5.1.
TEST(WebSocketFrames, AClose_IsAnsweredAndEndsIt) {
  EXPECT_EQ(read(client_frame(0x88,
                              "\x03\xe8"
                              "bye")),
            (Verdict{false, close_frame(1000)}));
  EXPECT_EQ(read(client_frame(0x88, "")), (Verdict{false, server_frame(8, "")}));
}

TEST(WebSocketFrames, MessagesAreSkipped_AlsoInPieces_WithControlFramesBetween) {
  EXPECT_EQ(read(client_frame(0x81, "hello") + client_frame(0x82, std::string(300, 'x'))), (Verdict{true, ""}));
  EXPECT_EQ(read(client_frame(0x01, "a") + client_frame(0x89, "p") + client_frame(0x80, "b")),
            (Verdict{true, server_frame(10, "p")}));
}

// Sections 5.1, 5.2, 5.4, 5.5.
TEST(WebSocketFrames, WhatIsNoFrameOfAClient_EndsIt) {
  const Verdict refused{false, close_frame(1002)};
  EXPECT_EQ(read("\x81\x05hello"), refused) << "not masked";
  EXPECT_EQ(read(client_frame(0xC1, "x")), refused) << "reserved bit";
  EXPECT_EQ(read(client_frame(0x83, "x")), refused) << "unknown opcode";
  EXPECT_EQ(read(client_frame(0x8B, "x")), refused) << "unknown control opcode";
  EXPECT_EQ(read(client_frame(0x09, "x")), refused) << "a ping in pieces";
  EXPECT_EQ(read(client_frame(0x89, std::string(126, 'x'))), refused) << "a long ping";
  EXPECT_EQ(read(client_frame(0x80, "x")), refused) << "a continuation of nothing";
  EXPECT_EQ(read(client_frame(0x01, "x") + client_frame(0x81, "y")), refused) << "a message inside another";
}

TEST(WebSocketFrames, AMessageThatIsTooLong_EndsItBeforeItIsRead) {
  const Verdict refused{false, close_frame(1009)};
  EXPECT_EQ(read(std::string("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10) + "mask"), refused);
  EXPECT_EQ(read(std::string("\x81\xff\0\0\0\0\0\1\0\1", 10) + "mask"), refused);
  std::string many;
  many += client_frame(0x01, std::string(40'000, 'x'));
  WebSocketReader reader;
  std::string reply;
  EXPECT_TRUE(reader.feed(many, reply));
  EXPECT_FALSE(reader.feed(client_frame(0x00, std::string(40'000, 'x')), reply));
  EXPECT_EQ(reply, close_frame(1009));
}

}  // namespace
}  // namespace outrider
