#include "proxy/client_slots.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

IpAddress ip(const char* text) {
  return boost::asio::ip::make_address(text);
}

TEST(ClientSlots, AreCountedInAllAndForEachClient_AndGivenBack) {
  ClientSlots slots;
  const ClientSlots::Limits limits{3, 2};
  auto first = slots.take(ip("192.0.2.1"), limits), second = slots.take(ip("192.0.2.1"), limits);
  EXPECT_TRUE(first && second);
  EXPECT_EQ(slots.take(ip("192.0.2.1"), limits), nullptr);
  const auto other = slots.take(ip("192.0.2.2"), limits);
  EXPECT_TRUE(other);
  EXPECT_EQ(slots.take(ip("192.0.2.3"), limits), nullptr);
  first.reset();
  EXPECT_EQ(slots.total(), 2U);
  EXPECT_TRUE(slots.take(ip("192.0.2.1"), limits));
}

// One machine in IPv6 has 2^64 addresses.
TEST(ClientSlots, AMachineInIpv6_IsOneClient) {
  ClientSlots slots;
  const ClientSlots::Limits limits{10, 2};
  const auto first = slots.take(ip("2001:db8::1"), limits), second = slots.take(ip("2001:db8::2"), limits);
  EXPECT_TRUE(first && second);
  EXPECT_EQ(slots.take(ip("2001:db8::3"), limits), nullptr);
  EXPECT_TRUE(slots.take(ip("2001:db8:0:1::1"), limits));
  const auto mapped = slots.take(ip("::ffff:192.0.2.1"), limits), plain = slots.take(ip("192.0.2.1"), limits);
  EXPECT_EQ(slots.take(ip("::ffff:192.0.2.1"), limits), nullptr);
  EXPECT_TRUE(slots.take(ip("192.0.2.2"), limits));
}

}  // namespace
}  // namespace outrider
