// The forward proxy, byte by byte: the real program between a raw client and a scripted origin.
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/scripted_origin.hpp"
#include "tests/support/test_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

std::string ok(const std::string& body, const std::string& fields = "") {
  return "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// What arrived at the origin, and one answer for everybody.
struct Recorder {
  std::mutex mutex;
  std::vector<std::string> requests;
  std::string answer = ok("hello");
  TestOrigin origin{TestOrigin::answering([this](const std::string& request) {
    const std::lock_guard lock(mutex);
    requests.push_back(request);
    return answer;
  })};
  std::string last() {
    const std::lock_guard lock(mutex);
    return requests.empty() ? "" : requests.back();
  }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return requests.size();
  }
};

struct Forward : ::testing::Test {
  static void SetUpTestSuite() { outrider = new RunningOutrider; }
  static void TearDownTestSuite() {
    EXPECT_EQ(outrider->stop(), 0);
    delete outrider;
  }
  static RunningOutrider* outrider;
  Recorder recorder;

  RawSocket client() { return RawSocket::connect(outrider->port()); }
  std::string get(const std::string& fields = "", const std::string& path = "/") {
    RawSocket socket = client();
    socket.send("GET " + recorder.origin.url(path) + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n");
    return socket.read_message();
  }
};
RunningOutrider* Forward::outrider = nullptr;

TEST_F(Forward, AbsoluteForm_BecomesOriginForm) {
  EXPECT_THAT(get("", "/a/b?c=d"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(recorder.last(), StartsWith("GET /a/b?c=d HTTP/1.1\r\n"));
}

// RFC 9110 section 7.7: path and query are nobody's business on the way.
TEST_F(Forward, PathAndQuery_AreNotTouched) {
  for (const std::string path : {"/a/../b", "/%7Euser/%2F", "/a//b/./c", "/?", "/?a=%zz|b", "/;p=1"}) {
    get("", path);
    EXPECT_THAT(recorder.last(), StartsWith("GET " + path + " HTTP/1.1\r\n"));
  }
  RawSocket socket = client();
  socket.send("GET http://" + recorder.origin.authority() + "?q HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.read_message();
  EXPECT_THAT(recorder.last(), StartsWith("GET /?q HTTP/1.1\r\n"));
}

// HOSTILE: Host differs from the absolute target. RFC 9112 section 3.2.2: the target wins.
TEST_F(Forward, Host_IsRewrittenFromTheTarget) {
  get();
  EXPECT_THAT(recorder.last(), HasSubstr("\r\nHost: " + recorder.origin.authority() + "\r\n"));
  EXPECT_THAT(recorder.last(), Not(HasSubstr("Host: x")));
}

// RFC 9110 section 7.6.1.
TEST_F(Forward, HopByHopFields_GoNoFurther) {
  recorder.answer =
      ok("x",
         "Connection: X-Secret\r\nX-Secret: 1\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\nX-Kept: 2\r\n");
  const std::string answer =
      get("Connection: close, X-Mine\r\nX-Mine: 1\r\nProxy-Connection: keep-alive\r\nKeep-Alive: 300\r\n"
          "Proxy-Authorization: Basic YTpi\r\nTE: gzip\r\nX-Through: yes\r\n");
  const std::string request = recorder.last();
  for (const char* gone : {"X-Mine", "Proxy-Connection", "Keep-Alive", "Proxy-Authorization", "TE:"})
    EXPECT_THAT(request, Not(HasSubstr(gone)));
  EXPECT_THAT(request, HasSubstr("\r\nX-Through: yes\r\n"));
  for (const char* gone : {"X-Secret", "Keep-Alive", "Proxy-Authenticate"}) EXPECT_THAT(answer, Not(HasSubstr(gone)));
  EXPECT_THAT(answer, HasSubstr("\r\nX-Kept: 2\r\n"));
}

TEST_F(Forward, Via_IsAddedBothWays_AndDateWhereItIsMissing) {
  const std::string answer = get("Via: 1.0 fred\r\n");
  EXPECT_THAT(recorder.last(), HasSubstr("1.0 fred"));
  EXPECT_THAT(recorder.last(), HasSubstr("1.1 outrider-"));
  EXPECT_THAT(answer, HasSubstr("Via: 1.1 outrider-"));
  EXPECT_THAT(answer, HasSubstr("\r\nDate: "));
  EXPECT_THAT(recorder.last(), Not(HasSubstr("X-Forwarded-For"))) << "who asks is nobody's business by default";
}

TEST_F(Forward, KeepAliveAndPipelining_AnswersInOrder) {
  recorder.origin.port();
  RawSocket socket = client();
  std::string requests;
  for (int i = 0; i < 5; ++i)
    requests += "GET " + recorder.origin.url("/" + std::to_string(i)) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  socket.send(requests);
  for (int i = 0; i < 5; ++i) EXPECT_THAT(socket.read_message(), HasSubstr("hello"));
  EXPECT_EQ(recorder.count(), 5U);
  EXPECT_EQ(recorder.origin.connections(), 1U) << "one origin connection serves them all";
}

TEST_F(Forward, ConnectionClose_IsObeyed) {
  RawSocket socket = client();
  socket.send("GET " + recorder.origin.url() + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string answer = socket.read_message();
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  EXPECT_TRUE(socket.closed_by_peer());
}

TEST_F(Forward, Http10Client_GetsAPlainBodyAndAnEnd) {
  recorder.answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  RawSocket socket = client();
  socket.send("GET " + recorder.origin.url() + " HTTP/1.0\r\n\r\n");
  const std::string answer = socket.read_all();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("chunked")));
  EXPECT_THAT(answer, ::testing::EndsWith("\r\n\r\nabcde"));
}

TEST_F(Forward, ChunkedWithTrailers_PassesThrough) {
  recorder.answer =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3;ext=1\r\nabc\r\n0\r\nX-Sum: 9\r\n\r\n";
  RawSocket socket = client();
  socket.send("GET " + recorder.origin.url() + " HTTP/1.1\r\nHost: x\r\nTE: trailers\r\nConnection: close, TE\r\n\r\n");
  const std::string answer = socket.read_all();
  EXPECT_THAT(answer, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(answer, HasSubstr("3\r\nabc\r\n0\r\nX-Sum: 9\r\n\r\n"));
  EXPECT_THAT(recorder.last(), HasSubstr("TE: trailers"));
}

TEST_F(Forward, HeadResponse_HasALengthAndNoBody) {
  recorder.answer = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
  RawSocket socket = client();
  socket.send("HEAD " + recorder.origin.url() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_message(true), HasSubstr("Content-Length: 1000"));
  recorder.answer = ok("after");
  socket.send("GET " + recorder.origin.url() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_message(), HasSubstr("after"));
}

TEST_F(Forward, Uploads_KeepTheirFraming) {
  RawSocket socket = client();
  socket.send("POST " + recorder.origin.url() + " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12345");
  EXPECT_THAT(socket.read_message(), HasSubstr("hello"));
  EXPECT_THAT(recorder.last(), ::testing::EndsWith("\r\n\r\n12345"));
  socket.send("POST " + recorder.origin.url() +
              " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
  EXPECT_THAT(socket.read_message(), HasSubstr("hello"));
  EXPECT_THAT(recorder.last(), HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_THAT(recorder.last(), ::testing::EndsWith("0\r\n\r\n"));
}

// RFC 9110 section 10.1.1.
TEST_F(Forward, ExpectContinue_TheOriginDecides) {
  TestOrigin origin{[](RawSocket& socket) {
    const std::string head = socket.read_message(true);
    if (head.find("Expect: 100-continue") == std::string::npos) return;
    socket.send("HTTP/1.1 100 Continue\r\n\r\n");
    if (socket.read_some().find("body!") != std::string::npos) socket.send(ok("got it"));
    socket.read_some();
  }};
  RawSocket socket = client();
  socket.send("POST " + origin.url() + " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 100 Continue\r\n"));
  socket.send("body!");
  EXPECT_THAT(socket.read_message(), HasSubstr("got it"));
}

// HOSTILE: an early final answer. The client gets it; the origin connection is not used again.
// RFC 9110 section 10.1.1: who cannot be told to continue does not wait for it, and an origin that would wait must not
// hear of it.
TEST_F(Forward, ExpectContinue_OfHttp10_GoesNoFurther) {
  RawSocket socket = client();
  socket.send("POST " + recorder.origin.url() + " HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_THAT(socket.read_all(), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(recorder.last(), Not(HasSubstr("Expect")));
}

TEST_F(Forward, ExpectContinue_EarlyFinalAnswerIsPassedOn) {
  TestOrigin origin{[](RawSocket& socket) {
    socket.read_message(true);
    socket.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno");
    socket.read_some();
  }};
  for (int i = 1; i <= 2; ++i) {
    RawSocket socket = client();
    socket.send("POST " + origin.url() + " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 417 "));
    EXPECT_EQ(origin.connections(), static_cast<std::size_t>(i));
  }
}

TEST_F(Forward, EarlyHints_ArePassedOn_NotToHttp10) {
  recorder.answer = "HTTP/1.1 103 Early Hints\r\nLink: </s.css>; rel=preload\r\n\r\n" + ok("page");
  RawSocket socket = client();
  socket.send("GET " + recorder.origin.url() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 103 Early Hints\r\nLink: </s.css>"));
  EXPECT_THAT(socket.read_message(), HasSubstr("page"));
  RawSocket old = client();
  old.send("GET " + recorder.origin.url() + " HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.read_all(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

// RFC 9110 section 7.6.2.
TEST_F(Forward, MaxForwards_IsCountedDownAndAnsweredAtZero) {
  RawSocket socket = client();
  socket.send("OPTIONS " + recorder.origin.url() + " HTTP/1.1\r\nHost: x\r\nMax-Forwards: 3\r\n\r\n");
  EXPECT_THAT(socket.read_message(), HasSubstr("hello"));
  EXPECT_THAT(recorder.last(), HasSubstr("Max-Forwards: 2\r\n"));
  socket.send("TRACE " + recorder.origin.url() +
              " HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\nCookie: secret\r\nX-Seen: 1\r\n\r\n");
  const std::string trace = socket.read_message();
  EXPECT_THAT(trace, HasSubstr("message/http"));
  EXPECT_THAT(trace, HasSubstr("X-Seen: 1"));
  EXPECT_THAT(trace, Not(HasSubstr("secret")));
  EXPECT_EQ(recorder.count(), 1U);
  socket.send("OPTIONS http://" + recorder.origin.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.read_message();
  EXPECT_THAT(recorder.last(), StartsWith("OPTIONS * HTTP/1.1\r\n"));
}

// RFC 9110 section 9.1: what a method means is between client and origin.
TEST_F(Forward, ExtensionMethods_PassThrough) {
  RawSocket socket = client();
  for (const std::string method : {"QUERY", "PROPPATCHX", "get", "M-!#$%&'*+.^_`|~9"}) {
    socket.send(method + " " + recorder.origin.url("/x") + " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12345");
    EXPECT_THAT(socket.read_message(), HasSubstr("hello")) << method;
    EXPECT_THAT(recorder.last(), StartsWith(method + " /x HTTP/1.1\r\n"));
    EXPECT_THAT(recorder.last(), ::testing::EndsWith("\r\n\r\n12345"));
  }
  socket.send(std::string(65, 'M') + " " + recorder.origin.url() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 501 ")) << "RFC 9112 section 3";
}

TEST_F(Forward, Upgrade_BecomesATunnel) {
  TestOrigin origin{[](RawSocket& socket) {
    const std::string head = socket.read_message(true);
    EXPECT_THAT(head, HasSubstr("Upgrade: websocket"));
    EXPECT_THAT(head, HasSubstr("Connection: Upgrade"));
    socket.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nfirst");
    for (std::string piece = socket.read_some(); !piece.empty(); piece = socket.read_some())
      socket.send("echo " + piece);
  }};
  RawSocket socket = client();
  socket.send("GET " + origin.url() +
              " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 101 "));
  EXPECT_EQ(socket.read_some(), "first");
  socket.send("hi");
  EXPECT_EQ(socket.read_some(), "echo hi");
}

TEST_F(Forward, Connect_TunnelsBothWaysAndHalfCloses) {
  TestOrigin origin{[](RawSocket& socket) {
    std::string all;
    for (std::string piece = socket.read_some(); !piece.empty(); piece = socket.read_some()) all += piece;
    socket.send("got " + std::to_string(all.size()));
  }};
  RawSocket socket = client();
  socket.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\nearly");
  EXPECT_THAT(socket.read_message(true), StartsWith("HTTP/1.1 200 "));
  socket.send(std::string(1'000'000, 'x'));
  socket.finish_sending();
  EXPECT_EQ(socket.read_all(), "got 1000005");
}

TEST_F(Forward, TunnelCarriesBulkDataUnharmed) {
  std::string pattern;
  for (int i = 0; i < 100'000; ++i) pattern += std::to_string(i);
  TestOrigin origin{[&](RawSocket& socket) {
    socket.read_some();
    for (int i = 0; i < 40; ++i) socket.send(pattern);
  }};
  RawSocket socket = client();
  socket.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.read_message(true);
  socket.send("go");
  const std::string all = socket.read_all();
  ASSERT_EQ(all.size(), pattern.size() * 40);
  for (std::size_t i = 0; i < 40; ++i) ASSERT_EQ(all.compare(i * pattern.size(), pattern.size(), pattern), 0) << i;
}

// Whoever reads until the end must be able to tell an end from an accident.
TEST_F(Forward, TunnelPassesOnAReset) {
  Gate seen;
  ssize_t ended = 0;
  int reason = 0;
  TestOrigin origin{[&](RawSocket& socket) {
    EXPECT_EQ(socket.read_some(), "half of it");
    socket.send("go on");
    char byte = 0;
    ended = ::recv(socket.descriptor(), &byte, 1, 0);
    reason = errno;
    seen.open();
  }};
  RawSocket socket = client();
  socket.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.read_message(true);
  socket.send("half of it");
  EXPECT_EQ(socket.read_some(), "go on");
  socket.reset();
  ASSERT_TRUE(seen.wait());
  EXPECT_EQ(ended, -1);
  EXPECT_EQ(reason, ECONNRESET);
}

TEST_F(Forward, LoopIsDetected) {
  const std::string own = "127.0.0.1:" + std::to_string(outrider->port());
  RawSocket socket = client();
  socket.send("CONNECT " + own + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 403 "));
  get();
  const std::string via = recorder.last().substr(recorder.last().find("outrider-"), 17);
  EXPECT_THAT(get("Via: 1.1 " + via + "\r\n"), StartsWith("HTTP/1.1 508 "));
}

TEST_F(Forward, Errors_TellAPersonAndAProgram) {
  std::uint16_t closed_port = 0;
  {
    const TestOrigin gone{[](RawSocket&) {}};
    closed_port = gone.port();
  }
  RawSocket socket = client();
  socket.send("GET http://127.0.0.1:" + std::to_string(closed_port) +
              "/ HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n");
  const std::string page = socket.read_message();
  EXPECT_THAT(page, StartsWith("HTTP/1.1 502 "));
  EXPECT_THAT(page, HasSubstr("Proxy-Status: outrider; error=connection_refused"));
  EXPECT_THAT(page, HasSubstr("<html"));
  socket.send("GET http://no-such-host.invalid/ HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n");
  const std::string problem = socket.read_message();
  EXPECT_THAT(problem, HasSubstr("error=dns_error"));
  EXPECT_THAT(problem, HasSubstr("application/problem+json"));
  socket.send("GET ftp://example.org/ HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 501 "));
}

TEST_F(Forward, TruncatedAnswer_IsTruncatedForTheClientToo) {
  TestOrigin origin{[](RawSocket& socket) {
    socket.read_message();
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly");
  }};
  RawSocket socket = client();
  socket.send("GET " + origin.url() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.read_all(), ::testing::EndsWith("only")) << "and then the connection ends, before 100 bytes";
  TestOrigin chunked{[](RawSocket& s) {
    s.read_message();
    s.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  }};
  RawSocket second = client();
  second.send("GET " + chunked.url() + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(second.read_all(), Not(HasSubstr("0\r\n\r\n")));
}

TEST_F(Forward, OwnSite_AnswersAtItsAddressAndName) {
  RawSocket socket = client();
  socket.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(outrider->port()) + "\r\n\r\n");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 200 OK"));
  socket.send("GET http://outrider.internal/ HTTP/1.1\r\nHost: outrider.internal\r\n\r\n");
  EXPECT_THAT(socket.read_message(), HasSubstr("Outrider"));
  socket.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 403 "));
  socket.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(socket.read_message(), HasSubstr("outrider_exchanges_total"));
}

}  // namespace
}  // namespace outrider::testing
