#include "base/http_date.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace outrider {
namespace {

using std::chrono::seconds;

constexpr seconds kExample{784111777};        // Sun, 06 Nov 1994 08:49:37 GMT
const WallTime kNow{seconds{1'700'000'000}};  // November 2023

std::optional<long long> parse(std::string_view text, WallTime now = kNow) {
  const auto time = parse_http_date(text, now);
  if (!time) return std::nullopt;
  return std::chrono::floor<seconds>(*time).time_since_epoch().count();
}

TEST(HttpDate, ThreeFormats_AreRead) {  // RFC 9110 section 5.6.7
  EXPECT_EQ(parse("Sun, 06 Nov 1994 08:49:37 GMT"), kExample.count());
  EXPECT_EQ(parse("Sunday, 06-Nov-94 08:49:37 GMT"), kExample.count());
  EXPECT_EQ(parse("Sun Nov  6 08:49:37 1994"), kExample.count());
  EXPECT_EQ(parse("Wed Nov 16 08:49:37 1994"), kExample.count() + 10 * 86400);
}

TEST(HttpDate, LimitsOfTheCalendar) {
  EXPECT_EQ(parse("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  EXPECT_EQ(parse("Wed, 31 Dec 1969 23:59:59 GMT"), -1);
  EXPECT_EQ(parse("Thu, 29 Feb 2024 00:00:00 GMT"), 1709164800);
  EXPECT_EQ(parse("Thu, 29 Feb 2023 00:00:00 GMT"), std::nullopt);
  EXPECT_EQ(parse("Sat, 29 Feb 2100 00:00:00 GMT"), std::nullopt);
  EXPECT_EQ(parse("Sun, 31 Nov 1994 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(parse("Sun, 00 Nov 1994 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(parse("Sun, 06 Nov 1994 24:00:00 GMT"), std::nullopt);
  EXPECT_EQ(parse("Sun, 06 Nov 1994 23:60:00 GMT"), std::nullopt);
  EXPECT_EQ(parse("Sat, 31 Dec 2016 23:59:60 GMT"), 1483228800);  // a leap second
  EXPECT_EQ(parse("Sat, 31 Dec 2016 23:59:61 GMT"), std::nullopt);
}

TEST(HttpDate, TwoDigitYear_MoreThanFiftyYearsAhead_IsInThePast) {
  EXPECT_EQ(parse("Sunday, 06-Nov-22 08:49:37 GMT"), parse("Sun, 06 Nov 2022 08:49:37 GMT"));
  EXPECT_EQ(parse("Sunday, 06-Nov-72 08:49:37 GMT"), parse("Sun, 06 Nov 2072 08:49:37 GMT"));
  EXPECT_EQ(parse("Sunday, 06-Nov-74 08:49:37 GMT"), parse("Wed, 06 Nov 1974 08:49:37 GMT"));
  const WallTime before_2000{seconds{930000000}};  // 1999
  EXPECT_EQ(parse("Friday, 01-Jan-05 00:00:00 GMT", before_2000), parse("Sat, 01 Jan 2005 00:00:00 GMT"));
  EXPECT_EQ(parse("Friday, 01-Jan-60 00:00:00 GMT", before_2000), parse("Fri, 01 Jan 1960 00:00:00 GMT"));
  EXPECT_EQ(parse("Tuesday, 29-Feb-00 00:00:00 GMT"), parse("Tue, 29 Feb 2000 00:00:00 GMT"));
}

TEST(HttpDate, OtherSpellings_AreRefused) {
  for (const std::string_view text : {"",
                                      "0",
                                      "-1",
                                      "Sun",
                                      "Sun, 06 Nov 1994 08:49:37",
                                      "Sun, 06 Nov 1994 08:49:37 UTC",
                                      "Sun, 06 Nov 1994 08:49:37 gmt",
                                      "sun, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 nov 1994 08:49:37 GMT",
                                      "Sun, 6 Nov 1994 08:49:37 GMT",
                                      "Sun,06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06  Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 94 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 8:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:49 GMT",
                                      "Sun, 06 Nov 1994 08:49:37 GMT ",
                                      " Sun, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:37 GMTx",
                                      "Xyz, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06-Nov-94 08:49:37 GMT",
                                      "Sunday, 06-Nov-1994 08:49:37 GMT",
                                      "Sun Nov 6 08:49:37 1994",
                                      "Sun Nov  6 08:49:37 94",
                                      "Sun, +6 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov -994 08:49:37 GMT",
                                      "784111777"})
    EXPECT_EQ(parse(text), std::nullopt) << text;
}

TEST(HttpDate, WrongWeekday_IsTolerated) {
  EXPECT_EQ(parse("Mon, 06 Nov 1994 08:49:37 GMT"), kExample.count());
}

TEST(HttpDate, BeyondTheClock_BecomesTheNearestItCanHold) {
  const auto last = parse_http_date("Fri, 31 Dec 9999 23:59:59 GMT", kNow);
  ASSERT_TRUE(last);
  EXPECT_GT(*last, kNow + std::chrono::hours{24 * 365 * 200});
  const auto first = parse_http_date("Sat, 01 Jan 0000 00:00:00 GMT", kNow);
  ASSERT_TRUE(first);
  EXPECT_LT(*first, kNow - std::chrono::hours{24 * 365 * 280});
}

TEST(HttpDate, Written_AsImfFixdate) {
  EXPECT_EQ(format_http_date(WallTime{kExample}), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_http_date(WallTime{std::chrono::milliseconds{-1}}), "Wed, 31 Dec 1969 23:59:59 GMT");
  std::string text = "Date: ";
  append_http_date(text, WallTime{});
  EXPECT_EQ(text, "Date: Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(HttpDate, WhatIsWritten_IsReadBack) {
  for (long long at = -9'000'000'000; at < 9'000'000'000; at += 123'456'789)
    EXPECT_EQ(parse(format_http_date(WallTime{seconds{at}})), at);
}

}  // namespace
}  // namespace outrider
