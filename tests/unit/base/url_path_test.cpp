// https://url.spec.whatwg.org/#path-state
#include "base/url_path.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(UrlPath, DotSegments_InTheirSpellings) {
  for (const char* one : {".", "%2e", "%2E"}) EXPECT_EQ(dots_of_segment(one), 1) << one;
  for (const char* two : {"..", ".%2e", "%2E.", "%2e%2E"}) EXPECT_EQ(dots_of_segment(two), 2) << two;
  for (const char* none :
       {"", "...", "a", ".a", "%2f", "%2", "%2e%2e%2e", "%252e", "..%", "%", "%2e%2", "......", ".%2e."})
    EXPECT_EQ(dots_of_segment(none), 0) << none;
}

TEST(UrlPath, DriveLetters_AreNotClimbedOver) {
  std::string path;
  EXPECT_EQ(append_path(path, 0, "C|/../x/../..", UrlScheme::file, PathEnd::at_query_or_hash), 13U);
  EXPECT_EQ(path, "/C:/");
  EXPECT_TRUE(starts_with_windows_drive_letter("c|"));
  EXPECT_TRUE(starts_with_windows_drive_letter("c:/x"));
  EXPECT_TRUE(starts_with_windows_drive_letter("c:#"));
  EXPECT_FALSE(starts_with_windows_drive_letter("c:x"));
  EXPECT_FALSE(starts_with_windows_drive_letter("c"));
  EXPECT_FALSE(starts_with_windows_drive_letter(""));
}

TEST(UrlPath, End_DependsOnTheCaller) {
  std::string parsed, set;
  EXPECT_EQ(append_path(parsed, 0, "a?b", UrlScheme::http, PathEnd::at_query_or_hash), 1U);
  EXPECT_EQ(parsed, "/a");
  EXPECT_EQ(append_path(set, 0, "a?b#c", UrlScheme::http, PathEnd::at_input_end), 5U);
  EXPECT_EQ(set, "/a%3Fb%23c");
}

TEST(UrlPath, Backslash_SeparatesOnlyInSpecialSchemes) {
  std::string special, other;
  append_path(special, 0, "a\\..\\b", UrlScheme::http, PathEnd::at_input_end);
  append_path(other, 0, "a\\..\\b", UrlScheme::other, PathEnd::at_input_end);
  EXPECT_EQ(special, "/b");
  EXPECT_EQ(other, "/a\\..\\b");
}

}  // namespace
}  // namespace outrider
