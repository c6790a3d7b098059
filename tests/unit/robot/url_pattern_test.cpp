#include "robot/url_pattern.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

Url url(std::string_view text) {
  return Url::parse(text).value();
}

TEST(UrlPattern, NumbersAndTokensAreOneKind) {
  EXPECT_EQ(url_pattern(url("https://a.example/article/17?page=3&lang=de")), "a.example/article/#?lang&page");
  EXPECT_EQ(url_pattern(url("https://a.example/p-12-x/34.html")), "a.example/p-#-x/#.html");
  EXPECT_EQ(url_pattern(url("https://a.example/9f86d081884c7d659a2feaa0c55ad015/")), "a.example/$/");
  EXPECT_EQ(url_pattern(url("https://a.example:8080/?a[7]=1&a[8]=2")), "a.example:8080/?a[#]&a[#]");
}

TEST(UrlPattern, SessionIds_AreTakenOut) {
  EXPECT_EQ(without_session_id(url("https://a.example/x;jsessionid=1A2B?y=1")), "https://a.example/x?y=1");
  EXPECT_EQ(without_session_id(url("https://a.example/x?PHPSESSID=0123456789&y=1")), "https://a.example/x?y=1");
  EXPECT_EQ(without_session_id(url("https://a.example/(S(abc123))/x")), "https://a.example/x");
  EXPECT_FALSE(without_session_id(url("https://a.example/x?session=7"))) << "the seventh session of a conference";
  EXPECT_FALSE(without_session_id(url("https://a.example/x?y=1")));
}

TEST(UrlPattern, CalendarYears) {
  EXPECT_EQ(calendar_year(url("https://a.example/cal/2031/05/")), 2031);
  EXPECT_EQ(calendar_year(url("https://a.example/?year=2040&month=1")), 2040);
  EXPECT_EQ(calendar_year(url("https://a.example/?date=1805-12-01")), 1805);
  EXPECT_EQ(calendar_year(url("https://a.example/events/2031-05")), 2031);
  EXPECT_EQ(calendar_year(url("https://a.example/2031/05/07/title")), 2031);
  EXPECT_EQ(calendar_year(url("https://a.example/cal/18051201")), 1805);
  EXPECT_FALSE(calendar_year(url("https://a.example/article/4711")));
  EXPECT_FALSE(calendar_year(url("https://a.example/item/1834/5"))) << "numbers, but no calendar";
  EXPECT_FALSE(calendar_year(url("https://a.example/item/1834-5")));
  EXPECT_FALSE(calendar_year(url("https://a.example/cal/2031/45")));
  EXPECT_FALSE(calendar_year(url("https://a.example/?id=2031-05")));
}

}  // namespace
}  // namespace outrider
