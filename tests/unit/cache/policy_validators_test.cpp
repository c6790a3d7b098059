#include "cache/policy_validators.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;

// RFC 9110 section 8.8.3.2, its own table.
TEST(EntityTags, Comparison) {
  struct Case {
    std::string_view a, b;
    bool strong, weak;
  };
  for (const Case& c : std::vector<Case>{{"W/\"1\"", "W/\"1\"", false, true},
                                         {"W/\"1\"", "W/\"2\"", false, false},
                                         {"W/\"1\"", "\"1\"", false, true},
                                         {"\"1\"", "\"1\"", true, true},
                                         {"\"1\"", "\"2\"", false, false},
                                         {"abc", "abc", true, true},  // not well-formed, but the same
                                         {"abc", "\"abc\"", false, false},
                                         {"w/\"1\"", "\"1\"", false, false},  // the W is case-sensitive
                                         {"", "", false, false}}) {
    EXPECT_EQ(tags_match_strongly(c.a, c.b), c.strong) << c.a << c.b;
    EXPECT_EQ(tags_match_strongly(c.b, c.a), c.strong) << c.a << c.b;
    EXPECT_EQ(tags_match_weakly(c.a, c.b), c.weak) << c.a << c.b;
  }
}

// RFC 9110 section 13.1.2.
TEST(NoneMatch, Lists_Table) {
  struct Case {
    std::vector<std::string> lines;
    std::string_view tag;
    bool listed;
  };
  for (const Case& c : std::vector<Case>{{{"\"a\""}, "\"a\"", true},
                                         {{"\"a\", \"b\", \"c\""}, "\"b\"", true},
                                         {{"\"a\",\"b\" ,  W/\"c\""}, "\"c\"", true},
                                         {{"\"a\"", "\"b\""}, "\"b\"", true},
                                         {{"\"a,b\""}, "\"a\"", false},
                                         {{"\"a,b\""}, "\"a,b\"", true},
                                         {{"\"a\\\", \"b\""}, "\"b\"", true},  // a backslash escapes nothing
                                         {{"\"a\\\", \"b\""}, "\"a\\\"", true},
                                         {{"W\\\"a\""}, "W\\\"a\"", true},
                                         {{"abc, def"}, "def", true},
                                         {{",, ,"}, "", false},
                                         {{""}, "\"a\"", false},
                                         {{"\"a"}, "\"a\"", false},
                                         {{"*"}, "\"a\"", false}}) {
    HeaderMap map;
    for (const std::string& line : c.lines) map.add("If-None-Match", line);
    EXPECT_EQ(none_match_lists(map, c.tag), c.listed) << ::testing::PrintToString(c.lines) << c.tag;
  }
  EXPECT_TRUE(none_match_any(headers({{"If-None-Match", "*"}})));
  EXPECT_FALSE(none_match_any(headers({{"If-None-Match", "\"*\""}})));
  EXPECT_FALSE(none_match_any({}));
}

// RFC 9110 section 8.8.2.2.
TEST(StrongValidator, Table) {
  struct Case {
    Fields fields;
    std::string validator;
  };
  for (const Case& c : std::vector<Case>{
           {{}, ""},
           {{{"ETag", "\"a\""}}, "\"a\""},
           {{{"ETag", "W/\"a\""}}, ""},
           {{{"ETag", "W/\"a\""}, {"Last-Modified", date(-Seconds{9})}}, ""},
           {{{"Last-Modified", date(-Seconds{1})}}, date(-Seconds{1})},
           {{{"Last-Modified", date()}}, ""},  // it may have changed again within that second
           {{{"Last-Modified", date(Seconds{1})}}, ""},
           {{{"Last-Modified", "x"}}, ""},
       }) {
    const StoredHead head = stored(c.fields);
    EXPECT_EQ(strong_validator(head), c.validator) << ::testing::PrintToString(c.fields);
  }
}

}  // namespace
}  // namespace outrider
