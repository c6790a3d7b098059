// What is thrown at a proxy on the wire, byte for byte, and what must come out; each input also split at every byte.
#include "base/http_codec.hpp"
#include "tests/support/split_feeder.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

namespace outrider {
namespace {

using namespace std::string_literals;

struct Hostile {
  std::string input;
  ErrorKind kind;
};

void PrintTo(const Hostile& hostile, std::ostream* out) {
  *out << testing::PrintToString(hostile.input) << " -> " << to_string(hostile.kind);
}

template <class Parser>
void expect_refused(const Hostile& hostile, const test::FeedOptions& options = {}) {
  const test::SplitOutcome outcome = test::feed_split<Parser>(hostile.input, options);
  EXPECT_EQ(outcome.mismatch, "") << testing::PrintToString(hostile.input);
  const std::string wanted = ": "s + std::string{to_string(hostile.kind)} + ": ";
  const std::size_t error = outcome.whole.rfind("error ");
  ASSERT_NE(error, std::string::npos) << testing::PrintToString(hostile.input) << " was accepted:\n" << outcome.whole;
  EXPECT_NE(outcome.whole.find(wanted, error), std::string::npos)
      << testing::PrintToString(hostile.input) << " should be " << to_string(hostile.kind) << ":\n"
      << outcome.whole;
}

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n";
const std::string kPost = "POST / HTTP/1.1\r\nHost: a\r\n";
const std::string kChunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";

class HostileRequest : public testing::TestWithParam<Hostile> {};
TEST_P(HostileRequest, IsRefused) {
  expect_refused<RequestParser>(GetParam());
}

constexpr ErrorKind kBad = ErrorKind::bad_message;
constexpr ErrorKind kUnsupported = ErrorKind::unsupported;
constexpr ErrorKind kVersion = ErrorKind::bad_version;

// RFC 9112 section 3: the request line.
INSTANTIATE_TEST_SUITE_P(
    RequestLine, HostileRequest,
    testing::Values(
        Hostile{"GET /\r\n", kBad},  // HTTP/0.9
        Hostile{"GET /\r\nHost: a\r\n\r\n", kBad}, Hostile{"GET / HTTP/0.9\r\n\r\n", kVersion},
        Hostile{"GET / HTTP/2.0\r\nHost: a\r\n\r\n", kVersion}, Hostile{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", kVersion},
        Hostile{"GET / HTTP/1.2\r\nHost: a\r\n\r\n", kVersion}, Hostile{"GET / HTTP/3.1\r\nHost: a\r\n\r\n", kVersion},
        Hostile{"GET / HTTP/1.10\r\nHost: a\r\n\r\n", kBad}, Hostile{"GET / HTTP/11.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET / HTTP/1\r\nHost: a\r\n\r\n", kBad}, Hostile{"GET / HTTP/1.\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET / HTTP/+1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"GET / http/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET / HTTP/1,1\r\nHost: a\r\n\r\n", kBad}, Hostile{"GET / HTTP /1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", kBad}, Hostile{"GET / HTTP/1.1\nHost: a\r\n\r\n", kBad},
        Hostile{"GET / HTTP/1.1\rHost: a\r\n\r\n", kBad}, Hostile{"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET /  HTTP/1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{" GET / HTTP/1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"\r\n\r\n\r\n\r\n\r\n", kBad},
        Hostile{"GET\r\n / HTTP/1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"G@T / HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"G\0T / HTTP/1.1\r\nHost: a\r\n\r\n"s, kBad}, Hostile{"\x16\x03\x01\x02", kBad},
        Hostile{"PRI / HTTP/1.1\r\nHost: a\r\n\r\n", kUnsupported}, Hostile{" / HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"connect a:443 HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"QUERY * HTTP/1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"FOO / HTTP/1.1\r\nHost : a\r\n\r\n", kBad},
        Hostile{"FOO / HTTP/2.0\r\nHost: a\r\n\r\n", kVersion},
        Hostile{std::string(65, 'M') + " / HTTP/1.1\r\nHost: a\r\n\r\n", kUnsupported},
        Hostile{"SOURCE / ICE/1.0\r\nHost: a\r\n\r\n", kBad}, Hostile{"PLAY / RTSP/1.0\r\nHost: a\r\n\r\n", kBad}));

// RFC 9112 section 3.2: the target.
INSTANTIATE_TEST_SUITE_P(
    Target, HostileRequest,
    testing::Values(
        Hostile{"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET /\x80 HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"s, kBad},
        Hostile{"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"GET * HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET a HTTP/1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET http:/a/ HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET http://u:p@a/ HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET http://a:99999/ HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET http://a\\b/ HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", kBad}, Hostile{"CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"CONNECT a: HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"CONNECT http://a:443/ HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"CONNECT u@a:443 HTTP/1.1\r\nHost: a\r\n\r\n", kBad},
        Hostile{"CONNECT a:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd", kBad},
        Hostile{"CONNECT a:443 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", kBad},
        Hostile{"OPTIONS *x HTTP/1.1\r\nHost: a\r\n\r\n", kBad}));

// RFC 9112 section 5: field lines.
INSTANTIATE_TEST_SUITE_P(
    Fields, HostileRequest,
    testing::Values(Hostile{kGet + "X: a\r\n b\r\n\r\n", kBad}, Hostile{kGet + "X: a\r\n\tb\r\n\r\n", kBad},
                    Hostile{kGet + "X: a\r\n \r\n\r\n", kBad}, Hostile{"GET / HTTP/1.1\r\n Host: a\r\n\r\n", kBad},
                    Hostile{kGet + "X: a\rb\r\n\r\n", kBad}, Hostile{kGet + "X: a\r\r\n\r\n", kBad},
                    Hostile{kGet + "X: a\nY: b\r\n\r\n", kBad}, Hostile{kGet + "X: a\r\n\n", kBad},
                    Hostile{kGet + "\n", kBad}, Hostile{kGet + "X: a\0b\r\n\r\n"s, kBad},
                    Hostile{kGet + "X: a\x01\r\n\r\n", kBad}, Hostile{kGet + "X: a\x7f\r\n\r\n", kBad},
                    Hostile{kGet + "X: a\vb\r\n\r\n", kBad}, Hostile{kGet + "X: a\x1b[0m\r\n\r\n", kBad},
                    Hostile{kGet + "X : a\r\n\r\n", kBad}, Hostile{kGet + "X\t: a\r\n\r\n", kBad},
                    Hostile{kGet + ": a\r\n\r\n", kBad}, Hostile{kGet + " : a\r\n\r\n", kBad},
                    Hostile{kGet + "X\r\n\r\n", kBad}, Hostile{kGet + "X Y: a\r\n\r\n", kBad},
                    Hostile{kGet + "X(: a\r\n\r\n", kBad}, Hostile{kGet + "X\0: a\r\n\r\n"s, kBad},
                    Hostile{kGet + "X\x80: a\r\n\r\n", kBad}, Hostile{kGet + "\"X\": a\r\n\r\n", kBad},
                    Hostile{kGet + "X\r: a\r\n\r\n", kBad}, Hostile{kGet + "X\n: a\r\n\r\n", kBad}));

// RFC 9112 section 3.2: Host.
INSTANTIATE_TEST_SUITE_P(
    Host, HostileRequest,
    testing::Values(
        Hostile{"GET / HTTP/1.1\r\n\r\n", kBad}, Hostile{"GET http://a/ HTTP/1.1\r\n\r\n", kBad},
        Hostile{kGet + "Host: a\r\n\r\n", kBad}, Hostile{kGet + "Host: b\r\n\r\n", kBad},
        Hostile{kGet + "hOsT: b\r\n\r\n", kBad}, Hostile{"GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", kBad},
        Hostile{"GET / HTTP/1.1\r\nHost:\r\n\r\n", kBad}, Hostile{"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", kBad},
        Hostile{"GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", kBad}, Hostile{"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", kBad},
        Hostile{"GET / HTTP/1.1\r\nHost: a,b\r\n\r\n", kBad}, Hostile{"GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", kBad},
        Hostile{"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", kBad},
        Hostile{"GET / HTTP/1.1\r\nHost: b\xc3\xbc\r\n\r\n", kBad}));

// RFC 9112 section 6: where the body ends.
INSTANTIATE_TEST_SUITE_P(
    Framing, HostileRequest,
    testing::Values(
        Hostile{kPost + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: chunked, identity\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: ,chunked\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: chunked,\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: identity\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: xchunked\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: \vchunked\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: \x0c"
                        "chunked\r\n\r\n",
                kBad},
        Hostile{kPost + "Transfer-Encoding: chunked;q=1\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: chunked, chunked\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding:\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: \"chunked\"\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: chun\tked\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding : chunked\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding\n: chunked\r\n\r\n", kBad},
        Hostile{kPost + "X: y\nTransfer-Encoding: chunked\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding:\r\n chunked\r\n\r\n", kBad},
        Hostile{kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n", kUnsupported},
        Hostile{kPost + "Transfer-Encoding: gzip\r\n\r\n", kUnsupported},
        Hostile{kPost + "Transfer-Encoding: foo\r\n\r\n", kUnsupported},
        Hostile{"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", kBad},
        Hostile{kPost + "Content-Length: -1\r\n\r\n", kBad}, Hostile{kPost + "Content-Length: +1\r\n\r\n", kBad},
        Hostile{kPost + "Content-Length: 0x1\r\n\r\n", kBad}, Hostile{kPost + "Content-Length: 1 1\r\n\r\n", kBad},
        Hostile{kPost + "Content-Length: 1, 1\r\n\r\n", kBad}, Hostile{kPost + "Content-Length: 1,\r\n\r\n", kBad},
        Hostile{kPost + "Content-Length:\r\n\r\n", kBad}, Hostile{kPost + "Content-Length: x\r\n\r\n", kBad},
        Hostile{kPost + "Content-Length: 1.0\r\n\r\n", kBad},
        Hostile{kPost + "Content-Length: 9223372036854775808\r\n\r\n", kBad},
        Hostile{kPost + "Content-Length: 18446744073709551616\r\n\r\n", kBad},
        Hostile{kPost + "Content-Length: 99999999999999999999999999\r\n\r\n", kBad},
        Hostile{kPost + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx", kBad},
        Hostile{kPost + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", kBad}));

// RFC 9112 section 7.1: chunks and trailers.
INSTANTIATE_TEST_SUITE_P(
    Chunks, HostileRequest,
    testing::Values(
        Hostile{kChunked + "0x3\r\nabc\r\n0\r\n\r\n", kBad}, Hostile{kChunked + "+3\r\nabc\r\n0\r\n\r\n", kBad},
        Hostile{kChunked + "-3\r\nabc\r\n0\r\n\r\n", kBad}, Hostile{kChunked + " 3\r\nabc\r\n0\r\n\r\n", kBad},
        Hostile{kChunked + "3 \r\nabc\r\n0\r\n\r\n", kBad}, Hostile{kChunked + "\r\nabc\r\n0\r\n\r\n", kBad},
        Hostile{kChunked + "3g\r\nabc\r\n0\r\n\r\n", kBad},
        Hostile{kChunked + "10000000000000003\r\nabc\r\n0\r\n\r\n", kBad},
        Hostile{kChunked + "fffffffffffffffff\r\nabc", kBad}, Hostile{kChunked + "ffffffffffffffff\r\nabc", kBad},
        Hostile{kChunked + "3\nabc\r\n0\r\n\r\n", kBad}, Hostile{kChunked + "3\rabc\r\n0\r\n\r\n", kBad},
        Hostile{kChunked + "3\r\nabc0\r\n\r\n", kBad}, Hostile{kChunked + "3\r\nabc\n0\r\n\r\n", kBad},
        Hostile{kChunked + "3\r\nabc\r0\r\n\r\n", kBad}, Hostile{kChunked + "3\r\nabcd\r\n0\r\n\r\n", kBad},
        Hostile{kChunked + "3;a\nabc\r\n0\r\n\r\n", kBad}, Hostile{kChunked + "3;a\rb\r\nabc\r\n0\r\n\r\n", kBad},
        Hostile{kChunked + "3;a\0\r\nabc\r\n0\r\n\r\n"s, kBad}, Hostile{kChunked + "0\r\n\n", kBad},
        Hostile{kChunked + "0\n\n", kBad}, Hostile{kChunked + "0\r\nX: a\n\r\n", kBad},
        Hostile{kChunked + "0\r\nX: a\r\n b\r\n\r\n", kBad}, Hostile{kChunked + "0\r\nX : a\r\n\r\n", kBad},
        Hostile{kChunked + "0\r\n: a\r\n\r\n", kBad}, Hostile{kChunked + "0\r\nX\r\n\r\n", kBad},
        Hostile{kChunked + "0\r\nContent-Length: 5\r\n\r\n", kBad},
        Hostile{kChunked + "0\r\nTransfer-Encoding: chunked\r\n\r\n", kBad},
        Hostile{kChunked + "0\r\nA: b\r\nHost: evil\r\n\r\n", kBad},
        Hostile{kChunked + "0\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", kBad}));

class HostileResponse : public testing::TestWithParam<Hostile> {};
TEST_P(HostileResponse, IsRefused) {
  expect_refused<ResponseParser>(GetParam());
}

const std::string kOk = "HTTP/1.1 200 OK\r\n";

INSTANTIATE_TEST_SUITE_P(
    StatusLine, HostileResponse,
    testing::Values(Hostile{"HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n", kBad},
                    Hostile{"HTTP/1.1 200 OK\r\nContent-Length: 0\n\r\n", kBad},
                    Hostile{"HTTP/1.1 200 OK\rX\r\n\r\n", kBad}, Hostile{"HTTP/1.1 20 OK\r\n\r\n", kBad},
                    Hostile{"HTTP/1.1 2000 OK\r\n\r\n", kBad}, Hostile{"HTTP/1.1 099 OK\r\n\r\n", kBad},
                    Hostile{"HTTP/1.1 000 OK\r\n\r\n", kBad}, Hostile{"HTTP/1.1 2x0 OK\r\n\r\n", kBad},
                    Hostile{"HTTP/1.1 -20 OK\r\n\r\n", kBad}, Hostile{"HTTP/1.1  200 OK\r\n\r\n", kBad},
                    Hostile{"HTTP/1.1\t200 OK\r\n\r\n", kBad}, Hostile{"HTTP/1.1 200\tOK\r\n\r\n", kBad},
                    Hostile{"HTTP/1.1 200 O\0K\r\n\r\n"s, kBad}, Hostile{"HTTP/1.1 200 O\x01K\r\n\r\n", kBad},
                    Hostile{"HTTP/1.1\r\n\r\n", kBad}, Hostile{"\r\nHTTP/1.1 200 OK\r\n\r\n", kBad},
                    Hostile{"ICY 200 OK\r\n\r\n", kBad}, Hostile{"200 OK\r\n\r\n", kBad},
                    Hostile{"http/1.1 200 OK\r\n\r\n", kBad}, Hostile{"HTTP/2.0 200 OK\r\n\r\n", kVersion},
                    Hostile{"HTTP/1.2 200 OK\r\n\r\n", kVersion}, Hostile{"HTTP/0.9 200 OK\r\n\r\n", kVersion},
                    Hostile{"HTTP/1.10 200 OK\r\n\r\n", kBad}, Hostile{"<html>", kBad},
                    Hostile{"RTSP/1.0 200 OK\r\n\r\n", kBad}));

INSTANTIATE_TEST_SUITE_P(
    Head, HostileResponse,
    testing::Values(Hostile{kOk + "X: a\r\n b\r\n\r\n", kBad}, Hostile{kOk + "X : a\r\n\r\n", kBad},
                    Hostile{kOk + ": a\r\n\r\n", kBad}, Hostile{kOk + "X: a\rb\r\n\r\n", kBad},
                    Hostile{kOk + "X: a\0\r\n\r\n"s, kBad}, Hostile{kOk + "X\r\n\r\n", kBad},
                    Hostile{kOk + "Transfer-Encoding: chunked, identity\r\n\r\n", kBad},
                    Hostile{kOk + "Transfer-Encoding: gzip, chunked\r\n\r\n", kBad},
                    Hostile{kOk + "Transfer-Encoding: gzip\r\n\r\n", kBad},
                    Hostile{kOk + "Transfer-Encoding: identity\r\n\r\n", kBad},
                    Hostile{kOk + "Transfer-Encoding: xchunked\r\n\r\n", kBad},
                    Hostile{kOk + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", kBad},
                    Hostile{kOk + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", kBad},
                    Hostile{kOk + "Content-Length: 5, 5\r\n\r\n", kBad},
                    Hostile{kOk + "Content-Length: -5\r\n\r\n", kBad},
                    Hostile{kOk + "Content-Length: 9223372036854775808\r\n\r\n", kBad},
                    Hostile{kOk + "Transfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n", kBad},
                    Hostile{kOk + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello0\r\n\r\n", kBad},
                    Hostile{kOk + "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n", kBad}));

TEST(HostileSize, TargetOverItsLimit_IsTooLong) {
  test::FeedOptions options;
  options.limits.target_bytes = 20;
  const auto request = [](std::size_t length) {
    return "GET /" + std::string(length - 1, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  EXPECT_EQ(test::feed_split<RequestParser>(request(20), options).whole.find("error"), std::string::npos);
  expect_refused<RequestParser>({request(21), ErrorKind::target_too_long}, options);
  expect_refused<RequestParser>({request(500), ErrorKind::target_too_long}, options);
  // A fault behind the limit does not change the verdict, one before it does.
  expect_refused<RequestParser>({"GET /" + std::string(30, 'a') + "\x01", ErrorKind::target_too_long}, options);
  expect_refused<RequestParser>({"GET /\x01" + std::string(30, 'a'), kBad}, options);
  // llhttp refuses this one in the middle of the target.
  expect_refused<RequestParser>({"GET aaa1" + std::string(30, 'a') + " HTTP/1.1\r\n", kBad}, options);
}

TEST(HostileSize, HeadOverItsLimits_IsTooLarge) {
  test::FeedOptions options;
  options.limits.header_bytes = 40;
  options.limits.header_count = 4;
  constexpr ErrorKind kLarge = ErrorKind::head_too_large;
  const auto with = [](const std::string& fields) { return kGet + fields + "\r\n"; };  // kGet holds 6 bytes of fields
  EXPECT_EQ(test::feed_split<RequestParser>(with("X:" + std::string(33, 'v') + "\r\n"), options).whole.find("error"),
            std::string::npos);
  expect_refused<RequestParser>({with("X:" + std::string(34, 'v') + "\r\n"), kLarge}, options);
  expect_refused<RequestParser>({with("X:" + std::string(34, ' ') + "\r\n"), kLarge}, options);  // white space counts
  expect_refused<RequestParser>({with("X:" + std::string(34, '\t') + "\r\n"), kLarge}, options);
  expect_refused<RequestParser>({with(std::string(35, 'n') + ":\r\n"), kLarge}, options);
  expect_refused<RequestParser>({with(std::string(35, 'n') + "(:\r\n"), kLarge},
                                options);  // the fault lies behind the limit
  EXPECT_EQ(test::feed_split<RequestParser>(with("A:\r\nB:\r\nC:\r\n"), options).whole.find("error"),
            std::string::npos);
  expect_refused<RequestParser>({with("A:\r\nB:\r\nC:\r\nD:\r\n"), kLarge}, options);
  expect_refused<ResponseParser>({"HTTP/1.1 200 " + std::string(41, 'r') + "\r\n\r\n", kLarge}, options);
}

TEST(HostileSize, DefaultLimits) {
  const auto outcome = [](const std::string& input) { return test::feed_split<RequestParser>(input, {}, 997); };
  test::SplitOutcome result = outcome(kGet + "X: " + std::string(64 * 1024, 'v') + "\r\n\r\n");
  EXPECT_EQ(result.mismatch, "");
  EXPECT_NE(result.whole.find("head_too_large"), std::string::npos);
  result = outcome(kGet + "X: " + std::string(60 * 1024, 'v') + "\r\n\r\n");
  EXPECT_EQ(result.mismatch, "");
  EXPECT_EQ(result.whole.find("error"), std::string::npos);
  result = outcome("GET /" + std::string(16 * 1024, 'v') + " HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(result.mismatch, "");
  EXPECT_NE(result.whole.find("target_too_long"), std::string::npos);
  test::FeedOptions generous;
  generous.limits.header_bytes = 1 << 20;
  result = test::feed_split<RequestParser>(kGet + std::string(70'000, 'n') + ": v\r\n\r\n", generous, 997);
  EXPECT_EQ(result.mismatch, "");
  EXPECT_NE(result.whole.find("head_too_large"), std::string::npos);  // a name that HeaderMap cannot hold
}

TEST(HostileSize, TrailersAndExtensions) {
  test::FeedOptions options;
  options.limits.trailer_bytes = 10;
  options.limits.chunk_extension_bytes = 10;
  EXPECT_EQ(test::feed_split<RequestParser>(kChunked + "0\r\nX: 89012345\r\n\r\n", options).whole.find("error"),
            std::string::npos);
  expect_refused<RequestParser>({kChunked + "0\r\nX: 890123456\r\n\r\n", ErrorKind::head_too_large}, options);
  expect_refused<RequestParser>({kChunked + "1;12345\r\nx\r\n1;12345\r\nx\r\n0\r\n\r\n", kBad}, options);
}

}  // namespace
}  // namespace outrider
