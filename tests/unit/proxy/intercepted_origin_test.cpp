#include "proxy/intercepted_origin.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

struct Case {
  std::string_view target, host, expected;  // expected "" = refused
};

RequestHead request(std::string_view target, std::string_view host) {
  RequestHead head;
  head.target = target;
  if (!host.empty()) head.headers.add(HeaderId::host, host);
  return head;
}

TEST(InterceptedOrigin, HttpsAuthority_IsWrittenAsInUrls) {
  EXPECT_EQ(https_authority("example.org", 443), "example.org");
  EXPECT_EQ(https_authority("example.org", 8443), "example.org:8443");
  EXPECT_EQ(https_authority("::1", 443), "[::1]");
  EXPECT_EQ(https_authority("::1", 444), "[::1]:444");
}

TEST(InterceptedOrigin, Target_BecomesAbsolute) {
  InterceptedOrigin origin;
  origin.authority = "example.org";
  for (const Case& c : {
           Case{"/a?b=%20#", "example.org", "https://example.org/a?b=%20#"},
           Case{"/", "EXAMPLE.org:443", "https://example.org/"},
           Case{"//double", "example.org", "https://example.org//double"},
           Case{"*", "example.org", "https://example.org"},
           Case{"https://example.org/x", "example.org", "https://example.org/x"},
           Case{"https://Example.org:443/x", "example.org", "https://Example.org:443/x"},
       }) {
    RequestHead head = request(c.target, c.host);
    ASSERT_TRUE(make_absolute(head, origin)) << c.target;
    EXPECT_EQ(head.target, c.expected);
  }
}

// RFC 9110 section 7.4: a request for somebody else must not reach this origin, nor that one through us.
TEST(InterceptedOrigin, RequestForAnotherHost_IsRefused) {
  InterceptedOrigin origin;
  origin.authority = "example.org";
  for (const Case& c : {
           Case{"/", "example.com", ""},
           Case{"/", "example.org:8443", ""},
           Case{"/", "example.org@evil.test", ""},
           Case{"https://example.com/", "example.org", ""},
           Case{"http://example.org/", "example.org", ""},
           Case{"https://example.org:444/", "example.org", ""},
           Case{"https://example.org/", "example.com", ""},
       }) {
    RequestHead head = request(c.target, c.host);
    const Result<void> verdict = make_absolute(head, origin);
    ASSERT_FALSE(verdict) << c.target << ' ' << c.host;
    EXPECT_EQ(verdict.error().side, Side::client);
  }
  RequestHead connect = request("example.org:443", "example.org");
  connect.set_method(Method::connect);
  EXPECT_FALSE(make_absolute(connect, origin));
}

}  // namespace
}  // namespace outrider
