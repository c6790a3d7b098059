// Through another proxy, and around it.
#include "tests/support/cache_stage.hpp"
#include "tests/support/secret_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Nobody listens there (and this machine is asked for through a parent only where a rule says so).
const std::string kDead = "parents.rules=[\"127.0.0.1 = 127.0.0.1:1\"]";
const std::string kDeadOrDirect = "parents.rules=[\"127.0.0.1 = 127.0.0.1:1, direct\"]";

TEST(Parents, LiveParent_IsAskedForEverything) {
  TestOrigin parent{
      TestOrigin::answering([](const std::string& request) { return page(request.substr(0, request.find("\r\n"))); })};
  CacheStage stage{{"parents.rules=[\"127.0.0.1 = " + parent.authority() + ", direct\"]"}};
  EXPECT_EQ(stage.get("/a?b").body, "GET " + stage.origin.url("/a?b") + " HTTP/1.1");
  EXPECT_EQ(stage.origin.count(), 0U);
}

TEST(Parents, DeadParent_IsNamedInTheAnswer) {
  CacheStage stage{{kDead}};
  stage.origin.on("/a", page("a"));
  const HttpAnswer answer = stage.get("/a");
  EXPECT_EQ(answer.status, 502);
  EXPECT_THAT(answer.field("Proxy-Status"), HasSubstr("error=connection_refused"));
  EXPECT_EQ(stage.origin.count(), 0U);
}

TEST(Parents, DeadParent_IsGoneAroundWhereTheRulesSaySo) {
  CacheStage stage{{kDeadOrDirect}};
  stage.origin.on("/a", page("a"));
  EXPECT_EQ(stage.get("/a").body, "a");
  EXPECT_THAT(stage.origin.last("/a").head, StartsWith("GET /a HTTP/1.1"));
  EXPECT_EQ(stage.ask("HEAD", "/a").status, 200);
}

// Nothing of the body was sent to anybody, so nothing is sent twice.
TEST(Parents, DeadParent_IsGoneAroundAlsoWithABody) {
  CacheStage stage{{kDeadOrDirect}};
  stage.origin.on("/a", [](const ScriptedOrigin::Request& request) { return page(request.body); });
  const HttpAnswer answer = stage.ask("POST", "/a", "", "127.0.0.1", "hello");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(stage.origin.count("/a"), 1U);
}

// A copy past its lifetime is for when nobody can be asked; here somebody can.
TEST(Parents, DeadParentThatCanBeGoneAround_IsNoReasonForAStaleCopy) {
  CacheStage stage{{kDeadOrDirect}};
  stage.origin.on("/a", page("old", kStale));
  EXPECT_EQ(stage.get("/a").body, "old");
  stage.origin.on("/a", page("new", kStale));
  const HttpAnswer answer = stage.get("/a");
  EXPECT_EQ(answer.body, "new");
  EXPECT_THAT(answer.field("Cache-Status"), HasSubstr("fwd=stale"));
}

TEST(Parents, DeadParentWithoutAnotherWay_LeavesTheStaleCopy) {
  CacheStage stage{{kDeadOrDirect}};
  stage.origin.on("/a", page("old", kStale));
  EXPECT_EQ(stage.get("/a").body, "old");
  ASSERT_EQ(stage.outrider.stop(), 0);
  stage.outrider.start_again(CacheStage::arguments({kDead}));
  EXPECT_EQ(stage.get("/a").body, "old");
  EXPECT_EQ(stage.origin.count("/a"), 1U);
}

constexpr const char* kWhoAreYou =
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"parent\"\r\n"
    "Cache-Control: max-age=60\r\nContent-Length: 2\r\n\r\nno";

// Our client could do nothing about it: the login is between the parent and us (RFC 9110 section 15.5.8).
TEST(Parents, ParentThatWantsALogin_IsNamedInTheAnswer) {
  TestOrigin parent{TestOrigin::answering([](const std::string&) { return kWhoAreYou; })};
  CacheStage stage{{"parents.rules=[\"127.0.0.1 = " + parent.authority() + "\"]"}};
  for (const char* method : {"GET", "GET", "HEAD", "POST"}) {
    const HttpAnswer answer = stage.ask(method, "/a", "", "127.0.0.1", method == std::string{"POST"} ? "body" : "");
    EXPECT_EQ(answer.status, 502) << method;
    EXPECT_THAT(answer.field("Proxy-Status"), HasSubstr("error=destination_unavailable"));
    EXPECT_THAT(answer.field("Proxy-Status"), HasSubstr("the parent proxy " + parent.authority() + " answered 407"));
    EXPECT_EQ(answer.field("Proxy-Authenticate"), "");
  }
}

TEST(Parents, OriginThatPlaysProxy_IsNotTakenForUs) {
  CacheStage stage;
  stage.origin.on("/a", kWhoAreYou);
  const HttpAnswer answer = stage.get("/a");
  EXPECT_EQ(answer.status, 502);
  EXPECT_THAT(answer.field("Proxy-Status"), HasSubstr("error=http_protocol_error"));
  EXPECT_EQ(stage.get("/a").status, 502);
  EXPECT_EQ(stage.origin.count("/a"), 2U) << "not kept";
}

// RFC 9110 section 9.3.8: whoever asks sees everything that the parent was sent.
TEST(Parents, Trace_TakesNoCredentialsAlong) {
  TestOrigin parent{TestOrigin::answering([](const std::string& request) { return page(request); })};
  const SecretFolder folder;
  const std::string file = folder.write("parents", parent.authority() + " user:password\n");
  CacheStage stage{{"parents.rules=[\"127.0.0.1 = " + parent.authority() + "\"]", "parents.credentials_file=" + file}};
  const HttpAnswer trace = stage.ask("TRACE", "/a");
  EXPECT_EQ(trace.status, 200);
  EXPECT_THAT(trace.body, StartsWith("TRACE "));
  EXPECT_THAT(trace.body, Not(HasSubstr("Proxy-Authorization")));
  EXPECT_THAT(stage.get("/a").body, HasSubstr("Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==")) << "others have them";
}

}  // namespace
}  // namespace outrider::testing
