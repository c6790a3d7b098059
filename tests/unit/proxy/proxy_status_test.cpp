#include "proxy/proxy_status.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

// RFC 9209 section 2
TEST(ProxyStatus, IsAStructuredFieldItemWithErrorAndDetails) {
  EXPECT_EQ(proxy_status("dns_error", "no such name"), "outrider; error=dns_error; details=\"no such name\"");
  EXPECT_EQ(proxy_status("dns_error", ""), "outrider; error=dns_error");
  EXPECT_EQ(proxy_status("", ""), "outrider");
}

// RFC 8941 section 3.3.3: DQUOTE and backslash are escaped, everything outside %x20-7E is not allowed.
TEST(ProxyStatus, DetailsAreAValidStructuredString) {
  EXPECT_EQ(proxy_status("e", "a\"b\\c"), "outrider; error=e; details=\"a\\\"b\\\\c\"");
  EXPECT_EQ(proxy_status("e", "a\r\nSet-Cookie: x"), "outrider; error=e; details=\"a??Set-Cookie: x\"");
  EXPECT_EQ(proxy_status("e", std::string_view{"\0\x1f\x7f\xc3\xa4~ ", 7}), "outrider; error=e; details=\"?????~ \"");
}

TEST(ProxyStatus, LongDetailsAreCutWithoutBreakingAnEscape) {
  const std::string value = proxy_status("e", std::string(10'000, '"'));
  EXPECT_LT(value.size(), 600u);
  ASSERT_TRUE(value.ends_with("\\\"\""));
  const std::string_view quoted = std::string_view{value}.substr(value.find('"') + 1);
  std::size_t at = 0;
  while (quoted[at] == '\\') at += 2;
  EXPECT_EQ(at + 1, quoted.size()) << "the first bare quote must be the last character";
}

}  // namespace
}  // namespace outrider
