#include "cache/policy_invalidation.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;

Invalidation after(std::string_view method, int status, const Fields& fields = {}) {
  return invalidated_by(request({}, method), url("http://example.com/a/b?c"), response(fields, status));
}

std::vector<std::string> others(const Fields& fields) {
  std::vector<std::string> list;
  for (const Invalidation::Other& other : after("POST", 201, fields).others) list.push_back(other.url.href());
  return list;
}

// RFC 9111 section 4.4.
TEST(InvalidatedBy, UnsafeMethodsThatSucceed) {
  for (const std::string_view method : {"POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "LOCK", "get"})
    for (const int status : {200, 201, 204, 302, 303}) EXPECT_TRUE(after(method, status).target) << method << status;
}

TEST(InvalidatedBy, NotByErrors_NotBySafeMethods) {
  for (const int status : {100, 400, 403, 404, 409, 412, 500, 503})
    EXPECT_FALSE(after("POST", status).target) << status;
  for (const std::string_view method :
       {"GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY", "CONNECT"})
    EXPECT_FALSE(after(method, 200).target) << method;
  EXPECT_TRUE(after("POST", 500, {{"Location", "/x"}}).others.empty());
}

TEST(InvalidatedBy, LocationAndContentLocation_OfTheSameOriginOnly) {
  EXPECT_EQ(others({{"Location", "/x"}, {"Content-Location", "y?z"}}),
            (std::vector<std::string>{"http://example.com/x", "http://example.com/a/y?z"}));
  EXPECT_EQ(others({{"Location", "http://example.com:80/x"}}), (std::vector<std::string>{"http://example.com/x"}));
  for (const std::string foreign : {"https://example.com/x", "http://example.com:81/x", "http://www.example.com/x",
                                    "//evil.example/x", "javascript:1", "http://", "mailto:x"})
    EXPECT_TRUE(others({{"Location", foreign}}).empty()) << foreign;
}

// A key is the path as a client wrote it: one that follows an address from a page may write what is there.
TEST(InvalidatedBy, OthersAreMeantAsTheyAreWritten_Too) {
  const auto written = [](const std::string& location) {
    const auto others = after("POST", 201, {{"Location", location}}).others;
    return others.size() == 1 ? others[0].written : std::string{"(none)"};
  };
  for (const std::string plain : {"/x?y=1", "y?z", "http://example.com/x", "?d", "//example.com/x{1}"})
    EXPECT_EQ(written(plain), "") << plain;
  EXPECT_EQ(written("/x{1}?a=\"b#c"), "/x{1}?a=\"b");
  EXPECT_EQ(written("http://example.com/x{1}#c"), "/x{1}");
  EXPECT_EQ(written("HTTP://EXAMPLE.com?\"x"), "/?\"x");
  EXPECT_EQ(written("x{1}"), "/a/x{1}");
  EXPECT_EQ(written("?\"x"), "/a/b?\"x");
  EXPECT_EQ(written("../x"), "/a/../x");
  EXPECT_EQ(written("/a/../x"), "/a/../x");
  EXPECT_EQ(written("/x?u=http://a/"), "");
}

}  // namespace
}  // namespace outrider
