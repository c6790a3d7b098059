#include "base/http2_homes.hpp"

#include "base/http_client.hpp"
#include "tests/support/http_client_fixture.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;

struct Http2HomesTest : testing::HttpClientFixture {
  Http2Homes homes;
  std::shared_ptr<HttpHome> one = std::make_shared<HttpHome>(reactor, client);
  std::shared_ptr<HttpHome> two = std::make_shared<HttpHome>(reactor, client);
  std::shared_ptr<HttpHome> guest = std::make_shared<HttpHome>(reactor, client);
  SteadyTime now = SteadyTime{} + 1h;
};

TEST_F(Http2HomesTest, WhoAsksFirst_HasIt) {
  homes.add(one);
  homes.add(two);
  EXPECT_EQ(homes.find("tls a:443", one, now), nullptr);
  EXPECT_EQ(homes.find("tls a:443", two, now), one);
  EXPECT_EQ(homes.find("tls b:443", two, now), nullptr) << "another origin";
  EXPECT_EQ(homes.find("tls b:443", one, now), two);
}

TEST_F(Http2HomesTest, Guest_NeverHasIt) {
  EXPECT_EQ(homes.find("tls a:443", guest, now), nullptr) << "alone, everybody is at home";
  homes.add(one);
  EXPECT_EQ(homes.find("tls a:443", guest, now), one);
  EXPECT_EQ(homes.find("tls a:443", one, now), nullptr);
}

TEST_F(Http2HomesTest, WhatIsReleased_IsTheNextOnes) {
  homes.add(one);
  homes.add(two);
  EXPECT_EQ(homes.find("tls a:443", one, now), nullptr);
  homes.keep("tls a:443", one);
  homes.release("tls a:443", two);
  EXPECT_EQ(homes.find("tls a:443", two, now + 24h), one) << "as long as the connection stands";
  EXPECT_EQ(homes.whose("tls a:443", two), one);
  homes.release("tls a:443", one);
  EXPECT_EQ(homes.whose("tls a:443", two), nullptr);
  EXPECT_EQ(homes.find("tls a:443", two, now), nullptr);
  EXPECT_EQ(homes.find("tls a:443", one, now), two);
}

// Somebody said that they would connect, and never did.
TEST_F(Http2HomesTest, WhatWasNeverKept_IsGivenAwayAfterAWhile) {
  homes.add(one);
  homes.add(two);
  EXPECT_EQ(homes.find("tls a:443", one, now), nullptr);
  EXPECT_EQ(homes.find("tls a:443", two, now + 29s), one);
  EXPECT_EQ(homes.find("tls a:443", two, now + 31s), nullptr);
  EXPECT_EQ(homes.find("tls a:443", one, now + 32s), two);
}

TEST_F(Http2HomesTest, WhoLeaves_HasNothingAnyMore) {
  homes.add(one);
  homes.add(two);
  homes.find("tls a:443", one, now);
  homes.keep("tls a:443", one);
  homes.remove(one);
  EXPECT_EQ(homes.find("tls a:443", two, now), nullptr);
  EXPECT_EQ(homes.find("tls b:443", one, now), two) << "it sends its own elsewhere, too";
}

TEST_F(Http2HomesTest, ClosedHome_TakesNothing) {
  bool called = false;
  EXPECT_TRUE(one->post([&called](HttpClient&) { called = true; }));
  one->close();
  EXPECT_FALSE(one->post([](HttpClient&) {}));
  reactor.context().restart();
  reactor.context().poll();
  EXPECT_FALSE(called) << "the client is gone";
}

}  // namespace
}  // namespace outrider
