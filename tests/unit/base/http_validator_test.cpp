#include "base/http_validator.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace outrider {
namespace {

using Kind = BodyFraming::Kind;
using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

RequestHead request(Fields fields, Method method = Method::post, std::string_view target = "/") {
  RequestHead head;
  head.set_method(method);
  head.target = target;
  head.headers.add("Host", "a.example");
  for (const auto& [name, value] : fields) head.headers.add(name, value);
  return head;
}

ResponseHead response(int status, Fields fields, HttpVersion version = HttpVersion::http11) {
  ResponseHead head;
  head.status = status;
  head.version = version;
  for (const auto& [name, value] : fields) head.headers.add(name, value);
  return head;
}

void expect_request(const RequestHead& head, BodyFraming framing) {
  const auto result = validate_request(head);
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_EQ(*result, framing);
}

void expect_refused(const RequestHead& head, ErrorKind kind, std::string_view what = {}) {
  const auto result = validate_request(head);
  ASSERT_FALSE(result) << what;
  EXPECT_EQ(to_string(result.error().kind), to_string(kind)) << what;
  EXPECT_EQ(result.error().side, Side::client);
  EXPECT_FALSE(result.error().detail.empty());
}

TEST(HttpValidator, RequestFraming) {  // RFC 9112 section 6.3
  expect_request(request({}), {Kind::none, 0});
  expect_request(request({{"Content-Length", "0"}}), {Kind::length, 0});
  expect_request(request({{"Content-Length", "42"}}), {Kind::length, 42});
  expect_request(request({{"Content-Length", "9223372036854775807"}}), {Kind::length, 9223372036854775807u});
  expect_request(request({{"Transfer-Encoding", "chunked"}}), {Kind::chunked, 0});
  expect_request(request({{"Transfer-Encoding", "CHUNKED"}}), {Kind::chunked, 0});
  expect_request(request({}, Method::connect, "a.example:443"), {Kind::tunnel, 0});
  expect_request(request({{"Content-Length", "0"}}, Method::connect, "a.example:443"), {Kind::tunnel, 0});
}

TEST(HttpValidator, RequestContentLength_Refused) {
  for (const std::string_view value :
       {"", "-1", "+1", "0x10", "1.0", "1 1", "1,1", "1, 1", "1;", "ten", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "00000000000000000001", "\xb2"})
    expect_refused(request({{"Content-Length", value}}), ErrorKind::bad_message, value);
  expect_refused(request({{"Content-Length", "1"}, {"content-length", "1"}}), ErrorKind::bad_message, "equal twice");
  expect_refused(request({{"Content-Length", "1"}, {"Content-Length", "2"}}), ErrorKind::bad_message, "two values");
}

TEST(HttpValidator, RequestTransferEncoding_OddSpellings) {
  for (const std::string_view value : {"",
                                       ",",
                                       ",chunked",
                                       "chunked,",
                                       "chunked,,",
                                       "chunked, identity",
                                       "chunked, gzip",
                                       "chunked, chunked",
                                       "identity",
                                       "identity, chunked",
                                       "xchunked",
                                       "chunkedx",
                                       "x-chunked",
                                       "chunked;q=1",
                                       "chunked; foo",
                                       "gzip;q=1, chunked",
                                       "\"chunked\"",
                                       "chunked chunked",
                                       "gzip chunked",
                                       "chun ked",
                                       "gzip,,chunked",
                                       "chunked\tx",
                                       "chunked/1",
                                       "notchunked, chunked",
                                       "[chunked]"})
    expect_refused(request({{"Transfer-Encoding", value}}), ErrorKind::bad_message, value);
}

TEST(HttpValidator, RequestTransferEncoding_PlainlyAnother_IsUnsupported) {  // RFC 9112 section 6.1
  for (const std::string_view value :
       {"gzip", "gzip, chunked", "deflate,chunked", "foo", "compress, gzip, chunked", "trailers"})
    expect_refused(request({{"Transfer-Encoding", value}}), ErrorKind::unsupported, value);
}

TEST(HttpValidator, RequestTransferEncoding_InBadCompany) {
  expect_refused(request({{"Transfer-Encoding", "chunked"}, {"Content-Length", "1"}}), ErrorKind::bad_message);
  expect_refused(request({{"Content-Length", "1"}, {"Transfer-Encoding", "gzip"}}), ErrorKind::bad_message);
  expect_refused(request({{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}), ErrorKind::bad_message);
  expect_refused(request({{"Transfer-Encoding", "gzip"}, {"Transfer-Encoding", "chunked"}}), ErrorKind::bad_message);
  RequestHead old = request({{"Transfer-Encoding", "chunked"}});
  old.version = HttpVersion::http10;
  expect_refused(old, ErrorKind::bad_message, "HTTP/1.0");
  expect_refused(request({{"Transfer-Encoding", "chunked"}}, Method::connect, "a.example:443"), ErrorKind::bad_message);
  expect_refused(request({{"Content-Length", "1"}}, Method::connect, "a.example:443"), ErrorKind::bad_message);
}

TEST(HttpValidator, Host) {  // RFC 9112 section 3.2
  RequestHead head;
  head.target = "/";
  expect_refused(head, ErrorKind::bad_message, "none in 1.1");
  head.version = HttpVersion::http10;
  expect_request(head, {});
  head.headers.add("Host", "a");
  expect_request(head, {});
  head.headers.add("host", "a");
  expect_refused(head, ErrorKind::bad_message, "two, though equal");
  for (const std::string_view value : {"", "a b", "user@a", "a:b", "a/b", "a,b", "http://a"}) {
    RequestHead bad;
    bad.target = "http://a/";
    bad.headers.add("Host", value);
    expect_refused(bad, ErrorKind::bad_message, value);
  }
}

TEST(HttpValidator, VersionsAndMethods) {
  RequestHead head = request({});
  head.version = HttpVersion::http2;
  expect_refused(head, ErrorKind::bad_version);
  head = request({});
  head.method = Method::other;
  head.method_text = "PRI";
  expect_refused(head, ErrorKind::unsupported);
  for (const std::string_view method : {"", "G T", "GET\r\n", "G\xc4T", "GET,"}) {
    head.method_text = method;
    expect_refused(head, ErrorKind::bad_message, method);
  }
}

TEST(HttpValidator, FieldsAreChecked_WhoeverBuiltTheHead) {
  using namespace std::string_view_literals;
  for (const std::string_view name : {""sv, "a b"sv, "a:"sv, "a\r\nb"sv, "a\0"sv, "\xc3\xa4"sv, "(a)"sv})
    expect_refused(request({{name, "v"}}), ErrorKind::bad_message, name);
  for (const std::string_view value : {"a\rb"sv, "a\nb"sv, "a\0b"sv, "a\x01"sv, "\x7f"sv, "a\vb"sv})
    expect_refused(request({{"X", value}}), ErrorKind::bad_message, value);
  expect_request(request({{"X", "tab\tand \xc3\xa4 and \xff"}}), {});
}

void expect_response(const ResponseHead& head, Method method, BodyFraming framing, bool doubtful = false) {
  const auto result = validate_response(head, method);
  ASSERT_TRUE(result) << result.error().to_string();
  EXPECT_EQ(*result, framing);
  EXPECT_EQ(framing_is_doubtful(head), doubtful);
}

void expect_refused(const ResponseHead& head, std::string_view what = {}) {
  const auto result = validate_response(head, Method::get);
  ASSERT_FALSE(result) << what;
  EXPECT_EQ(to_string(result.error().kind), "bad_message") << what;
  EXPECT_EQ(result.error().side, Side::origin);
}

TEST(HttpValidator, ResponseFraming) {  // RFC 9112 section 6.3
  expect_response(response(200, {}), Method::get, {Kind::until_close, 0});
  expect_response(response(200, {{"Content-Length", "5"}}), Method::get, {Kind::length, 5});
  expect_response(response(200, {{"Transfer-Encoding", "Chunked"}}), Method::get, {Kind::chunked, 0});
  expect_response(response(200, {{"Content-Length", "5"}}), Method::head, {Kind::none, 0});
  expect_response(response(200, {{"Transfer-Encoding", "chunked"}}), Method::head, {Kind::none, 0});
  expect_response(response(204, {}), Method::get, {Kind::none, 0});
  expect_response(response(304, {{"Content-Length", "5"}}), Method::get, {Kind::none, 0});
  expect_response(response(100, {}), Method::post, {Kind::none, 0});
  expect_response(response(103, {}), Method::get, {Kind::none, 0});
  expect_response(response(101, {}), Method::get, {Kind::tunnel, 0});
  expect_response(response(205, {{"Content-Length", "0"}}), Method::get, {Kind::length, 0});
  expect_response(response(200, {{"Content-Length", "nonsense"}}), Method::connect, {Kind::tunnel, 0});
  expect_response(response(407, {{"Content-Length", "5"}}), Method::connect, {Kind::length, 5});
  expect_response(response(999, {}), Method::get, {Kind::until_close, 0});
}

TEST(HttpValidator, ResponseFraming_Doubtful) {
  expect_response(response(200, {{"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}}), Method::get,
                  {Kind::chunked, 0}, true);
  expect_response(response(200, {{"Content-Length", "5"}, {"Content-Length", "5"}}), Method::get, {Kind::length, 5},
                  true);
  expect_response(response(200, {{"Transfer-Encoding", "chunked"}}, HttpVersion::http10), Method::get,
                  {Kind::chunked, 0}, true);
  expect_response(response(204, {{"Content-Length", "5"}}), Method::get, {Kind::none, 0}, true);
  expect_response(response(204, {{"Content-Length", "0"}}), Method::get, {Kind::none, 0}, false);
  expect_response(response(204, {{"Transfer-Encoding", "chunked"}}), Method::get, {Kind::none, 0}, true);
  expect_response(response(103, {{"Content-Length", "5"}}), Method::get, {Kind::none, 0}, true);
}

TEST(HttpValidator, Response_Refused) {
  for (const std::string_view coding :
       {"", "identity", "gzip", "gzip, chunked", "chunked, identity", "chunked,", ",chunked", "chunked, chunked"})
    expect_refused(response(200, {{"Transfer-Encoding", coding}}), coding);
  expect_refused(response(200, {{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}));
  for (const std::string_view length : {"", "-1", "5, 5", "0x5", "9223372036854775808"})
    expect_refused(response(200, {{"Content-Length", length}}), length);
  expect_refused(response(200, {{"Content-Length", "5"}, {"Content-Length", "6"}}));
  expect_refused(response(200, {{"Content-Length", "5"}, {"Content-Length", "05"}}));
  expect_refused(response(200, {{"Content-Length", "5"}, {"Content-Length", "6"}, {"Content-Length", "6"}}));
  expect_refused(response(99, {}));
  expect_refused(response(1000, {}));
  expect_refused(response(200, {{"X", "a\nb"}}));
  ResponseHead head = response(200, {});
  head.reason = "O\rK";
  expect_refused(head);
  head = response(200, {}, HttpVersion::http2);
  expect_refused(head);
}

TEST(HttpValidator, TokensAndFieldValues) {  // RFC 9110 sections 5.5, 5.6.2
  EXPECT_TRUE(is_token("!#$%&'*+-.^_`|~0aZ"));
  EXPECT_TRUE(is_token("a-name-that-is-longer-than-sixteen-bytes_with~others"));
  EXPECT_FALSE(is_token(""));
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool tchar = std::isalnum(byte) != 0
                           ? byte < 128
                           : byte != 0 && std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
    const bool text = byte >= 0x20 ? byte != 0x7f : byte == '\t';
    for (std::size_t length = 1; length < 40; ++length) {  // every place in and behind the vector loop
      std::string word(length, 'a');
      word[length / 2] = c;
      EXPECT_EQ(is_token(word), tchar) << byte << " in " << length;
      EXPECT_EQ(is_field_value(word), text) << byte << " in " << length;
    }
  }
}

TEST(HttpValidator, TrailerRules) {  // RFC 9110 section 6.5.1
  EXPECT_EQ(trailer_rule(HeaderId::content_length), TrailerRule::refuse);
  EXPECT_EQ(trailer_rule(HeaderId::transfer_encoding), TrailerRule::refuse);
  EXPECT_EQ(trailer_rule(HeaderId::host), TrailerRule::refuse);
  EXPECT_EQ(trailer_rule(HeaderId::set_cookie), TrailerRule::drop);
  EXPECT_EQ(trailer_rule(HeaderId::authorization), TrailerRule::drop);
  EXPECT_EQ(trailer_rule(HeaderId::content_encoding), TrailerRule::drop);
  EXPECT_EQ(trailer_rule(HeaderId::other), TrailerRule::keep);
  EXPECT_EQ(trailer_rule(HeaderId::etag), TrailerRule::keep);
}

}  // namespace
}  // namespace outrider
