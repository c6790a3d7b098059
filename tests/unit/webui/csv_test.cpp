#include "webui/csv.hpp"

#include <gtest/gtest.h>

namespace outrider::webui {
namespace {

std::string field(std::string_view text) {
  std::string out;
  append_csv_field(out, text);
  return out;
}

// RFC 4180 section 2, rules 5 to 7.
TEST(Csv, SeparatorsQuotesAndLineBreaks_AreQuoted) {
  EXPECT_EQ(field("plain"), "plain");
  EXPECT_EQ(field("a,b"), "\"a,b\"");
  EXPECT_EQ(field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(field("two\r\nlines"), "\"two\r\nlines\"");
}

TEST(Csv, WhatASpreadsheetTakesForAFormula_IsText) {
  for (const std::string_view hostile : {"=HYPERLINK(\"x\")", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"}) {
    const std::string out = field(hostile);
    EXPECT_TRUE(out.starts_with("\"'")) << out;
  }
}

TEST(Csv, NothingKnown_IsAnEmptyField) {
  std::string out;
  append_csv_row(out, {{"a", nullptr}, {"b", 7}, {"c", "x"}}, {"c", "a", "b"});
  EXPECT_EQ(out, "x,,7\r\n");
}

}  // namespace
}  // namespace outrider::webui
