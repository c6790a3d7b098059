// Whether origins learn who asks (proxy.forwarded_for): not unless somebody wants that.
#include "tests/support/cache_stage.hpp"

#include <gtest/gtest.h>

namespace outrider::testing {
namespace {

const std::string kEarlier = "Forwarded: for=192.0.2.7\r\nX-Forwarded-For: 192.0.2.7\r\n";

TEST(ForwardedFor, SwitchedOff_OriginsAreNotTold) {
  CacheStage stage;
  stage.origin.on("/a", page("a"));
  stage.get("/a");
  EXPECT_EQ(stage.origin.last("/a").field("Forwarded"), "");
  EXPECT_EQ(stage.origin.last("/a").field("X-Forwarded-For"), "");
}

// RFC 7239 section 4: each proxy adds itself behind those before it.
TEST(ForwardedFor, SwitchedOn_OriginsAreToldWhoAsks) {
  CacheStage stage{{"proxy.forwarded_for=true"}};
  stage.origin.on("/a", page("a"));
  for (const char* method : {"GET", "POST"}) {
    EXPECT_EQ(stage.ask(method, "/a", "", "127.0.0.5").status, 200);
    EXPECT_EQ(stage.origin.last("/a").field("Forwarded"), "for=127.0.0.5") << method;
    EXPECT_EQ(stage.origin.last("/a").field("X-Forwarded-For"), "127.0.0.5") << method;
  }
  stage.get("/a", kEarlier, "127.0.0.5");
  EXPECT_EQ(stage.origin.last("/a").field("Forwarded"), "for=192.0.2.7, for=127.0.0.5");
  EXPECT_EQ(stage.origin.last("/a").field("X-Forwarded-For"), "192.0.2.7, 127.0.0.5");
}

// It is no part of what is kept, and no reason for keeping it apart.
TEST(ForwardedFor, SwitchedOn_CopiesAreForEverybody) {
  CacheStage stage{{"proxy.forwarded_for=true"}};
  stage.origin.on("/a", page("a", kFresh));
  stage.get("/a", "", "127.0.0.5");
  EXPECT_EQ(stage.get("/a", "", "127.0.0.6").body, "a");
  EXPECT_EQ(stage.origin.count("/a"), 1U);
}

}  // namespace
}  // namespace outrider::testing
