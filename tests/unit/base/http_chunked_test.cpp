#include "base/http_chunked.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace outrider {
namespace {

// "data|data|last +N" or "… refused" / "… more": what comes out if the input arrives in these pieces; data is joined.
std::string decode(const std::vector<std::string>& pieces, std::size_t extension_limit = 100) {
  ChunkedDecoder decoder;
  decoder.restart(extension_limit);
  std::string data;
  for (const std::string& piece : pieces) {
    std::string_view rest = piece;
    while (true) {
      const ChunkStep step = decoder.next(rest);
      data += step.data;
      rest.remove_prefix(step.consumed);
      if (step.event == ChunkStep::Event::refused) return data + " refused";
      if (step.event == ChunkStep::Event::last_chunk) return data + " last";
      if (step.event == ChunkStep::Event::need_more) break;
    }
    EXPECT_TRUE(rest.empty());
  }
  return data + " more";
}

// Also in two pieces at every position, and byte by byte.
std::string decode_split(const std::string& input, std::size_t extension_limit = 100) {
  const std::string whole = decode({input}, extension_limit);
  for (std::size_t at = 0; at <= input.size(); ++at)
    EXPECT_EQ(decode({input.substr(0, at), input.substr(at)}, extension_limit), whole) << input << " split at " << at;
  std::vector<std::string> bytes;
  for (const char c : input) bytes.emplace_back(1, c);
  EXPECT_EQ(decode(bytes, extension_limit), whole) << input << " byte by byte";
  return whole;
}

TEST(HttpChunked, Chunks_AreJoined) {  // RFC 9112 section 7.1
  EXPECT_EQ(decode_split("5\r\nhello\r\n6\r\n world\r\n0\r\n"), "hello world last");
  EXPECT_EQ(decode_split("0\r\n"), " last");
  EXPECT_EQ(decode_split("a\r\n0123456789\r\nA\r\n0123456789\r\n000\r\n"), "01234567890123456789 last");
  EXPECT_EQ(decode_split("0000000000000003\r\nabc\r\n0\r\n"), "abc last");
  EXPECT_EQ(decode_split("3\r\n\r\n\n\r\n0\r\n"), "\r\n\n last");  // data may look like framing
}

TEST(HttpChunked, Extensions_AreIgnored) {  // RFC 9112 section 7.1.1
  EXPECT_EQ(decode_split("3;a=b;c\r\nabc\r\n0;last\r\n"), "abc last");
  EXPECT_EQ(decode_split("3; a = \"q;\\\" x\"\t\r\nabc\r\n0\r\n"), "abc last");
  EXPECT_EQ(decode_split("3;\r\nabc\r\n0\r\n"), "abc last");
  EXPECT_EQ(decode_split("3;\xc3\xa4\r\nabc\r\n0\r\n"), "abc last");
}

TEST(HttpChunked, BadSizes_AreRefused) {
  for (const std::string size : {"",
                                 "+3",
                                 "-3",
                                 "0x3",
                                 "3h",
                                 "g",
                                 " 3",
                                 "3 ",
                                 "\t3",
                                 "3\t",
                                 "3 ;a",
                                 "3,",
                                 "3.0",
                                 "00000000000000003",
                                 "8000000000000000",
                                 "ffffffffffffffff",
                                 "10000000000000000",
                                 "\"3\"",
                                 "3\v",
                                 ";a"})
    EXPECT_EQ(decode_split(size + "\r\nabc\r\n0\r\n"), " refused") << size;
  EXPECT_EQ(decode_split("7fffffffffffffff\r\nabc"), "abc more");
}

TEST(HttpChunked, OnlyCrLfEndsALine) {
  for (const std::string input : {"3\nabc\r\n0\r\n", "3\rabc\r\n0\r\n", "3\r\rabc", "3;a\nabc\r\n0\r\n",
                                  "3;a\rabc\r\n0\r\n", "3;a\x01\r\n", "3;\x7f\r\n"})
    EXPECT_EQ(decode_split(input), " refused") << input;
  EXPECT_EQ(decode_split("3;a" + std::string(1, '\0') + "\r\nabc\r\n0\r\n"), " refused");
}

TEST(HttpChunked, DataMustEndWhereItsSizeSays) {
  EXPECT_EQ(decode_split("3\r\nabcd\r\n0\r\n"), "abc refused");
  EXPECT_EQ(decode_split("3\r\nabc0\r\n\r\n"), "abc refused");
  EXPECT_EQ(decode_split("3\r\nabc\n0\r\n"), "abc refused");
  EXPECT_EQ(decode_split("3\r\nabc\rx"), "abc refused");
  EXPECT_EQ(decode_split("3\r\nabc\r\n\r\n"), "abc refused");
  EXPECT_EQ(decode_split("3\r\nab"), "ab more");
}

TEST(HttpChunked, Extensions_AreLimitedOverAllChunks) {
  EXPECT_EQ(decode_split("1;aa\r\nx\r\n1;aa\r\ny\r\n0\r\n", 6), "xy last");
  EXPECT_EQ(decode_split("1;aa\r\nx\r\n1;aa\r\ny\r\n0\r\n", 5), "x refused");
  EXPECT_EQ(decode_split("1;aaaaaa\r\nx\r\n0\r\n", 6), " refused");
}

}  // namespace
}  // namespace outrider
