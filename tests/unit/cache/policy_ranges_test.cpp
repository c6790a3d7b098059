#include "cache/policy_ranges.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using K = RangeAnswer::Kind;

// RFC 9110 sections 14.1.1, 14.1.2 and 14.2.
TEST(ResolveRange, Table) {
  struct Case {
    std::string_view field;
    std::uint64_t length;
    RangeAnswer::Kind kind;
    ByteRange range{};
  };
  for (const Case& c : std::vector<Case>{
           {"bytes=0-1", 11, K::one, {0, 1}},
           {"bytes=1-", 11, K::one, {1, 10}},
           {"bytes=-1", 11, K::one, {10, 10}},
           {"bytes=-11", 11, K::one, {0, 10}},
           {"bytes=-99", 11, K::one, {0, 10}},
           {"bytes=0-", 11, K::one, {0, 10}},
           {"bytes=5-99", 11, K::one, {5, 10}},
           {"bytes=10-10", 11, K::one, {10, 10}},
           {"BYTES=0-1", 11, K::one, {0, 1}},
           {"bytes= 0-1 ", 11, K::one, {0, 1}},
           {"bytes=,0-1,", 11, K::one, {0, 1}},
           {"bytes=0-18446744073709551615", 11, K::one, {0, 10}},
           {"bytes=0-99999999999999999999999", 11, K::one, {0, 10}},
           {"bytes=11-", 11, K::unsatisfiable},
           {"bytes=99999999999999999999999-", 11, K::unsatisfiable},
           {"bytes=-0", 11, K::unsatisfiable},
           {"bytes=11-12, 20-", 11, K::unsatisfiable},
           {"bytes=0-0, 11-", 11, K::one, {0, 0}},
           {"bytes=0-1,2-3", 11, K::one, {0, 3}},  // they touch
           {"bytes=4-9,0-5", 11, K::one, {0, 9}},  // they overlap
           {"bytes=0-10,3-4", 11, K::one, {0, 10}},
           {"bytes=0-1,5-6", 11, K::ignored},  // two parts: the whole does as well
           {"bytes=5-3", 11, K::ignored},
           {"bytes=0-1,5-3", 11, K::ignored},
           {"bytes=a-b", 11, K::ignored},
           {"bytes=1", 11, K::ignored},
           {"bytes=-", 11, K::ignored},
           {"bytes=--1", 11, K::ignored},
           {"bytes=0-1-2", 11, K::ignored},
           {"bytes=0 - 1", 11, K::ignored},
           {"bytes=", 11, K::ignored},
           {"bytes", 11, K::ignored},
           {"", 11, K::ignored},
           {"lines=0-1", 11, K::ignored},
           {"bytes=0-1", 0, K::ignored},
           {"bytes=-1", 0, K::ignored},
           {"bytes=0-0", 1, K::one, {0, 0}},
       }) {
    const RangeAnswer found = resolve_range(c.field, c.length);
    EXPECT_EQ(found.kind, c.kind) << c.field;
    if (c.kind == K::one) {
      EXPECT_EQ(found.range, c.range) << c.field;
    }
  }
}

// Many small ranges are an attack (RFC 9110 section 17.15); whoever sends them gets the whole.
TEST(ResolveRange, ManyRanges_AreIgnored) {
  std::string field = "bytes=0-0";
  for (int i = 0; i < 40; ++i) field += ",1-1";
  EXPECT_EQ(resolve_range(field, 11).kind, K::ignored);
}

// RFC 9110 section 14.4.
TEST(ParseContentRange, Table) {
  const auto found = parse_content_range("bytes 2-4/10");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->range, (ByteRange{2, 4}));
  EXPECT_EQ(found->complete_length, 10U);
  const auto open = parse_content_range("Bytes 2-4/*");
  ASSERT_TRUE(open);
  EXPECT_EQ(open->complete_length, std::nullopt);
  for (const std::string_view text :
       {"", "bytes", "bytes */10", "bytes 4-2/10", "bytes 2-10/10", "bytes 2-4", "bytes 2-4/", "bytes 2-4/x",
        "lines 2-4/10", "bytes -4/10", "bytes 2-/10", "bytes=2-4/10", "bytes 0-18446744073709551615/*",
        "bytes 0-1/18446744073709551615", "bytes 2-4/10/11", "bytes 2/4-10"})
    EXPECT_FALSE(parse_content_range(text)) << text;
}

TEST(FormatContentRange, IsReadAgain) {
  EXPECT_EQ(format_content_range({2, 4}, 10), "bytes 2-4/10");
  EXPECT_EQ(format_unsatisfied_range(10), "bytes */10");
  EXPECT_EQ(parse_content_range(format_content_range({2, 4}, 10))->range, (ByteRange{2, 4}));
}

}  // namespace
}  // namespace outrider
