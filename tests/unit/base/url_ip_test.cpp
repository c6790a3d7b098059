// https://url.spec.whatwg.org/#host-parsing; serialisation as RFC 5952 has it.
#include "base/url_ip.hpp"

#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::string ipv4(std::string_view text) {
  const auto address = parse_ipv4(test::ExactBuffer(text));
  std::string out;
  if (address) append_ipv4(out, *address);
  return address ? out : "failure";
}

std::string ipv6(std::string_view text) {
  const auto pieces = parse_ipv6(test::ExactBuffer(text));
  std::string out;
  if (pieces) append_ipv6(out, *pieces);
  return pieces ? out : "failure";
}

TEST(UrlIp, Ipv4_NumbersInThreeRadices) {
  EXPECT_EQ(ipv4("1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(ipv4("1.2.3.4."), "1.2.3.4");
  EXPECT_EQ(ipv4("0x10.010.8.0X"), "16.8.8.0");
  EXPECT_EQ(ipv4("1.2.772"), "1.2.3.4");
  EXPECT_EQ(ipv4("16909060"), "1.2.3.4");
  EXPECT_EQ(ipv4("4294967295"), "255.255.255.255");
  for (const char* bad : {"4294967296", "1.2.3.256", "256.1.1.1", "1.2.3.4.5", "1..2.3", "09", "0xg", "1.2.3.4..", "",
                          "99999999999999999999999999999999", "1.2.65536", "1.16777216", "."})
    EXPECT_EQ(ipv4(bad), "failure") << bad;
}

TEST(UrlIp, EndsInNumber) {
  for (const char* yes : {"1", "a.1", "a.1.", "a.0x", "a.0xFf", "a.09", "0X1"}) EXPECT_TRUE(ends_in_number(yes)) << yes;
  for (const char* no : {"a", "1.a", "a.1a", "a.0xg", "a.x1", ".", "a..", "1..", "a.-1"})
    EXPECT_FALSE(ends_in_number(no)) << no;
}

TEST(UrlIp, Ipv6_CompressesTheFirstLongestRun) {  // RFC 5952 section 4.2
  EXPECT_EQ(ipv6("::"), "[::]");
  EXPECT_EQ(ipv6("1::"), "[1::]");
  EXPECT_EQ(ipv6("::1"), "[::1]");
  EXPECT_EQ(ipv6("0:0:0:0:0:0:0:0"), "[::]");
  EXPECT_EQ(ipv6("1:0:0:2:0:0:0:3"), "[1:0:0:2::3]");
  EXPECT_EQ(ipv6("1:0:0:2:3:0:0:4"), "[1::2:3:0:0:4]");
  EXPECT_EQ(ipv6("1:2:3:4:5:6:0:8"), "[1:2:3:4:5:6:0:8]");  // one zero is not compressed
  EXPECT_EQ(ipv6("2001:0DB8::00ff"), "[2001:db8::ff]");
  EXPECT_EQ(ipv6("::ffff:192.168.0.1"), "[::ffff:c0a8:1]");
  EXPECT_EQ(ipv6("1:2:3:4:5:6:7::"), "[1:2:3:4:5:6:7:0]");
}

TEST(UrlIp, Ipv6_BadAddresses) {
  for (const char* bad : {"",
                          ":",
                          ":::",
                          "1",
                          "1:2:3:4:5:6:7",
                          "1:2:3:4:5:6:7:8:9",
                          "1::2::3",
                          "12345::",
                          "::g",
                          "1:2:3:4:5:6:7:",
                          ":1:2:3:4:5:6:7:8",
                          "::1.2.3",
                          "::1.2.3.4.5",
                          "::1.2.3.256",
                          "::01.2.3.4",
                          "::.1.2.3",
                          "1:2:3:4:5:6:7:1.2.3.4",
                          "::1.2.3.4:5",
                          "::1.2.3.",
                          "fe80::1%25eth0",
                          "::1 ",
                          "1.2.3.4"})
    EXPECT_EQ(ipv6(bad), "failure") << bad;
}

}  // namespace
}  // namespace outrider
