#include "base/http_writer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace outrider {
namespace {

TEST(HttpWriter, RequestHead_IsWrittenAsHttp11WithTheGivenTarget) {
  RequestHead head;
  head.version = HttpVersion::http10;
  head.target = "http://a.example/x";
  head.headers.add("Host", "a.example");
  std::string out = "before ";
  write_request_head(out, head, "/x");
  EXPECT_EQ(out, "before GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n");
}

TEST(HttpWriter, ExtensionMethod_IsWrittenAsItCame) {
  RequestHead head;
  head.method = Method::other;
  head.method_text = "PROPFIND";
  std::string out;
  write_request_head(out, head, "/");
  EXPECT_EQ(out, "PROPFIND / HTTP/1.1\r\n\r\n");
}

TEST(HttpWriter, ResponseHead_KeepsTheSpaceBehindTheStatus) {  // RFC 9112 section 4
  ResponseHead head;
  head.status = 404;
  head.reason = "Not Found";
  head.headers.add("Content-Length", "0");
  std::string out;
  write_response_head(out, head);
  EXPECT_EQ(out, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  head.reason.clear();
  out.clear();
  write_response_head(out, head);
  EXPECT_EQ(out, "HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n");
}

TEST(HttpWriter, ImpossibleStatus_BecomesServerError) {
  ResponseHead head;
  for (const int status : {-1, 0, 99, 1000}) {
    head.status = status;
    std::string out;
    write_response_head(out, head);
    EXPECT_EQ(out, "HTTP/1.1 500 \r\n\r\n");
  }
}

// Whatever a plugin or a bug puts there, a start line stays one line.
TEST(HttpWriter, LineBreaksInStartLines_BecomeSpaces) {
  RequestHead request;
  request.method_text = "GET\r\nX";
  std::string out;
  write_request_head(out, request, "/a\r\nHost: evil");
  EXPECT_EQ(out, "GET  X /a  Host: evil HTTP/1.1\r\n\r\n");
  ResponseHead response;
  response.reason = std::string{"O\r\nK\0", 5};
  out.clear();
  write_response_head(out, response);
  EXPECT_EQ(out, "HTTP/1.1 200 O  K \r\n\r\n");
}

TEST(HttpWriter, ChunkSizes_AreHexadecimal) {
  const auto start = [](std::size_t size) {
    std::string out;
    write_chunk_start(out, size);
    return out;
  };
  EXPECT_EQ(start(1), "1\r\n");
  EXPECT_EQ(start(15), "f\r\n");
  EXPECT_EQ(start(16), "10\r\n");
  EXPECT_EQ(start(0x1a2b), "1a2b\r\n");
  EXPECT_EQ(start(std::numeric_limits<std::size_t>::max()), "ffffffffffffffff\r\n");
}

TEST(HttpWriter, LastChunk_CarriesTrailers) {
  HeaderMap trailers;
  std::string out;
  write_last_chunk(out, trailers);
  EXPECT_EQ(out, "0\r\n\r\n");
  trailers.add("Digest", "x");
  out.clear();
  write_last_chunk(out, trailers);
  EXPECT_EQ(out, "0\r\nDigest: x\r\n\r\n");
}

TEST(HttpWriter, DefaultReasons) {
  EXPECT_EQ(default_reason(200), "OK");
  EXPECT_EQ(default_reason(404), "Not Found");
  EXPECT_EQ(default_reason(413), "Content Too Large");
  EXPECT_EQ(default_reason(431), "Request Header Fields Too Large");
  EXPECT_EQ(default_reason(505), "HTTP Version Not Supported");
  EXPECT_EQ(default_reason(299), "");
}

}  // namespace
}  // namespace outrider
