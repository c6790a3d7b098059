// What well-formed HTTP/1 means, in both directions; each input also split at every byte.
#include "base/http_codec.hpp"

#include "base/http_writer.hpp"
#include "tests/support/split_feeder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace outrider {
namespace {

std::string requests(std::string_view input, const test::FeedOptions& options = {}) {
  const test::SplitOutcome outcome = test::feed_split<RequestParser>(input, options);
  EXPECT_EQ(outcome.mismatch, "");
  return outcome.whole;
}

std::string responses(std::string_view input, Method method = Method::get, bool close = false) {
  test::FeedOptions options;
  options.method = method;
  options.close = close;
  const test::SplitOutcome outcome = test::feed_split<ResponseParser>(input, options);
  EXPECT_EQ(outcome.mismatch, "");
  return outcome.whole;
}

// --- requests

TEST(RequestCodec, BrowserRequestToAProxy) {
  EXPECT_EQ(
      requests(
          "GET http://a.example/x?y=|z HTTP/1.1\r\nHost: a.example\r\nUser-Agent:  Mozilla/5.0 \t\r\nX-Empty:\r\n\r\n"),
      "head GET http://a.example/x?y=|z 1.1 [Host|a.example] [User-Agent|Mozilla/5.0] [X-Empty|] (none, "
      "keep)\ndone\nmore\n");
}

TEST(RequestCodec, FieldValue_MayHoldTabsAndBytesAbove127) {
  EXPECT_EQ(requests("GET / HTTP/1.1\r\nHost: a\r\nX: a\tb \xc3\xa4\xff\r\n\r\n"),
            "head GET / 1.1 [Host|a] [X|a\tb \xc3\xa4\xff] (none, keep)\ndone\nmore\n");
}

TEST(RequestCodec, PipelinedRequests_ComeOneByOne) {  // RFC 9112 section 9.3.2
  EXPECT_EQ(requests("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET "
                     "/3 HTTP/1.1\r\nHost: a\r\n\r\nGE"),
            "head GET /1 1.1 [Host|a] (none, keep)\ndone\n"
            "head POST /2 1.1 [Host|a] [Content-Length|3] (length 3, keep)\nbody abc\ndone\n"
            "head GET /3 1.1 [Host|a] (none, keep)\ndone\nmore, started\n");
}

TEST(RequestCodec, EmptyLinesBeforeARequest_AreIgnored) {  // RFC 9112 section 2.2
  EXPECT_EQ(requests("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n"),
            "head GET / 1.1 [Host|a] (none, keep)\ndone\nmore\n");
}

TEST(RequestCodec, ChunkedBody_WithExtensionsAndTrailers) {  // RFC 9112 section 7.1
  EXPECT_EQ(
      requests("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=\"y\"\r\nhello\r\n6\r\n "
               "world\r\n0\r\nDigest: d\r\nX: y\r\n\r\n"
               "GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
      "head POST / 1.1 [Host|a] [Transfer-Encoding|chunked] (chunked, keep)\nbody hello world\ndone [Digest|d] [X|y]\n"
      "head GET / 1.1 [Host|a] (none, keep)\ndone\nmore\n");
}

TEST(RequestCodec, TransferEncoding_WithLegalWhiteSpace_IsChunked) {
  for (const std::string_view value : {"chunked", " chunked", "\tChunked", "  CHUNKED  ", "chunked\t"}) {
    const std::string input =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:" + std::string{value} + "\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    const std::string outcome = requests(input);
    EXPECT_NE(outcome.find("(chunked, keep)\nbody abc\ndone\nmore\n"), std::string::npos) << outcome;
  }
}

TEST(RequestCodec, ForbiddenTrailers_AreDropped) {  // RFC 9110 section 6.5.1
  EXPECT_EQ(requests("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nCookie: evil\r\nKeep: "
                     "1\r\nAuthorization: evil\r\ncookie: 2\r\n\r\n"),
            "head POST / 1.1 [Host|a] [Transfer-Encoding|chunked] (chunked, keep)\ndone [Keep|1]\nmore\n");
}

TEST(RequestCodec, Persistence) {  // RFC 9112 section 9.3
  const auto keeps = [](std::string_view version, std::string_view fields) {
    return requests("GET / HTTP/" + std::string{version} + "\r\nHost: a\r\n" + std::string{fields} + "\r\n")
               .find(", keep)") != std::string::npos;
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_TRUE(keeps("1.1", "Connection: keep-alive\r\n"));
  EXPECT_TRUE(keeps("1.1", "Connection: x-close, closed\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: foo, CLOSE\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_FALSE(keeps("1.0", "Connection: keep-alive\r\n"));  // a proxy must not
  EXPECT_TRUE(keeps("1.1", "Proxy-Connection: close\r\n"));  // means nothing
}

TEST(RequestCodec, Http10_NeedsNoHost) {
  EXPECT_EQ(requests("GET http://a/ HTTP/1.0\r\n\r\n"), "head GET http://a/ 1.0 (none, close)\ndone\nmore\n");
}

TEST(RequestCodec, Connect_OpensATunnel_WhatFollowsIsNotHttp) {  // RFC 9110 section 9.3.6
  EXPECT_EQ(requests("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n\x16\x03\x01"),
            "head CONNECT a.example:443 1.1 [Host|a.example:443] (tunnel, keep)\ntunnel \x16\x03\x01\n");
}

TEST(RequestCodec, RefusedConnect_NextRequestFollows) {
  RequestParser parser;
  const std::string_view connect = "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n";
  Result<ParseStep> step = parser.feed(connect);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->event, ParseEvent::head);
  EXPECT_EQ(step->consumed, connect.size());
  EXPECT_EQ(parser.feed({})->event, ParseEvent::done);
  parser.reset();
  EXPECT_EQ(parser.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n")->event, ParseEvent::head);
  EXPECT_EQ(parser.head().method, Method::get);
}

TEST(RequestCodec, UpgradeRequest_KeepsTheFramingOfItsOwnBody) {  // RFC 9110 section 7.8
  EXPECT_EQ(requests("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET /2 "
                     "HTTP/1.1\r\nHost: a\r\n\r\n"),
            "head GET / 1.1 [Host|a] [Connection|Upgrade] [Upgrade|websocket] (none, keep)\ndone\n"
            "head GET /2 1.1 [Host|a] (none, keep)\ndone\nmore\n");
  EXPECT_EQ(requests("POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Length: 2\r\n\r\nab"),
            "head POST / 1.1 [Host|a] [Connection|Upgrade] [Upgrade|x] [Content-Length|2] (length 2, keep)\nbody "
            "ab\ndone\nmore\n");
}

TEST(RequestCodec, ExpectContinue_NeedsABodyAndHttp11) {  // RFC 9110 section 10.1.1
  const auto expects = [](std::string_view head) {
    RequestParser parser;
    EXPECT_TRUE(parser.feed(head));
    return parser.expects_continue();
  };
  EXPECT_TRUE(expects("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\n"));
  EXPECT_TRUE(expects("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_FALSE(expects("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_FALSE(expects("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_FALSE(expects("PUT / HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_FALSE(expects("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: something\r\n\r\n"));
}

// RFC 9110 section 9.1: methods are case-sensitive, and new ones are registered while proxies run. RFC 9112
// section 6.3: the framing of a request does not depend on its method.
TEST(RequestCodec, EveryToken_IsAMethodAndKeepsItsName) {
  for (const std::string& method :
       {std::string{"QUERY"}, std::string{"PROPPATCHX"}, std::string{"get"}, std::string{"GE"}, std::string{"GETX"},
        std::string{"XGET"}, std::string{"XCONNECT"}, std::string{"head"}, std::string{"PLAY"}, std::string{"SOURCE"},
        std::string{"!#$%&'*+-.^_`|~09"}, std::string(64, 'M')}) {
    EXPECT_EQ(requests(method + " / HTTP/1.1\r\nHost: a\r\n\r\n"),
              "head " + method + " / 1.1 [Host|a] (none, keep)\ndone\nmore\n");
    EXPECT_EQ(requests("\r\n" + method + " http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc\r\n" + method +
                       " http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n\r\n"),
              "head " + method + " http://a/ 1.1 [Host|a] [Content-Length|3] (length 3, keep)\nbody abc\ndone\nhead " +
                  method +
                  " http://a/ 1.1 [Host|a] [Transfer-Encoding|chunked] (chunked, keep)\nbody de\ndone\nmore\n");
    RequestParser parser;
    ASSERT_TRUE(parser.feed(method + " / HTTP/1.1\r\nHost: a\r\n\r\n").has_value());
    EXPECT_EQ(parser.head().method, Method::other);
  }
}

TEST(RequestCodec, EveryMethodThatLlhttpKnows_KeepsItsName) {
  for (const std::string method : {"DELETE", "GET", "HEAD", "POST", "PUT", "TRACE", "COPY", "LOCK", "MKCOL", "PROPFIND",
                                   "REPORT", "M-SEARCH", "PATCH", "PURGE", "LINK", "SEARCH", "UNSUBSCRIBE"})
    EXPECT_EQ(requests(method + " / HTTP/1.1\r\nHost: a\r\n\r\n"),
              "head " + method + " / 1.1 [Host|a] (none, keep)\ndone\nmore\n");
  EXPECT_EQ(requests("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
            "head OPTIONS * 1.1 [Host|a] (none, keep)\ndone\nmore\n");
}

TEST(RequestCodec, Started_CountsNoEmptyLines) {
  RequestParser parser;
  EXPECT_FALSE(parser.started());
  parser.feed("\r\n");
  EXPECT_FALSE(parser.started());
  parser.feed("G");
  EXPECT_TRUE(parser.started());
  parser.feed("ET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(parser.started());
  parser.reset();
  EXPECT_FALSE(parser.started());
}

TEST(RequestCodec, HeadMayBeMovedAway) {
  RequestParser parser;
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(parser.feed("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")->event,
              ParseEvent::head);
    const RequestHead head = std::move(parser.head());
    EXPECT_EQ(head.method, Method::post);
    EXPECT_EQ(head.headers.size(), 2u);
    ASSERT_EQ(parser.feed("0\r\nT: u\r\n\r\n")->event, ParseEvent::done);
    EXPECT_EQ(parser.trailers().find("t"), "u");
    EXPECT_TRUE(parser.keep_alive());
    parser.reset();
    EXPECT_TRUE(parser.trailers().empty());
  }
  RequestParser moved = std::move(parser);
  EXPECT_EQ(moved.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n")->event, ParseEvent::head);
  EXPECT_EQ(moved.head().headers.find(HeaderId::host), "a");
}

TEST(RequestCodec, AfterAFailure_ResetBeginsAnew) {
  RequestParser parser;
  EXPECT_FALSE(parser.feed("GET /\x01"));
  EXPECT_FALSE(parser.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  parser.reset();
  EXPECT_TRUE(parser.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
}

TEST(RequestCodec, WhatIsWritten_ReadsBackTheSame) {
  const std::string_view input =
      "PUT http://a.example/%20?q HTTP/1.1\r\nHost: a.example\r\nCONTENT-length: 3\r\nX:\tv\tw \r\nx: 2\r\n\r\nabc";
  RequestParser parser;
  ASSERT_TRUE(parser.feed(input));
  std::string once;
  write_request_head(once, parser.head(), parser.head().target);
  EXPECT_EQ(once,
            "PUT http://a.example/%20?q HTTP/1.1\r\nHost: a.example\r\nCONTENT-length: 3\r\nX: v\tw\r\nx: 2\r\n\r\n");
  RequestParser again;
  ASSERT_TRUE(again.feed(once));
  std::string twice;
  write_request_head(twice, again.head(), again.head().target);
  EXPECT_EQ(twice, once);
}

// --- responses

TEST(ResponseCodec, ContentLength) {
  EXPECT_EQ(responses("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
            "head 200 OK 1.1 [Content-Length|5] (length 5, keep)\nbody hello\ndone\nmore\n");
  EXPECT_EQ(responses("HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n"),
            "head 404  1.1 [Content-Length|0] (length 0, keep)\ndone\nmore\n");
  EXPECT_EQ(responses("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"),
            "head 200  1.1 [Content-Length|0] (length 0, keep)\ndone\nmore\n");
  EXPECT_EQ(responses("HTTP/1.1 200 J\xc3\xa4 \t!\r\nContent-Length: 0\r\n\r\n"),
            "head 200 J\xc3\xa4 \t! 1.1 [Content-Length|0] (length 0, keep)\ndone\nmore\n");
}

TEST(ResponseCodec, Chunked_WithTrailers) {
  EXPECT_EQ(responses("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nETag: "
                      "\"x\"\r\nSet-Cookie: no\r\n\r\n"),
            "head 200 OK 1.1 [Transfer-Encoding|chunked] (chunked, keep)\nbody hello\ndone [ETag|\"x\"]\nmore\n");
}

TEST(ResponseCodec, UntilClose) {  // RFC 9112 section 6.3
  EXPECT_EQ(responses("HTTP/1.1 200 OK\r\nX: y\r\n\r\nabc\r\n\r\n0\r\n", Method::get, true),
            "head 200 OK 1.1 [X|y] (until_close, close)\nbody abc\r\n\r\n0\r\n\ndone\nmore\n");
  EXPECT_EQ(responses("HTTP/1.0 200 OK\r\n\r\n", Method::get, true),
            "head 200 OK 1.0 (until_close, close)\ndone\nmore\n");
}

TEST(ResponseCodec, ClosedEarly) {
  const auto ends_badly = [](std::string_view input) {
    return responses(input, Method::get, true).find("error origin: closed_early: ") != std::string::npos;
  };
  EXPECT_TRUE(ends_badly(""));
  EXPECT_TRUE(ends_badly("HTTP/1.1 20"));
  EXPECT_TRUE(ends_badly("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"));
  EXPECT_TRUE(ends_badly("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"));
  EXPECT_TRUE(ends_badly("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"));
  EXPECT_TRUE(ends_badly("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"));
  EXPECT_TRUE(ends_badly("HTTP/1.1 100 Continue\r\n\r\n"));  // the final response never came
}

TEST(ResponseCodec, WithoutABody_WhateverTheFieldsSay) {  // RFC 9112 section 6.3
  EXPECT_EQ(responses("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 ", Method::head),
            "head 200 OK 1.1 [Content-Length|5] (none, keep)\ndone\nmore, started\n");
  EXPECT_EQ(responses("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Method::head),
            "head 200 OK 1.1 [Transfer-Encoding|chunked] (none, keep)\ndone\nmore\n");
  EXPECT_EQ(responses("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
            "head 304 Not Modified 1.1 [Content-Length|5] (none, keep)\ndone\nmore\n");
  EXPECT_EQ(responses("HTTP/1.1 204 No Content\r\n\r\n"), "head 204 No Content 1.1 (none, keep)\ndone\nmore\n");
}

// The bytes that follow are not consumed: the owner of the connection sees them and closes it.
TEST(ResponseCodec, BodyBehind204_IsLeftOver) {
  ResponseParser parser;
  const std::string_view input = "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc";
  const Result<ParseStep> step = parser.feed(input);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->event, ParseEvent::head);
  EXPECT_EQ(input.substr(step->consumed), "abc");
  const Result<ParseStep> end = parser.feed(input.substr(step->consumed));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->event, ParseEvent::done);
  EXPECT_EQ(end->consumed, 0u);
  EXPECT_FALSE(parser.keep_alive());
  EXPECT_TRUE(parser.framing_doubtful());
}

TEST(ResponseCodec, Contradictions_AreDeliveredButMarked) {  // RFC 9112 section 6.3
  EXPECT_EQ(
      responses("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
      "head 200 OK 1.1 [Content-Length|5] [Transfer-Encoding|chunked] (chunked, close, doubtful)\nbody "
      "abc\ndone\nmore\n");
  EXPECT_EQ(
      responses("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
      "head 200 OK 1.1 [Content-Length|3] [Content-Length|3] (length 3, close, doubtful)\nbody abc\ndone\nmore\n");
  EXPECT_EQ(
      responses("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
      "head 200 OK 1.0 [Connection|keep-alive] [Transfer-Encoding|chunked] (chunked, close, doubtful)\nbody "
      "abc\ndone\nmore\n");
}

TEST(ResponseCodec, InterimResponses_ComeBeforeTheFinalOne) {  // RFC 9110 section 15.2
  EXPECT_EQ(responses("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 "
                      "OK\r\nContent-Length: 2\r\n\r\nok",
                      Method::post),
            "head 100 Continue 1.1 (none, keep)\ndone\nhead 103 Early Hints 1.1 [Link|</a>] (none, keep)\ndone\n"
            "head 200 OK 1.1 [Content-Length|2] (length 2, keep)\nbody ok\ndone\nmore\n");
}

TEST(ResponseCodec, DoubtInAnInterimResponse_StaysForTheFinalOne) {
  EXPECT_EQ(
      responses("HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
      "head 103 Early Hints 1.1 [Content-Length|5] (none, close, doubtful)\ndone\n"
      "head 200 OK 1.1 [Content-Length|2] (length 2, close, doubtful)\nbody ok\ndone\nmore\n");
  ResponseParser parser;
  parser.feed("HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n");
  parser.reset();
  parser.expect(Method::get);  // as a client does that repeats the method for the final response
  parser.feed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(parser.framing_doubtful());
  parser.reset();
  parser.feed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_FALSE(parser.framing_doubtful());
}

TEST(ResponseCodec, Tunnels) {  // RFC 9110 sections 9.3.6, 15.2.2
  EXPECT_EQ(
      responses("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05hello"),
      "head 101 Switching Protocols 1.1 [Connection|upgrade] [Upgrade|websocket] (tunnel, close)\ntunnel "
      "\x81\x05hello\n");
  EXPECT_EQ(responses("HTTP/1.1 200 Connection established\r\nContent-Length: 5\r\n\r\nbytes", Method::connect),
            "head 200 Connection established 1.1 [Content-Length|5] (tunnel, close)\ntunnel bytes\n");
  EXPECT_EQ(responses("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno", Method::connect),
            "head 407 No 1.1 [Content-Length|2] (length 2, keep)\nbody no\ndone\nmore\n");
}

TEST(ResponseCodec, Persistence) {  // RFC 9112 section 9.3
  const auto keeps = [](std::string_view version, std::string_view fields) {
    return responses("HTTP/" + std::string{version} + " 200 OK\r\nContent-Length: 0\r\n" + std::string{fields} + "\r\n")
               .find(", keep)") != std::string::npos;
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: Close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_TRUE(keeps("1.0", "Connection: Keep-Alive\r\n"));
  EXPECT_FALSE(keeps("1.0", "Connection: keep-alive, close\r\n"));
}

TEST(ResponseCodec, OneAfterAnother) {
  EXPECT_EQ(responses("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\nTransfer-Encoding: "
                      "chunked\r\n\r\n1\r\nb\r\n0\r\n\r\nHTTP/1.1 304 \r\n\r\n"),
            "head 200 OK 1.1 [Content-Length|1] (length 1, keep)\nbody a\ndone\n"
            "head 200 OK 1.1 [Transfer-Encoding|chunked] (chunked, keep)\nbody b\ndone\nhead 304  1.1 (none, "
            "keep)\ndone\nmore\n");
}

}  // namespace
}  // namespace outrider
