#include "base/http2_origins.hpp"

#include "base/clock.hpp"
#include "base/reactor.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using Offer = std::vector<std::string>;
using Speaks = Http2Origins::Speaks;

struct Http2OriginsTest : ::testing::Test {
  FakeClock clock;
  Reactor reactor{clock};
  std::shared_ptr<Http2Origins> origins = std::make_shared<Http2Origins>(reactor, HttpLimits{}, 60s);
  const std::string key = "https://site.example";
};

TEST_F(Http2OriginsTest, UnknownOrigin_IsOfferedBoth) {
  EXPECT_EQ(origins->speaks(key), Speaks::unknown);
  EXPECT_EQ(origins->offer(key), (Offer{"h2", "http/1.1"}));
}

TEST_F(Http2OriginsTest, OriginThatChoseHttp1_IsOfferedBothAgain) {
  origins->learn(key, Speaks::http1);
  EXPECT_EQ(origins->offer(key), (Offer{"h2", "http/1.1"}));
}

// HTTP_1_1_REQUIRED (RFC 9113 section 7) was about one request. It is remembered for ten minutes, and not for ever.
TEST_F(Http2OriginsTest, Http1Required_IsForgottenAfterAWhile) {
  origins->learn(key, Speaks::http1_only);
  EXPECT_EQ(origins->offer(key), Offer{"http/1.1"});
  EXPECT_EQ(origins->offer("https://other.example"), (Offer{"h2", "http/1.1"}));
  clock.advance(10min);
  EXPECT_EQ(origins->speaks(key), Speaks::http1_only);
  EXPECT_EQ(origins->offer(key), Offer{"http/1.1"});
  clock.advance(1s);
  EXPECT_EQ(origins->speaks(key), Speaks::unknown);
  EXPECT_EQ(origins->offer(key), (Offer{"h2", "http/1.1"}));
}

// A connection that was being opened meanwhile says nothing about what was asked for.
TEST_F(Http2OriginsTest, Http1Required_IsNotOverruledByALaterConnection) {
  origins->learn(key, Speaks::http1_only);
  origins->learn(key, Speaks::http2);
  EXPECT_EQ(origins->speaks(key), Speaks::http1_only);
  clock.advance(11min);
  origins->learn(key, Speaks::http2);
  EXPECT_EQ(origins->speaks(key), Speaks::http2);
}

}  // namespace
}  // namespace outrider
