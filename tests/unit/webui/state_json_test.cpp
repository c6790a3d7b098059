#include "webui/state_json.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider::webui {
namespace {

namespace json = boost::json;

std::string patch(const char* before, const char* after) {
  return json::serialize(merge_patch(json::parse(before).as_object(), json::parse(after).as_object()));
}

// RFC 7396, section 3, the other way round: from the two documents to the patch.
TEST(MergePatch, SaysWhatIsNewAndWhatIsGone_AndNothingElse) {
  EXPECT_EQ(patch(R"({"a":"b"})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(patch(R"({"a":"b"})", R"({"a":"b","b":"c"})"), R"({"b":"c"})");
  EXPECT_EQ(patch(R"({"a":"b","b":"c"})", R"({"b":"c"})"), R"({"a":null})");
  EXPECT_EQ(patch(R"({"a":["b"]})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(patch(R"({"a":{"b":"c","d":1}})", R"({"a":{"b":"d","d":1}})"), R"({"a":{"b":"d"}})");
  EXPECT_EQ(patch(R"({"a":[1,2]})", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(patch(R"({"a":{"b":1}})", R"({"a":{"b":1}})"), "{}");
}

}  // namespace
}  // namespace outrider::webui
