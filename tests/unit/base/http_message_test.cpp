#include "base/http_message.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(HttpMessage, Methods_AreCaseSensitive) {  // RFC 9110 section 9.1
  for (unsigned i = 0; i < static_cast<unsigned>(Method::other); ++i) {
    const auto method = static_cast<Method>(i);
    EXPECT_FALSE(to_string(method).empty());
    EXPECT_EQ(method_from(to_string(method)), method);
  }
  EXPECT_EQ(to_string(Method::del), "DELETE");
  EXPECT_EQ(to_string(Method::other), "");
  EXPECT_EQ(method_from("get"), Method::other);
  EXPECT_EQ(method_from("GETX"), Method::other);
  EXPECT_EQ(method_from(""), Method::other);
}

TEST(HttpMessage, SafeAndIdempotent) {  // RFC 9110 section 9.2
  for (const Method method : {Method::get, Method::head, Method::options, Method::trace}) {
    EXPECT_TRUE(is_safe(method));
    EXPECT_TRUE(is_idempotent(method));
  }
  for (const Method method : {Method::put, Method::del}) {
    EXPECT_FALSE(is_safe(method));
    EXPECT_TRUE(is_idempotent(method));
  }
  for (const Method method : {Method::post, Method::patch, Method::connect, Method::other}) {
    EXPECT_FALSE(is_safe(method));
    EXPECT_FALSE(is_idempotent(method));
  }
}

TEST(HttpMessage, Clear_RestoresTheDefaults) {
  RequestHead request;
  request.set_method(Method::post);
  request.target = "/x";
  request.version = HttpVersion::http10;
  request.headers.add("A", "b");
  request.clear();
  EXPECT_EQ(request.method, Method::get);
  EXPECT_EQ(request.method_text, "GET");
  EXPECT_EQ(request.target, "");
  EXPECT_EQ(request.version, HttpVersion::http11);
  EXPECT_TRUE(request.headers.empty());

  ResponseHead response;
  response.status = 404;
  response.reason = "Not Found";
  response.version = HttpVersion::http10;
  response.headers.add("A", "b");
  response.clear();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.reason, "");
  EXPECT_EQ(response.version, HttpVersion::http11);
  EXPECT_TRUE(response.headers.empty());
}

TEST(HttpMessage, HasBody) {
  using Kind = BodyFraming::Kind;
  EXPECT_FALSE((BodyFraming{Kind::none, 0}).has_body());
  EXPECT_FALSE((BodyFraming{Kind::length, 0}).has_body());
  EXPECT_TRUE((BodyFraming{Kind::length, 1}).has_body());
  EXPECT_TRUE((BodyFraming{Kind::chunked, 0}).has_body());
  EXPECT_TRUE((BodyFraming{Kind::until_close, 0}).has_body());
}

}  // namespace
}  // namespace outrider
