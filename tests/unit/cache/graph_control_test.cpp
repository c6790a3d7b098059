#include "cache/graph_control.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

using namespace std::chrono_literals;

const WallTime kNow{std::chrono::seconds{1'700'000'000}};

Result<ForgetScope> parsed(std::string_view text) {
  return parse_forget(boost::json::parse(text).get_object(), kNow);
}

TEST(GraphControl, EachScope_IsUnderstood) {
  EXPECT_EQ(parsed(R"({"site":"a.example"})")->site, "a.example");
  EXPECT_EQ(parsed(R"({"url":"https://a.example/"})")->url, "https://a.example/");
  EXPECT_EQ(parsed(R"({"prefix":"https://a.example/x"})")->prefix, "https://a.example/x");
  EXPECT_EQ(parsed(R"({"last":"1h"})")->from, kNow - 1h);
  EXPECT_FALSE(parsed(R"({"last":"1h"})")->until);
  EXPECT_TRUE(parsed(R"({"all":true})")->everything);
  EXPECT_EQ(parsed(R"({"user":"anna"})")->user, "anna");
  EXPECT_FALSE(parsed(R"({"user":"anna"})")->everything);
  EXPECT_EQ(parsed(R"({"user":""})")->user, "") << "the one person where nobody logs in";
}

// A request that was misunderstood must never forget more than was meant.
TEST(GraphControl, AnythingElse_IsRefused) {
  for (const char* text :
       {"{}", R"({"all":false})", R"({"site":""})", R"({"site":5})", R"({"last":"soon"})", R"({"site":"a","url":"b"})",
        R"({"user":"a","all":true})", R"({"user":5})", R"({"everything":true})"})
    EXPECT_FALSE(parsed(text)) << text;
}

}  // namespace
}  // namespace outrider
