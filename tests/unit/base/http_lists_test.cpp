#include "base/http_lists.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace outrider {
namespace {

std::vector<std::string> elements(std::string_view value, char separator = ',') {
  std::vector<std::string> all;
  ListReader reader{value, separator};
  while (const auto element = reader.next()) all.emplace_back(*element);
  return all;
}

using Strings = std::vector<std::string>;

TEST(HttpLists, ElementsAreTrimmed_EmptyOnesSkipped) {  // RFC 9110 section 5.6.1.2
  EXPECT_EQ(elements("a, b ,\tc"), (Strings{"a", "b", "c"}));
  EXPECT_EQ(elements(", ,a,, b,"), (Strings{"a", "b"}));
  EXPECT_EQ(elements(""), Strings{});
  EXPECT_EQ(elements(" , ,"), Strings{});
}

TEST(HttpLists, CommaInsideQuotes_DoesNotSeparate) {  // RFC 9110 section 5.6.4
  EXPECT_EQ(elements(R"(private="a, b", max-age=5)"), (Strings{R"(private="a, b")", "max-age=5"}));
  EXPECT_EQ(elements(R"("a\", b", c)"), (Strings{R"("a\", b")", "c"}));
  EXPECT_EQ(elements(R"("never ends, x)"), Strings{R"("never ends, x)"});
  EXPECT_EQ(elements(R"("ends in a backslash\)"), Strings{R"("ends in a backslash\)"});
}

TEST(HttpLists, Parameter_SplitsAtTheFirstEqualsSign) {
  Parameter p = parse_parameter("max-age = 60");
  EXPECT_EQ(p.name, "max-age");
  EXPECT_EQ(p.value, "60");
  EXPECT_TRUE(p.has_value);
  p = parse_parameter("no-store");
  EXPECT_EQ(p.name, "no-store");
  EXPECT_FALSE(p.has_value);
  p = parse_parameter("max-age=");
  EXPECT_TRUE(p.has_value);
  EXPECT_EQ(p.value, "");
  p = parse_parameter(R"(a="b=c")");
  EXPECT_EQ(p.value, R"("b=c")");
}

TEST(HttpLists, FindParameter_IgnoresCaseOfTheNameAndQuotedSemicolons) {
  EXPECT_EQ(find_parameter("text/html; charset=utf-8", "charset"), "utf-8");
  EXPECT_EQ(find_parameter("text/html;CHARSET=\"utf-8\"", "charset"), "\"utf-8\"");
  EXPECT_EQ(find_parameter(R"(form; a="x; charset=evil"; charset=good)", "charset"), "good");
  EXPECT_EQ(find_parameter("charset=utf-8", "charset"), std::nullopt);  // that is not a parameter, it is the value
  EXPECT_EQ(find_parameter("text/html; charset", "charset"), std::nullopt);
  EXPECT_EQ(find_parameter("", "charset"), std::nullopt);
}

TEST(HttpLists, Unquote) {
  EXPECT_EQ(unquote("plain"), "plain");
  EXPECT_EQ(unquote(""), "");
  EXPECT_EQ(unquote(R"("quoted")"), "quoted");
  EXPECT_EQ(unquote(R"("a \"b\" \\ c")"), R"(a "b" \ c)");
  EXPECT_EQ(unquote(R"("unfinished)"), "unfinished");
  EXPECT_EQ(unquote(R"("\)"), "\\");
  EXPECT_EQ(unquote(R"(")"), "");
}

}  // namespace
}  // namespace outrider
