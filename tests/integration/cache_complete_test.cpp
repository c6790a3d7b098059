// Parts that are kept are completed, not fetched again (RFC 9111 section 3.4).
#include "tests/support/cache_stage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kBody = noise(10'000);

struct CacheComplete : ::testing::Test {
  // An origin that knows ranges ("bytes=a-b", "bytes=a-") and If-Range.
  void serve(const std::string& tag, const std::string& body, const std::string& fields = kFresh) {
    stage.origin.on("/a", [=](const ScriptedOrigin::Request& request) {
      const std::string range = request.field("Range"), condition = request.field("If-Range");
      const std::string head = "ETag: " + tag + "\r\n" + fields;
      if (range.empty() || (!condition.empty() && condition != tag)) return page(body, head);
      const std::size_t dash = range.find('-');
      const std::size_t first = std::stoul(range.substr(6, dash - 6));
      const std::size_t last = dash + 1 < range.size() ? std::stoul(range.substr(dash + 1)) : body.size() - 1;
      const std::string part = body.substr(first, last - first + 1);
      return "HTTP/1.1 206 Partial Content\r\n" + head + "Content-Range: bytes " + std::to_string(first) + "-" +
             std::to_string(last) + "/" + std::to_string(body.size()) +
             "\r\nContent-Length: " + std::to_string(part.size()) + "\r\n\r\n" + part;
    });
  }
  HttpAnswer part(const std::string& range) { return stage.get("/a", "Range: bytes=" + range + "\r\n"); }
  CacheStage stage;
};

TEST_F(CacheComplete, Whole_IsThePartThatIsKeptAndTheRest) {
  serve("\"1\"", kBody);
  EXPECT_EQ(part("0-3999").status, 206);
  const HttpAnswer whole = stage.get("/a");
  EXPECT_EQ(whole.status, 200);
  EXPECT_TRUE(whole.complete && whole.body == kBody);
  EXPECT_EQ(whole.field("Content-Range"), "");
  EXPECT_EQ(whole.field("Content-Length"), "10000");
  EXPECT_THAT(whole.field("Cache-Status"), StartsWith("Outrider; fwd=partial; fwd-status=206"));
  EXPECT_EQ(stage.origin.last("/a").field("Range"), "bytes=4000-");
  EXPECT_EQ(stage.origin.last("/a").field("If-Range"), "\"1\"");
  const HttpAnswer again = stage.get("/a");
  EXPECT_THAT(again.field("Cache-Status"), StartsWith("Outrider; hit"));
  EXPECT_TRUE(again.body == kBody);
  EXPECT_EQ(stage.origin.count("/a"), 2U);
}

TEST_F(CacheComplete, GapBetweenTwoParts_IsAllThatIsFetched) {
  serve("\"1\"", kBody);
  part("0-999");
  part("5000-9999");
  const HttpAnswer whole = stage.get("/a");
  EXPECT_TRUE(whole.complete && whole.body == kBody);
  EXPECT_EQ(stage.origin.last("/a").field("Range"), "bytes=1000-4999");
}

TEST_F(CacheComplete, RangeThatIsHeldInPart_IsCompleted) {
  serve("\"1\"", kBody);
  part("0-3999");
  const HttpAnswer answer = part("2000-5999");
  EXPECT_EQ(answer.status, 206);
  EXPECT_EQ(answer.field("Content-Range"), "bytes 2000-5999/10000");
  EXPECT_TRUE(answer.complete && answer.body == kBody.substr(2000, 4000));
  EXPECT_EQ(stage.origin.last("/a").field("Range"), "bytes=4000-5999");
}

// If-Range asks about the version: what is past its lifetime is confirmed by the rest.
TEST_F(CacheComplete, StalePart_IsCompletedToo) {
  serve("\"1\"", kBody, kStale);
  part("0-3999");
  serve("\"1\"", kBody);
  const HttpAnswer whole = stage.get("/a");
  EXPECT_TRUE(whole.complete && whole.body == kBody);
  EXPECT_EQ(whole.field("Warning"), "");
  EXPECT_EQ(stage.origin.last("/a").field("Range"), "bytes=4000-");
}

TEST_F(CacheComplete, AnotherVersion_IsFetchedWhole) {
  serve("\"1\"", kBody);
  part("0-3999");
  const std::string other = noise(8000, 2);
  serve("\"2\"", other);
  const HttpAnswer whole = stage.get("/a");
  EXPECT_EQ(whole.status, 200);
  EXPECT_TRUE(whole.complete && whole.body == other);
  EXPECT_EQ(stage.origin.count("/a"), 2U);
  EXPECT_TRUE(stage.get("/a").body == other);
}

TEST_F(CacheComplete, WeakValidator_IsNotEnough) {
  serve("W/\"1\"", kBody);
  part("0-3999");
  EXPECT_TRUE(stage.get("/a").body == kBody);
  EXPECT_EQ(stage.origin.last("/a").field("Range"), "");
}

// What does not fit is not put together, whatever the origin thinks.
TEST_F(CacheComplete, PartThatDoesNotFit_IsNotUsed) {
  for (const std::string& wrong :
       {std::string{"ETag: \"2\"\r\nContent-Range: bytes 4000-9999/10000\r\n"},
        std::string{"ETag: \"1\"\r\nContent-Range: bytes 3000-8999/10000\r\n"},
        std::string{"ETag: \"1\"\r\nContent-Range: bytes 4000-9999/20000\r\n"}, std::string{"ETag: \"1\"\r\n"}}) {
    serve("\"1\"", kBody);
    stage.ask("POST", "/a");  // nothing is kept any more
    part("0-3999");
    stage.origin.on("/a", [=](const ScriptedOrigin::Request& request) {
      if (request.field("Range").empty()) return page(kBody, "ETag: \"3\"\r\n" + kFresh);
      return "HTTP/1.1 206 Partial Content\r\n" + kFresh + wrong + "Content-Length: 6000\r\n\r\n" + kBody.substr(4000);
    });
    const HttpAnswer whole = stage.get("/a");
    EXPECT_EQ(whole.status, 200) << wrong;
    EXPECT_TRUE(whole.complete && whole.body == kBody) << wrong;
    EXPECT_THAT(whole.head, HasSubstr("ETag: \"3\"")) << wrong;
  }
}

}  // namespace
}  // namespace outrider::testing
