#include "cache/page_dates.hpp"

#include "base/http_date.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::string read(std::string_view text) {
  const auto time = parse_page_date(text);
  return time ? format_http_date(*time) : "none";
}

TEST(PageDates, FormsOfIso8601) {
  const std::string day = "Fri, 17 May 2024 00:00:00 GMT";
  for (const char* text : {"2024-05-17", "20240517", "2024/05/17", "2024.5.17", " 2024-05-17 "})
    EXPECT_EQ(read(text), day);
  const std::string time = "Fri, 17 May 2024 08:30:15 GMT";
  for (const char* text : {"2024-05-17T08:30:15Z", "2024-05-17T10:30:15+02:00", "2024-05-17 10:30:15 +0200",
                           "20240517T083015Z", "2024-05-17T08:30:15.123456", "2024-05-17T01:30:15-0700"}) {
    EXPECT_EQ(read(text), time) << text;
  }
  EXPECT_EQ(read("2024-05-17T08:30"), "Fri, 17 May 2024 08:30:00 GMT");
}

TEST(PageDates, NamesOfMonths) {
  for (const char* text : {"17 May 2024", "Fri, 17 May 2024", "May 17, 2024", "17-May-2024", "Friday, 17 MAY 2024"}) {
    EXPECT_EQ(read(text), "Fri, 17 May 2024 00:00:00 GMT") << text;
  }
  EXPECT_EQ(read("Fri, 17 May 2024 10:00:00 +0200"), "Fri, 17 May 2024 08:00:00 GMT");
  EXPECT_EQ(read("Fri, 17 May 2024 10:00:00 GMT"), "Fri, 17 May 2024 10:00:00 GMT");
}

TEST(PageDates, WhatIsNoWholeDateOrNoPossibleOne) {
  for (const char* text : {"", "2024", "2024-05", "yesterday", "2024-02-30", "2024-13-01", "0001-01-01", "1066-10-14",
                           "9999-12-31", "20240517123", "May 2024", "17/05/2024", "PT2H30M"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
}

}  // namespace
}  // namespace outrider
