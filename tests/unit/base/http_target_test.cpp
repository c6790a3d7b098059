#include "base/http_target.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(HttpTarget, HostAndPort_Accepted) {  // RFC 9110 section 7.2, RFC 3986 section 3.2.2
  for (const std::string_view text :
       {"a", "example.com", "EXAMPLE.com:80", "a_b.c-d~e", "127.0.0.1:8080", "xn--bcher-kva.example", "a%20b", "[::1]",
        "[::1]:443", "[2001:db8::192.0.2.1]:1", "example.com:", "example.com:65535", "example.com:000080", "a."})
    EXPECT_TRUE(is_host_and_port(text, PortRule::optional)) << text;
}

TEST(HttpTarget, HostAndPort_Refused) {
  for (const std::string_view text : {"",
                                      ":80",
                                      "a b",
                                      " a",
                                      "a ",
                                      "user@a",
                                      "user:pw@a",
                                      "a:80:90",
                                      "a:x",
                                      "a:-1",
                                      "a:+1",
                                      "a:65536",
                                      "a:99999999999999999999",
                                      "a/b",
                                      "a?b",
                                      "a#b",
                                      "a,b",
                                      "a;b",
                                      "a\\b",
                                      "a%",
                                      "a%2",
                                      "a%zz",
                                      "a\"b",
                                      "<a>",
                                      "[::1",
                                      "::1",
                                      "[]",
                                      "[::1]x",
                                      "[::1]x:80",
                                      "[1.2.3.4]",
                                      "[::g]",
                                      "[fe80::1%25eth0]",
                                      "[v1.a]",
                                      "b\xc3\xbc",
                                      "a\x7f",
                                      "a\tb",
                                      "[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]"})
    EXPECT_FALSE(is_host_and_port(text, PortRule::optional)) << text;
}

TEST(HttpTarget, RequiredPort) {
  EXPECT_TRUE(is_host_and_port("a:443", PortRule::required));
  EXPECT_TRUE(is_host_and_port("[::1]:443", PortRule::required));
  EXPECT_FALSE(is_host_and_port("a", PortRule::required));
  EXPECT_FALSE(is_host_and_port("a:", PortRule::required));
  EXPECT_FALSE(is_host_and_port("[::1]", PortRule::required));
}

TEST(HttpTarget, FourForms_BelongToTheirMethods) {  // RFC 9112 section 3.2
  const auto fits = [](Method method, std::string_view target) { return target_fault(method, target).empty(); };
  EXPECT_TRUE(fits(Method::get, "/"));
  EXPECT_TRUE(fits(Method::get, "/a|b{}[]^\\\"<>`?x=y//"));  // browsers send some of these
  EXPECT_TRUE(fits(Method::post, "//a/b"));
  EXPECT_TRUE(fits(Method::get, "http://a.example/x?y"));
  EXPECT_TRUE(fits(Method::get, "HTTPS://a.example"));
  EXPECT_TRUE(fits(Method::get, "http://a.example?x=http://u@b/"));
  EXPECT_TRUE(fits(Method::get, "ftp://a.example/"));  // another scheme is not for us to refuse
  EXPECT_TRUE(fits(Method::options, "*"));
  EXPECT_TRUE(fits(Method::options, "/"));
  EXPECT_TRUE(fits(Method::connect, "a.example:443"));

  EXPECT_FALSE(fits(Method::get, ""));
  EXPECT_FALSE(fits(Method::get, "*"));
  EXPECT_FALSE(fits(Method::options, "*x"));
  EXPECT_FALSE(fits(Method::options, "a.example:443"));
  EXPECT_FALSE(fits(Method::get, "a.example:443"));
  EXPECT_FALSE(fits(Method::get, "a.example"));
  EXPECT_FALSE(fits(Method::connect, "/"));
  EXPECT_FALSE(fits(Method::connect, "*"));
  EXPECT_FALSE(fits(Method::connect, "a.example"));
  EXPECT_FALSE(fits(Method::connect, "http://a.example:443/"));
  EXPECT_FALSE(fits(Method::connect, "user@a.example:443"));
}

TEST(HttpTarget, AbsoluteForm_NeedsAnHonestAuthority) {
  for (const std::string_view target :
       {"http:", "http:/", "http:/x", "http://", "http:///x", "http://?x", "http://user@a/", "http://user:pw@a/",
        "http://a:b/", "http://a\\b/", "http://a@b@c/", "://a/", "1http://a/", "ht tp://a/", "mailto:x", "http//a/",
        "http://[::1/", "http://a,b/"})
    EXPECT_FALSE(target_fault(Method::get, target).empty()) << target;
}

TEST(HttpTarget, BytesThatNoTargetHas) {
  using namespace std::string_view_literals;
  for (const std::string_view target :
       {"/a b"sv, "/a#b"sv, "/\x80"sv, "/\xc3\xa4"sv, "/\x7f"sv, "/\t"sv, "/\r"sv, "/\n"sv, "/\0"sv})
    EXPECT_FALSE(target_fault(Method::get, target).empty()) << target;
}

}  // namespace
}  // namespace outrider
