#include "base/http2_message.hpp"

#include "tests/support/http2_frames.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using testing::h2::Fields;
using testing::h2::get;
using testing::h2::with;

Http2Block block_of(const Fields& fields, const HttpLimits& limits = {}) {
  Http2Block block{limits};
  for (const auto& [name, value] : fields) block.add(name, value);
  return block;
}

TEST(Http2Message, Request_BecomesTheHeadThatHttp1Gives) {
  Http2Block block =
      block_of(with(get("/a?b"), {{"accept", "x"}, {"cookie", "a=1"}, {"te", "trailers"}, {"cookie", "b=2"}}));
  const Result<Http2Block::Request> request = block.take_request(true);
  ASSERT_TRUE(request) << request.error().to_string();
  EXPECT_EQ(request->head.method, Method::get);
  EXPECT_EQ(request->head.target, "/a?b");
  EXPECT_EQ(request->head.version, HttpVersion::http2);
  EXPECT_EQ(request->head.headers.find(HeaderId::host), "example.org");
  EXPECT_EQ(request->head.headers.find(HeaderId::cookie), "a=1; b=2") << "RFC 9113 section 8.2.3";
  EXPECT_EQ(request->head.headers.find(HeaderId::te), "trailers");
  EXPECT_EQ(request->scheme, "https");
  EXPECT_EQ(request->framing, BodyFraming{});
}

TEST(Http2Message, RequestFraming_FollowsContentLengthAndEndStream) {
  using Kind = BodyFraming::Kind;
  EXPECT_EQ(block_of(get()).take_request(false)->framing, (BodyFraming{Kind::chunked, 0}));
  EXPECT_EQ(block_of(with(get(), {{"content-length", "7"}})).take_request(false)->framing,
            (BodyFraming{Kind::length, 7}));
  EXPECT_FALSE(block_of(with(get(), {{"content-length", "7"}, {"content-length", "7"}})).take_request(false));
  EXPECT_FALSE(block_of(with(get(), {{"content-length", "+7"}})).take_request(false));
  EXPECT_FALSE(block_of(with(get(), {{"content-length", "7,7"}})).take_request(false));
}

