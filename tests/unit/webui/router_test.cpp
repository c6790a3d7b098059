#include "webui/router.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace outrider::webui {
namespace {

Handler saying(std::string text) {
  return [text](const ApiRequest&) { return ApiReply::text("text/plain", text); };
}

struct RouterTest : ::testing::Test {
  Router router;
  RouterTest() {
    router.add(Method::get, "/api/v1/tasks", Role::reader, saying("list"));
    router.add(Method::post, "/api/v1/tasks", Role::admin, saying("create"));
    router.add(Method::get, "/api/v1/tasks/{id}", Role::reader, saying("one"));
    router.add(Method::get, "/api/v1/tasks/presets", Role::reader, saying("presets"));
    router.add(Method::post, "/api/v1/tasks/{id}/{verb}", Role::admin, saying("verb"));
  }
  std::string said(Method method, std::string_view path) const {
    const Router::Match match = router.find(method, path);
    return match.handler == nullptr ? "-" + match.allowed : (*match.handler)(ApiRequest{}).body;
  }
};

TEST_F(RouterTest, MethodAndPathTogether_ChooseTheHandler) {
  EXPECT_EQ(said(Method::get, "/api/v1/tasks"), "list");
  EXPECT_EQ(said(Method::post, "/api/v1/tasks"), "create");
  EXPECT_EQ(router.find(Method::post, "/api/v1/tasks").needed, Role::admin);
}

TEST_F(RouterTest, Head_IsAnsweredByGet) {
  EXPECT_EQ(said(Method::head, "/api/v1/tasks"), "list");
}

TEST_F(RouterTest, OtherMethodOfAKnownPath_NamesTheAllowedOnes) {  // RFC 9110 section 15.5.6
  EXPECT_EQ(said(Method::del, "/api/v1/tasks"), "-GET, HEAD, POST");
}

TEST_F(RouterTest, NamesStandForOneSegment_Decoded) {
  const Router::Match match = router.find(Method::post, "/api/v1/tasks/a%2Fb/pause");
  ASSERT_NE(match.handler, nullptr);
  ASSERT_EQ(match.path_values.size(), 2U);
  EXPECT_EQ(match.path_values[0], (std::pair<std::string, std::string>{"id", "a/b"}));
  EXPECT_EQ(match.path_values[1].second, "pause");
}

TEST_F(RouterTest, WhatIsWrittenOut_WinsOverAName) {
  EXPECT_EQ(said(Method::get, "/api/v1/tasks/presets"), "presets");
  EXPECT_EQ(said(Method::get, "/api/v1/tasks/7"), "one");
}

TEST_F(RouterTest, UnknownAndIncompletePaths_AreNotFound) {
  for (const std::string_view path : {"/api/v1/tasks/", "/api/v1/taskss", "/api/v1", "/", "", "/api/v1/tasks/1/2/3",
                                      "//api/v1/tasks", "/api/v1/tasks//pause"})
    EXPECT_EQ(said(Method::get, path), "-") << path;
}

TEST_F(RouterTest, APatternTwice_IsABug) {
  EXPECT_THROW(router.add(Method::get, "/api/v1/tasks", Role::reader, saying("")), std::logic_error);
}

TEST(ParseQuery, NamesAndValues_AreDecodedInOrder) {
  const QueryPairs pairs = parse_query("q=a+b%26c&empty=&flag&&url=http%3A%2F%2Fa%2F%3Fx%3D1");
  ASSERT_EQ(pairs.size(), 4U);
  EXPECT_EQ(pairs[0].second, "a b&c");
  EXPECT_EQ(pairs[1], (std::pair<std::string, std::string>{"empty", ""}));
  EXPECT_EQ(pairs[2], (std::pair<std::string, std::string>{"flag", ""}));
  EXPECT_EQ(pairs[3].second, "http://a/?x=1");
}

}  // namespace
}  // namespace outrider::webui
