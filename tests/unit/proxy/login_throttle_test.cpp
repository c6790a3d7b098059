#include "proxy/login_throttle.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;

IpAddress ip(const std::string& text) {
  return boost::asio::ip::make_address(text);
}
const SteadyTime kNow{std::chrono::hours{1}};

void fail(LoginThrottle& throttle, const char* client, unsigned times, SteadyTime now = kNow) {
  for (unsigned i = 0; i < times; ++i) throttle.failed(ip(client), now);
}

TEST(LoginThrottle, AFewMistakesAreFree) {
  LoginThrottle throttle;
  EXPECT_EQ(throttle.wait_for(ip("192.0.2.1"), kNow), 0s);
  fail(throttle, "192.0.2.1", LoginThrottle::kFreeFailures - 1);
  EXPECT_EQ(throttle.wait_for(ip("192.0.2.1"), kNow), 0s);
}

TEST(LoginThrottle, ThenEachCostsTwiceAsMuch_UpToALimit) {
  LoginThrottle throttle;
  fail(throttle, "192.0.2.1", LoginThrottle::kFreeFailures);
  EXPECT_EQ(throttle.wait_for(ip("192.0.2.1"), kNow), 1s);
  EXPECT_EQ(throttle.wait_for(ip("192.0.2.1"), kNow + 1s), 0s);
  fail(throttle, "192.0.2.1", 1, kNow + 1s);
  EXPECT_EQ(throttle.wait_for(ip("192.0.2.1"), kNow + 1s), 2s);
  fail(throttle, "192.0.2.1", 100, kNow + 3s);
  EXPECT_EQ(throttle.wait_for(ip("192.0.2.1"), kNow + 3s), LoginThrottle::kLongestWait);
}

TEST(LoginThrottle, OthersAreNotAffected_ButTheSame64Is) {
  LoginThrottle throttle;
  fail(throttle, "2001:db8:0:1::1", 20);
  EXPECT_GT(throttle.wait_for(ip("2001:db8:0:1:ffff::2"), kNow), 0s) << "one machine has 2^64 addresses";
  EXPECT_EQ(throttle.wait_for(ip("2001:db8:0:2::1"), kNow), 0s);
  fail(throttle, "192.0.2.1", 20);
  EXPECT_GT(throttle.wait_for(ip("::ffff:192.0.2.1"), kNow), 0s);
  EXPECT_EQ(throttle.wait_for(ip("192.0.2.2"), kNow), 0s);
}

TEST(LoginThrottle, IsForgottenInTime) {
  LoginThrottle throttle;
  fail(throttle, "192.0.2.1", 20);
  const SteadyTime later = kNow + LoginThrottle::kForgetAfter;
  fail(throttle, "192.0.2.1", 1, later);
  EXPECT_EQ(throttle.wait_for(ip("192.0.2.1"), later), 0s);
}

TEST(LoginThrottle, ManyAddresses_DoNotWashOutTheWorst) {
  LoginThrottle throttle{64};
  fail(throttle, "192.0.2.1", 20);
  for (int i = 0; i < 10'000; ++i) throttle.failed(ip(fmt::format("10.0.{}.{}", i / 256, i % 256)), kNow);
  EXPECT_GT(throttle.wait_for(ip("192.0.2.1"), kNow), 0s);
}

}  // namespace
}  // namespace outrider