// RFC 9113 sections 8.2.1, 8.2.2, 8.3 and 8.3.1: malformed, whatever nghttp2 thinks of it.
TEST(Http2Message, MalformedRequest_IsRefused) {
  const std::string nul{"a\0b", 3};
  const std::vector<Fields> malformed = {
      with(get(), {{"Accept", "upper case"}}),
      with(get(), {{"", "no name"}}),
      with(get(), {{"a b", "space in the name"}}),
      with(get(), {{"x", "a\r\nb: c"}}),
      with(get(), {{"x", nul}}),
      with(get(), {{"x", " leading"}}),
      with(get(), {{"x", "trailing\t"}}),
      with(get(), {{"connection", "close"}}),
      with(get(), {{"keep-alive", "1"}}),
      with(get(), {{"proxy-connection", "x"}}),
      with(get(), {{"transfer-encoding", "chunked"}}),
      with(get(), {{"upgrade", "websocket"}}),
      with(get(), {{"te", "gzip"}}),
      with(get(), {{"x", "y"}, {":path", "/late"}}),
      with(get(), {{":path", "/twice"}}),
      with(get(), {{":unknown", "x"}}),
      with(get(), {{":status", "200"}}),
      with(get(), {{":protocol", "websocket"}}),
      with(get(), {{"host", "other.example"}}),
      with(get(), {{"host", "example.org"}, {"host", "example.org"}}),
      get(""),
      get("relative"),
      get("/a b"),
      get("/a\r\nHost: evil"),
      get("/a#fragment"),
      get("*"),
      get("http://example.org/"),
      {{":method", "GET"}, {":scheme", "https"}, {":path", "/"}},
      {{":method", "GET"}, {":scheme", "https"}, {":authority", "a@b"}, {":path", "/"}},
      {{":method", "GET"}, {":scheme", "https"}, {":authority", "a\r\nb"}, {":path", "/"}},
      {{":method", "GET"}, {":authority", "a"}, {":path", "/"}},
      {{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}},
      {{":scheme", "https"}, {":authority", "a"}, {":path", "/"}},
      {{":method", "G ET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}},
      {{":method", "CONNECT"}, {":authority", "a"}},
      {{":method", "CONNECT"}, {":authority", "a:1"}, {":path", "/"}, {":scheme", "https"}},
  };
  for (const Fields& fields : malformed) {
    const Result<Http2Block::Request> request = block_of(fields).take_request(true);
    ASSERT_FALSE(request) << fields.back().first << ": " << fields.back().second;
    EXPECT_EQ(request.error().kind, ErrorKind::bad_message);
    EXPECT_EQ(request.error().side, Side::client);
  }
}

TEST(Http2Message, Connect_HasOnlyAnAuthority_OrAProtocol) {
  const Result<Http2Block::Request> plain =
      block_of({{":method", "CONNECT"}, {":authority", "a.example:443"}}).take_request(false);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->head.target, "a.example:443");
  const Fields websocket = {{":method", "CONNECT"},
                            {":protocol", "websocket"},
                            {":scheme", "https"},
                            {":authority", "a.example"},
                            {":path", "/chat"}};
  const Result<Http2Block::Request> extended = block_of(websocket).take_request(false);
  ASSERT_TRUE(extended) << "RFC 8441 section 4";
  EXPECT_EQ(extended->head.target, "/chat");
  EXPECT_EQ(extended->protocol, "websocket");
  EXPECT_EQ(extended->framing.kind, BodyFraming::Kind::tunnel);
}

TEST(Http2Message, Limits_HoldBeforeAnythingIsKept) {
  HttpLimits limits;
  limits.header_bytes = 1000;
  limits.target_bytes = 100;
  limits.header_count = 10;
  Http2Block large{limits};
  for (const auto& [name, value] : get()) large.add(name, value);
  for (int i = 0; i < 9; ++i) large.add("x", std::string(200, 'x'));
  EXPECT_TRUE(large.too_large());
  EXPECT_EQ(large.take_request(true).error().kind, ErrorKind::head_too_large);
  Http2Block many{limits};
  for (int i = 0; i < 100; ++i) many.add("x", "");
  EXPECT_TRUE(many.too_large());
  EXPECT_EQ(block_of(get("/" + std::string(100, 'p')), limits).take_request(true).error().kind,
            ErrorKind::target_too_long);
  many.clear();
  EXPECT_FALSE(many.too_large());
}

TEST(Http2Message, Response_BecomesTheHeadThatHttp1Gives) {
  using Kind = BodyFraming::Kind;
  const Fields ok = {{":status", "200"}, {"content-length", "5"}};
  EXPECT_EQ(block_of(ok).take_response(false, Method::get)->framing, (BodyFraming{Kind::length, 5}));
  EXPECT_EQ(block_of(ok).take_response(true, Method::head)->framing, BodyFraming{});
  EXPECT_EQ(block_of({{":status", "304"}}).take_response(true, Method::get)->framing, BodyFraming{});
  EXPECT_EQ(block_of({{":status", "200"}}).take_response(false, Method::get)->framing, (BodyFraming{Kind::chunked, 0}));
  EXPECT_EQ(block_of({{":status", "200"}}).take_response(true, Method::get)->framing, (BodyFraming{Kind::length, 0}));
  EXPECT_EQ(block_of({{":status", "103"}, {"link", "x"}}).take_response(false, Method::get)->head.status, 103);
  for (const Fields& bad : {Fields{{":status", "101"}}, Fields{{":status", "20"}}, Fields{{":status", "2000"}},
                            Fields{{":status", "abc"}}, Fields{{"x", "no status"}}, Fields{{":status", "000"}},
                            Fields{{":status", "200"}, {":path", "/"}}, Fields{{":status", "200"}, {"connection", "x"}},
                            Fields{{":status", "200"}, {"content-length", "1"}, {"content-length", "2"}},
                            Fields{{":status", "200"}, {"x", "a\nb"}}})
    EXPECT_FALSE(block_of(bad).take_response(false, Method::get)) << bad.back().second;
  EXPECT_FALSE(block_of({{":status", "100"}}).take_response(true, Method::get)) << "RFC 9113 section 8.1";
}

TEST(Http2Message, Trailers_AreHeldAgainstTheRulesOfHttp1) {
  const Result<HeaderMap> kept =
      block_of({{"grpc-status", "0"}, {"set-cookie", "dropped=1"}}).take_trailers(Side::origin);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->find("grpc-status"), "0");
  EXPECT_FALSE(kept->has(HeaderId::set_cookie)) << "RFC 9110 section 6.5.1";
  EXPECT_FALSE(block_of({{"content-length", "1"}}).take_trailers(Side::origin));
  EXPECT_FALSE(block_of({{":status", "200"}}).take_trailers(Side::origin));
}

TEST(Http2Message, FieldsOut_AreLowerCase_WithoutTheConnectionsOwn) {
  ResponseHead head;
  head.status = 204;
  for (const char* name : {"Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade", "Proxy-Connection"})
    head.headers.add(name, "x");
  head.headers.add("X-Kept", "Value");
  Http2Fields fields;
  fields.set_response(head);
  ASSERT_EQ(fields.size(), 2U);
  const auto text = [&](std::size_t at, bool name) {
    const nghttp2_nv& nv = fields.data()[at];
    return name ? std::string{reinterpret_cast<char*>(nv.name), nv.namelen}
                : std::string{reinterpret_cast<char*>(nv.value), nv.valuelen};
  };
  EXPECT_EQ(text(0, true) + text(0, false), ":status204");
  EXPECT_EQ(text(1, true) + text(1, false), "x-keptValue");
}

TEST(Http2Message, RequestOut_HasItsHostAsAuthority_AndHidesSecretsFromTheTable) {
  RequestHead head;
  head.headers.add(HeaderId::host, "example.org:8443");
  head.headers.add(HeaderId::authorization, "Basic secret");
  Http2Fields fields;
  fields.set_request(head, "https", "/p");
  ASSERT_EQ(fields.size(), 5U);
  EXPECT_EQ((std::string{reinterpret_cast<char*>(fields.data()[2].value), fields.data()[2].valuelen}),
            "example.org:8443");
  EXPECT_EQ(fields.data()[4].flags, NGHTTP2_NV_FLAG_NO_INDEX) << "RFC 7541 section 7.1.3";
}

}  // namespace
}  // namespace outrider
