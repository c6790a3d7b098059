// Raw frames against a server: what RFC 9113 calls an error must be answered with that error, and what is thrown at us
// must stay within the limits (the HTTP/2 row of the hostile input list).
#include "base/http2_callbacks.hpp"

#include "tests/support/http2_pair.hpp"

#include <algorithm>

namespace outrider {
namespace {

using namespace testing::h2;
using testing::Http2Fixture;

constexpr std::uint32_t kNoError = 0, kProtocol = 1, kFlowControl = 3, kStreamClosed = 5, kFrameSize = 6, kRefused = 7,
                        kCompression = 9, kCalm = 11;

struct Expected {
  enum class What { connection_error, stream_error, answered } what;
  std::uint32_t code = 0;
  std::uint32_t other = 0;  // a second code that the RFC allows too
};
Expected connection_error(std::uint32_t code, std::uint32_t other = 99) {
  return {Expected::What::connection_error, code, other};
}
Expected stream_error(std::uint32_t code, std::uint32_t other = 99) {
  return {Expected::What::stream_error, code, other};
}
Expected answered() {
  return {Expected::What::answered};
}

struct RawCase {
  const char* section;
  const char* rule;
  std::string bytes;
  Expected expected;
};

std::string post(std::uint32_t stream, const Fields& more = {}) {
  Fields fields = {{":method", "POST"}, {":scheme", "https"}, {":authority", "example.org"}, {":path", "/"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return request(stream, fields, kEndHeaders);
}

std::vector<RawCase> cases() {
  const std::string ok = block(get());
  return {
      // --- frames
      {"4.1", "an unknown frame type is ignored", frame(0x16, 0, 0, "12345678") + request(1, get()), answered()},
      {"4.1", "undefined flags are ignored", frame(ping, 0x16, 0, "12345678") + request(1, get()), answered()},
      {"4.1", "the reserved bit is ignored", frame(ping, 0, 0x80000000, "12345678") + request(1, get()), answered()},
      {"4.2", "a DATA frame that is too large", post(1) + frame(data, 0, 1, std::string(16385, 'x')),
       connection_error(kFrameSize)},
      {"4.2", "a HEADERS frame that is too large", frame(headers, kEndHeaders, 1, std::string(16385, '\x82')),
       connection_error(kFrameSize)},
      {"4.3", "a header block that cannot be decoded",
       frame(headers, kEndHeaders | kEndStream, 1, std::string("\x00\xff", 2)), connection_error(kCompression)},
      {"4.3", "another frame in the middle of a header block",
       frame(headers, kEndStream, 1, ok) + frame(priority, 0, 1, "\0\0\0\0\x10"), connection_error(kProtocol)},
      {"4.3", "another stream in the middle of a header block", frame(headers, kEndStream, 1, ok) + request(3, get()),
       connection_error(kProtocol)},
      // --- states of a stream
      {"5.1", "DATA on an idle stream", frame(data, 0, 1, "x"), connection_error(kProtocol)},
      {"5.1", "RST_STREAM on an idle stream", frame(rst_stream, 0, 1, number(8)), connection_error(kProtocol)},
      {"5.1", "WINDOW_UPDATE on an idle stream", frame(window_update, 0, 1, number(1)), connection_error(kProtocol)},
      {"5.1", "CONTINUATION on an idle stream", frame(continuation, kEndHeaders, 1, ok), connection_error(kProtocol)},
      {"5.1", "DATA after END_STREAM", request(1, get()) + frame(data, kEndStream, 1, "x"),
       stream_error(kStreamClosed, kProtocol)},
      {"5.1", "HEADERS after END_STREAM", request(1, get()) + request(1, get()),
       connection_error(kStreamClosed, kProtocol)},
      {"5.1.1", "an even stream id of a client", request(2, get()), connection_error(kProtocol)},
      // --- types of frames
      {"6.1", "DATA on stream 0", frame(data, 0, 0, "x"), connection_error(kProtocol)},
      {"6.1", "padding longer than DATA", post(1) + frame(data, kPadded | kEndStream, 1, "\x06test"),
       connection_error(kProtocol)},
      {"6.2", "HEADERS on stream 0", request(0, get()), connection_error(kProtocol)},
      {"6.2", "padding longer than HEADERS", frame(headers, kPadded | kEndHeaders | kEndStream, 1, "\x7f" + ok),
       connection_error(kProtocol)},
      {"6.3", "PRIORITY on stream 0", frame(priority, 0, 0, std::string(5, '\0')), connection_error(kProtocol)},
      {"6.3", "PRIORITY of a wrong size", request(1, get()) + frame(priority, 0, 1, "\0\0\0\1"),
       connection_error(kFrameSize)},
      {"6.4", "RST_STREAM on stream 0", frame(rst_stream, 0, 0, number(8)), connection_error(kProtocol)},
      {"6.4", "RST_STREAM of a wrong size", post(1) + frame(rst_stream, 0, 1, "\0\0\0"), connection_error(kFrameSize)},
      {"6.5", "SETTINGS ACK with a payload", frame(settings, kAck, 0, setting(3, 1)), connection_error(kFrameSize)},
      {"6.5", "SETTINGS on a stream", frame(settings, 0, 1, setting(3, 1)), connection_error(kProtocol)},
      {"6.5", "SETTINGS of a wrong size", frame(settings, 0, 0, "123"), connection_error(kFrameSize)},
      {"6.5.2", "ENABLE_PUSH that is neither 0 nor 1", frame(settings, 0, 0, setting(2, 2)),
       connection_error(kProtocol)},
      {"6.5.2", "INITIAL_WINDOW_SIZE above 2^31-1", frame(settings, 0, 0, setting(4, 0x80000000)),
       connection_error(kFlowControl)},
      {"6.5.2", "MAX_FRAME_SIZE below 2^14", frame(settings, 0, 0, setting(5, 16383)), connection_error(kProtocol)},
      {"6.5.2", "MAX_FRAME_SIZE above 2^24-1", frame(settings, 0, 0, setting(5, 16777216)),
       connection_error(kProtocol)},
      {"6.5.2", "an unknown setting is ignored", frame(settings, 0, 0, setting(0xff, 1)) + request(1, get()),
       answered()},
      {"6.6", "PUSH_PROMISE of a client", request(1, get()) + frame(push_promise, kEndHeaders, 1, number(2) + ok),
       connection_error(kProtocol)},
      {"6.7", "PING on a stream", frame(ping, 0, 1, "12345678"), connection_error(kProtocol)},
      {"6.7", "PING of a wrong size", frame(ping, 0, 0, "1234567"), connection_error(kFrameSize)},
      {"6.8", "GOAWAY on a stream", frame(goaway, 0, 1, number(0) + number(0)), connection_error(kProtocol)},
      {"6.9", "WINDOW_UPDATE by nothing, connection", frame(window_update, 0, 0, number(0)),
       connection_error(kProtocol)},
      {"6.9", "WINDOW_UPDATE by nothing, stream", post(1) + frame(window_update, 0, 1, number(0)),
       stream_error(kProtocol)},
      {"6.9", "WINDOW_UPDATE of a wrong size", frame(window_update, 0, 0, "123"), connection_error(kFrameSize)},
      {"6.9.1", "a connection window above 2^31-1", frame(window_update, 0, 0, number(0x7fffffff)),
       connection_error(kFlowControl)},
      {"6.9.1", "a stream window above 2^31-1", post(1) + frame(window_update, 0, 1, number(0x7fffffff)),
       stream_error(kFlowControl)},
      {"6.10", "CONTINUATION after END_HEADERS", post(1) + frame(continuation, kEndHeaders, 1, ok),
       connection_error(kProtocol)},
      {"6.10", "a block in pieces",
       frame(headers, kEndStream, 1, ok.substr(0, 5)) + frame(continuation, 0, 1, ok.substr(5, 5)) +
           frame(continuation, kEndHeaders, 1, ok.substr(10)),
       answered()},
      // --- messages
      {"8.1", "a second HEADERS without END_STREAM", post(1) + request(1, {{"x", "y"}}, kEndHeaders),
       stream_error(kProtocol)},
      {"8.1", "trailers", post(1) + frame(data, 0, 1, "body") + request(1, {{"x-sum", "1"}}), answered()},
      {"8.1", "a pseudo field in trailers", post(1) + frame(data, 0, 1, "b") + request(1, {{":method", "GET"}}),
       stream_error(kProtocol)},
      {"8.1.1", "less DATA than Content-Length says",
       post(1, {{"content-length", "5"}}) + frame(data, kEndStream, 1, "abc"), stream_error(kProtocol)},
      {"8.1.1", "more DATA than Content-Length says",
       post(1, {{"content-length", "2"}}) + frame(data, kEndStream, 1, "abc"), stream_error(kProtocol)},
      {"8.1.1", "Content-Length without a body", request(1, with(get(), {{"content-length", "5"}})),
       stream_error(kProtocol)},
      {"8.2", "upper case in a name", request(1, with(get(), {{"X-Upper", "a"}})), stream_error(kProtocol)},
      {"8.2.1", "CR LF in a value", request(1, with(get(), {{"x", "a\r\nevil: 1"}})), stream_error(kProtocol)},
      {"8.2.1", "NUL in a value", request(1, with(get(), {{"x", std::string("a\0b", 3)}})), stream_error(kProtocol)},
      {"8.2.1", "a space in a name", request(1, with(get(), {{"x y", "a"}})), stream_error(kProtocol)},
      {"8.2.2", "Connection", request(1, with(get(), {{"connection", "keep-alive"}})), stream_error(kProtocol)},
      {"8.2.2", "Transfer-Encoding", request(1, with(get(), {{"transfer-encoding", "chunked"}})),
       stream_error(kProtocol)},
      {"8.2.2", "TE with more than trailers", request(1, with(get(), {{"te", "trailers, deflate"}})),
       stream_error(kProtocol)},
      {"8.3", "an unknown pseudo field", request(1, with(get(), {{":test", "x"}})), stream_error(kProtocol)},
      {"8.3", "a pseudo field of responses", request(1, with(get(), {{":status", "200"}})), stream_error(kProtocol)},
      {"8.3", "a pseudo field behind others",
       request(1, {{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {"x", "y"}, {":path", "/"}}),
       stream_error(kProtocol)},
      {"8.3.1", "CR LF in :path", request(1, get("/a\r\nHost: evil")), stream_error(kProtocol)},
      {"8.3.1", "CR LF in :authority",
       request(1, {{":method", "GET"}, {":scheme", "https"}, {":authority", "a\r\nb"}, {":path", "/"}}),
       stream_error(kProtocol)},
      {"8.3.1", "an empty :path", request(1, get("")), stream_error(kProtocol)},
      {"8.3.1", "no :method", request(1, {{":scheme", "https"}, {":authority", "a"}, {":path", "/"}}),
       stream_error(kProtocol)},
      {"8.3.1", "no :scheme", request(1, {{":method", "GET"}, {":authority", "a"}, {":path", "/"}}),
       stream_error(kProtocol)},
      {"8.3.1", "no :path", request(1, {{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}}),
       stream_error(kProtocol)},
      {"8.3.1", ":path twice", request(1, with(get(), {{":path", "/other"}})), stream_error(kProtocol)},
      {"8.3.1", "Host that says something else", request(1, with(get(), {{"host", "evil.example"}})),
       stream_error(kProtocol)},
      {"8441", ":protocol that was not announced",
       request(1,
               {{":method", "CONNECT"},
                {":protocol", "websocket"},
                {":scheme", "https"},
                {":authority", "a"},
                {":path", "/"}},
               kEndHeaders),
       stream_error(kProtocol)},
      // --- HPACK (RFC 7541)
      {"7541 6.1", "an index that does not exist", frame(headers, kEndHeaders | kEndStream, 1, "\xff\xff\x7f"),
       connection_error(kCompression)},
      {"7541 6.3", "a table size above the limit",
       frame(headers, kEndHeaders | kEndStream, 1, "\x3f\xff\xff\xff\x07" + ok), connection_error(kCompression)},
      {"7541 5.2", "Huffman with the end-of-string symbol",
       frame(headers, kEndHeaders | kEndStream, 1,
             std::string{"\x00\x85\xf2\xb2\x4a\x84\xff\x84\x49\x50\x9f\xff", 12} + ok),
       connection_error(kCompression)},
  };
}

struct Http2CallbacksTest : Http2Fixture {};

std::string describe(const std::vector<Frame>& frames) {
  std::string text;
  for (const Frame& f : frames) {
    text += " type=" + std::to_string(f.type) + " stream=" + std::to_string(f.stream);
    if (f.type == rst_stream) text += " code=" + std::to_string(f.number_at(0));
    if (f.type == goaway) text += " code=" + std::to_string(f.number_at(4));
  }
  return text;
}

const Frame* find(const std::vector<Frame>& frames, std::uint8_t type, std::uint32_t stream) {
  const auto found =
      std::find_if(frames.begin(), frames.end(), [&](const Frame& f) { return f.type == type && f.stream == stream; });
  return found == frames.end() ? nullptr : &*found;
}

TEST_F(Http2CallbacksTest, EveryViolation_IsAnsweredWithItsErrorCode) {
  for (const RawCase& c : cases()) {
    SCOPED_TRACE(std::string{"RFC 9113 section "} + c.section + ": " + c.rule);
    const std::vector<Frame> frames = ask(c.bytes);
    const Frame* away = find(frames, goaway, 0);
    switch (c.expected.what) {
      case Expected::What::connection_error:
        EXPECT_TRUE(away != nullptr &&
                    (away->number_at(4) == c.expected.code || away->number_at(4) == c.expected.other))
            << describe(frames);
        break;
      case Expected::What::stream_error: {
        const Frame* reset = find(frames, rst_stream, 1);
        if (reset == nullptr && away != nullptr) {  // a stream error may be treated as a connection error (section 5.4)
          EXPECT_TRUE(away->number_at(4) == c.expected.code || away->number_at(4) == c.expected.other)
              << describe(frames);
          break;
        }
        EXPECT_TRUE(reset != nullptr &&
                    (reset->number_at(0) == c.expected.code || reset->number_at(0) == c.expected.other))
            << describe(frames);
        EXPECT_EQ(away, nullptr) << "the connection goes on";
        break;
      }
      case Expected::What::answered:
        EXPECT_NE(find(frames, headers, 1), nullptr) << describe(frames);
        EXPECT_EQ(away, nullptr);
        break;
    }
    reactor.context().restart();
  }
}

// RFC 9113 section 5.1.1 asks for a connection error. nghttp2 cannot tell a stream that was skipped from one that has
// ended, where late frames are nobody's fault (section 5.1), and ignores both: what matters is that it is not served.
TEST_F(Http2CallbacksTest, StreamIdThatGoesBack_IsNotServed) {
  const std::vector<Frame> frames = ask(request(5, get()) + request(3, get()));
  EXPECT_EQ(requests, 1U);
  EXPECT_EQ(find(frames, headers, 3), nullptr);
}

// RFC 9113 section 3.4.
TEST_F(Http2CallbacksTest, BadPreface_EndsTheConnection) {
  const std::vector<Frame> frames = ask("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", false);
  const Frame* away = find(frames, goaway, 0);
  ASSERT_NE(away, nullptr) << describe(frames);
  EXPECT_EQ(away->number_at(4), kProtocol);
}

TEST_F(Http2CallbacksTest, StreamsOverTheLimit_AreRefused) {
  limits.streams = 3;
  serve = [](std::shared_ptr<Http2Stream> stream) -> Task<> {
    co_await stream->read();  // none of them ends
  };
  std::string bytes;
  for (std::uint32_t id = 1; id <= 9; id += 2) bytes += post(id);
  const std::vector<Frame> frames = ask(bytes);
  EXPECT_EQ(requests, 3U);
  for (const std::uint32_t id : {7U, 9U}) {
    const Frame* reset = find(frames, rst_stream, id);
    ASSERT_NE(reset, nullptr) << describe(frames);
    EXPECT_TRUE(reset->number_at(0) == kRefused || reset->number_at(0) == kProtocol);
  }
}

// CVE-2023-44487.
TEST_F(Http2CallbacksTest, RapidReset_EndsTheConnection) {
  std::string bytes;
  for (std::uint32_t id = 1; id < 4000; id += 2) bytes += request(id, get()) + frame(rst_stream, 0, id, number(8));
  const std::vector<Frame> frames = ask(bytes);
  ASSERT_NE(find(frames, goaway, 0), nullptr);
  EXPECT_NE(find(frames, goaway, 0)->number_at(4), kNoError);
  EXPECT_LT(requests, 1000U);
}

TEST_F(Http2CallbacksTest, EndlessContinuation_EndsTheConnection) {
  std::string bytes = frame(headers, kEndStream, 1, block(get()));
  for (int i = 0; i < 1000; ++i) bytes += frame(continuation, 0, 1, block({{"x", "y"}}));
  const std::vector<Frame> frames = ask(bytes);
  ASSERT_NE(find(frames, goaway, 0), nullptr) << describe(frames);
  EXPECT_EQ(find(frames, goaway, 0)->number_at(4), kCalm);
  EXPECT_EQ(requests, 0U);
}

// A field of 4,000 bytes in the table, then its index again and again: a few hundred bytes that mean megabytes.
TEST_F(Http2CallbacksTest, HpackBomb_IsAnsweredWith431) {
  std::string bomb = block(get());
  bomb += '\x40' + literal("bomb") + literal(std::string(3900, 'x'));
  bomb += std::string(10'000, '\xbe');  // index 62, the newest entry
  const std::vector<Frame> frames = ask(frame(headers, kEndHeaders | kEndStream, 1, bomb));
  EXPECT_EQ(requests, 1U);
  const Frame* answer = find(frames, headers, 1);
  ASSERT_NE(answer, nullptr) << describe(frames);
  EXPECT_NE(answer->payload.find("431"), std::string::npos);
}

TEST_F(Http2CallbacksTest, FloodsOfControlFrames_EndTheConnection) {
  const std::vector<std::pair<const char*, std::string>> floods = {
      {"PING", frame(ping, 0, 0, "12345678")},
      {"SETTINGS", frame(settings, 0, 0)},
      {"PRIORITY", frame(priority, 0, 1, std::string(5, '\1'))},
      {"empty DATA", frame(data, 0, 1)},
  };
  for (const auto& [name, one] : floods) {
    SCOPED_TRACE(name);
    std::string bytes = post(1);
    for (int i = 0; i < 3000; ++i) bytes += one;
    const std::vector<Frame> frames = ask(bytes);
    ASSERT_NE(find(frames, goaway, 0), nullptr);
    EXPECT_EQ(find(frames, goaway, 0)->number_at(4), kCalm);
    reactor.context().restart();
  }
}

// RFC 9113 section 6.9: whoever sends more than the window allows.
TEST_F(Http2CallbacksTest, DataBeyondTheWindow_IsAnError_AndMemoryIsBounded) {
  limits.stream_window = 65'535;
  serve = [](std::shared_ptr<Http2Stream> stream) -> Task<> {
    AsyncEvent never{stream->connection()->stream().reactor().executor()};
    co_await never.wait();  // reads nothing
  };
  std::string bytes = post(1);
  for (int i = 0; i < 5; ++i) bytes += frame(data, 0, 1, std::string(16'000, 'x'));
  const std::vector<Frame> frames = ask(bytes);
  const Frame* away = find(frames, goaway, 0);
  const Frame* reset = find(frames, rst_stream, 1);
  ASSERT_TRUE(away != nullptr || reset != nullptr) << describe(frames);
  EXPECT_EQ(away != nullptr ? away->number_at(4) : reset->number_at(0), kFlowControl);
  EXPECT_EQ(find(frames, window_update, 1), nullptr) << "nobody has read anything";
}

}  // namespace
}  // namespace outrider
