#include "base/http_header_id.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace outrider {
namespace {

std::string upper(std::string_view text) {
  std::string copy{text};
  std::transform(copy.begin(), copy.end(), copy.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return copy;
}

std::string lower(std::string_view text) {
  std::string copy{text};
  std::transform(copy.begin(), copy.end(), copy.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return copy;
}

TEST(HttpHeaderId, EveryKnownName_IsFoundInAnyCase) {
  for (unsigned i = 1; i < static_cast<unsigned>(HeaderId::count_); ++i) {
    const auto id = static_cast<HeaderId>(i);
    const std::string_view name = header_name(id);
    ASSERT_FALSE(name.empty()) << i;
    EXPECT_EQ(header_id(name), id) << name;
    EXPECT_EQ(header_id(upper(name)), id) << name;
    EXPECT_EQ(header_id(lower(name)), id) << name;
  }
}

TEST(HttpHeaderId, NamesStandInTheOrderOfTheEnumeration) {
  EXPECT_EQ(header_name(HeaderId::accept), "Accept");
  EXPECT_EQ(header_name(HeaderId::content_length), "Content-Length");
  EXPECT_EQ(header_name(HeaderId::content_security_policy_report_only), "Content-Security-Policy-Report-Only");
  EXPECT_EQ(header_name(HeaderId::etag), "ETag");
  EXPECT_EQ(header_name(HeaderId::host), "Host");
  EXPECT_EQ(header_name(HeaderId::proxy_authorization), "Proxy-Authorization");
  EXPECT_EQ(header_name(HeaderId::sec_websocket_key), "Sec-WebSocket-Key");
  EXPECT_EQ(header_name(HeaderId::transfer_encoding), "Transfer-Encoding");
  EXPECT_EQ(header_name(HeaderId::www_authenticate), "WWW-Authenticate");
  EXPECT_EQ(header_name(HeaderId::x_robots_tag), "X-Robots-Tag");
  EXPECT_EQ(header_name(HeaderId::other), "");
}

TEST(HttpHeaderId, AnythingElse_IsOther) {
  using namespace std::string_view_literals;
  for (const std::string_view name :
       {""sv, "X"sv, "Hos"sv, "Hostt"sv, "Content_Length"sv, "Content-Lengt"sv, "Content-Length "sv,
        "content\rlength"sv, "content\x0dlength"sv, "Con\0ection"sv, "\xc5ost"sv, "Transfer-Encodinh"sv})
    EXPECT_EQ(header_id(name), HeaderId::other) << name;
}

// One wrong byte anywhere makes it another name: the comparison must not fold more than letters.
TEST(HttpHeaderId, EveryOtherByteInEveryPlace_IsOther) {
  for (unsigned i = 1; i < static_cast<unsigned>(HeaderId::count_); ++i) {
    const std::string name{header_name(static_cast<HeaderId>(i))};
    for (std::size_t at = 0; at < name.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string changed = name;
        changed[at] = static_cast<char>(byte);
        if (lower(changed) == lower(name)) continue;
        ASSERT_NE(header_id(changed), static_cast<HeaderId>(i)) << name << " with byte " << byte << " at " << at;
      }
    }
  }
}

TEST(HttpHeaderId, EqualIgnoringCase_FoldsLettersOnly) {
  EXPECT_TRUE(equal_ignoring_case("", ""));
  EXPECT_TRUE(equal_ignoring_case("chunked", "CHUNKED"));
  EXPECT_TRUE(equal_ignoring_case("Strict-Transport-Security", "strict-transport-security"));
  EXPECT_FALSE(equal_ignoring_case("chunked", "chunke"));
  EXPECT_FALSE(equal_ignoring_case("@abcdefgh", "`abcdefgh"));
  EXPECT_FALSE(equal_ignoring_case("abcdefgh[", "abcdefgh{"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));
  EXPECT_FALSE(equal_ignoring_case("abcdefg\xc1", "abcdefg\xe1"));
}

}  // namespace
}  // namespace outrider
