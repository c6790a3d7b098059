// Every answer says what the cache had to do with it (Cache-Status, RFC 9211), and why in words.
#include "tests/support/cache_stage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::StartsWith;

std::string status_of(const HttpAnswer& answer) {
  return answer.field("Cache-Status");
}

// Where nobody listens (any more).
std::string dead_address() {
  const TestOrigin gone{[](RawSocket&) {}};
  return gone.url();
}

struct CacheStatusOf : ::testing::Test {
  CacheStage stage;
};

TEST_F(CacheStatusOf, Hit_SaysWhyTheCopyMayBeUsed) {
  stage.origin.on("/a", page("a", kFresh + "ETag: \"1\"\r\n"));
  stage.get("/a");
  EXPECT_THAT(status_of(stage.get("/a")), ContainsRegex("^Outrider; hit; ttl=[0-9]+; detail=\"it is fresh\"$"));
  const HttpAnswer known = stage.get("/a", "If-None-Match: \"1\"\r\n");
  EXPECT_EQ(known.status, 304);
  EXPECT_THAT(status_of(known), EndsWith("; detail=\"it is fresh, and the client has it already\""));
}

TEST_F(CacheStatusOf, StaleHit_SaysWhoAllowedIt) {
  stage.origin.on("/a", page("a", kStale));
  stage.get("/a");
  EXPECT_THAT(status_of(stage.get("/a", "Cache-Control: max-stale\r\n")),
              ContainsRegex("^Outrider; hit; ttl=-[0-9]+; detail=\"the client takes it past its lifetime\"$"));
}

TEST_F(CacheStatusOf, AnswerOfTheOrigin_SaysWhyItWasAsked) {
  stage.origin.on("/a", page("a", kStale + "ETag: \"1\"\r\n"));
  stage.get("/a");
  stage.origin.on("/a", "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");
  EXPECT_EQ(status_of(stage.get("/a")),
            "Outrider; fwd=stale; fwd-status=304; detail=\"it is past its lifetime; the origin says that it is still "
            "right\"");
  stage.origin.on("/a", page("b", kFresh));
  EXPECT_EQ(status_of(stage.get("/a", "Cache-Control: no-cache\r\n")),
            "Outrider; fwd=request; stored; detail=\"the client wants the origin to be asked; it can be used again for "
            "some time\"");
}

TEST_F(CacheStatusOf, FailureOfTheOrigin_SaysWhyItWasAsked) {
  const std::string dead = dead_address();
  const HttpAnswer failed = get(stage.outrider.port(), dead);
  EXPECT_EQ(failed.status, 502);
  EXPECT_EQ(status_of(failed), "Outrider; fwd=uri-miss; detail=\"the origin gave no answer\"");
  EXPECT_THAT(status_of(HttpPeer{stage.outrider.port()}.ask("DELETE", dead)),
              StartsWith("Outrider; fwd=method; detail=\"only GET and HEAD"));
}

TEST_F(CacheStatusOf, WantedFromTheStoreOnly_SaysThatThereIsNothing) {
  const HttpAnswer answer = stage.get("/a", "Cache-Control: only-if-cached\r\n");
  EXPECT_EQ(answer.status, 504);
  EXPECT_EQ(status_of(answer), "Outrider; detail=\"the request asks for a stored answer only, and there is none\"");
}

TEST_F(CacheStatusOf, OwnAnswers_SayThatTheyAreOurs) {
  const std::string own = "Outrider; detail=\"an answer of the proxy itself\"";
  EXPECT_EQ(status_of(get(stage.outrider.port(), "http://outrider.internal/")), own);
  EXPECT_EQ(status_of(get(stage.outrider.port(), "http://outrider.internal/nothing")), own);
  HttpPeer wrong{stage.outrider.port()};
  wrong.socket().send("GET http://x/ HTTP/1.1\r\nHost x\r\n\r\n");
  EXPECT_EQ(status_of(wrong.answer()), own);
}

TEST(CacheStatus, ForbiddenDestination_WasNotAskedFor) {
  CacheStage stage{{"destinations.block=[\"blocked.example\"]"}};
  const HttpAnswer answer = get(stage.outrider.port(), "http://blocked.example/");
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(status_of(answer), "Outrider; detail=\"the origin was not asked\"");
}

TEST(CacheStatus, CacheThatIsSwitchedOff_SaysSo) {
  CacheStage stage{{"cache.enabled=false"}};
  stage.origin.on("/a", page("a", kFresh + "Cache-Status: Other; hit\r\n"));
  EXPECT_EQ(status_of(stage.get("/a")), "Other; hit, Outrider; fwd=bypass; detail=\"the cache is switched off\"");
  EXPECT_EQ(status_of(get(stage.outrider.port(), dead_address())),
            "Outrider; fwd=bypass; detail=\"the cache is switched off\"");
}

}  // namespace
}  // namespace outrider::testing
