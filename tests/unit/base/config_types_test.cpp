#include "base/config_types.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using namespace size_literals;

TEST(ConfigTypes, Durations_AreWrittenWithAUnit) {
  EXPECT_EQ(parse_duration("250ms").value, Duration(250ms));
  EXPECT_EQ(parse_duration("10s").value, Duration(10s));
  EXPECT_EQ(parse_duration("10 s").value, Duration(10s));
  EXPECT_EQ(parse_duration("5m").value, Duration(5min));
  EXPECT_EQ(parse_duration("2h").value, Duration(2h));
  EXPECT_EQ(parse_duration("1d").value, Duration(24h));
  EXPECT_EQ(parse_duration("0").value, Duration(0));
  EXPECT_EQ(parse_duration("106751d").value, Duration(24h * 106751));
}

TEST(ConfigTypes, Durations_RefuseWhatCouldBeMisread) {
  for (const char* wrong : {"", "10", "s", "-1s", "+1s", "1.5s", "10sec", "10S", "1M", "10  s", "10s ", " 10s", "1h30m",
                            "0x1s", "106752d", "99999999999999999999s", "9223372036854775808ns"}) {
    EXPECT_FALSE(parse_duration(wrong).value) << wrong;
    EXPECT_NE(parse_duration(wrong).problem.find("\"10s\""), std::string::npos) << "the message shows how: " << wrong;
  }
  EXPECT_NE(parse_duration("10").problem.find("no unit"), std::string::npos);
  EXPECT_NE(parse_duration("1.5s").problem.find("smaller unit"), std::string::npos);
  EXPECT_NE(parse_duration("106752d").problem.find("too large"), std::string::npos);
}

TEST(ConfigTypes, Sizes_AreWrittenWithAUnit) {
  EXPECT_EQ(parse_size("64KiB").value, 64_KiB);
  EXPECT_EQ(parse_size("64 kib").value, 64_KiB);
  EXPECT_EQ(parse_size("10MB").value, ByteSize{10'000'000});
  EXPECT_EQ(parse_size("1GiB").value, 1_GiB);
  EXPECT_EQ(parse_size("512B").value, 512_B);
  EXPECT_EQ(parse_size("0").value, ByteSize{0});
  for (const char* wrong : {"", "64", "64K", "64KB/s", "-1B", "1.5MiB", "16777216TiB", "KiB"}) {
    EXPECT_FALSE(parse_size(wrong).value) << wrong;
    EXPECT_NE(parse_size(wrong).problem.find("\"64KiB\""), std::string::npos) << wrong;
  }
}

TEST(ConfigTypes, Formatting_IsShortAndExact) {
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(120s), "2m");
  EXPECT_EQ(format_duration(24h), "1d");
  EXPECT_EQ(format_duration(1500ms), "1500ms");
  EXPECT_EQ(format_duration(Duration(1)), "1ns");
  EXPECT_EQ(format_duration(0s), "0");
  EXPECT_EQ(format_size(64_KiB), "64KiB");
  EXPECT_EQ(format_size({10'000'000}), "10MB");
  EXPECT_EQ(format_size({1500}), "1500B");
  for (const std::int64_t n : {1L, 999L, 1'000'000L, 3'600'000'000'001L, 86'400'000'000'000L, INT64_MAX}) {
    EXPECT_EQ(parse_duration(format_duration(Duration(n))).value, Duration(n)) << n;
    EXPECT_EQ(parse_size(format_size({static_cast<std::uint64_t>(n)})).value->bytes, static_cast<std::uint64_t>(n));
  }
  EXPECT_EQ(parse_size(format_size({UINT64_MAX})).value->bytes, UINT64_MAX);
}

TEST(ConfigTypes, Toml_IsHowAFileWouldSayIt) {
  EXPECT_EQ(to_toml(true), "true");
  EXPECT_EQ(to_toml(std::int64_t{-7}), "-7");
  EXPECT_EQ(to_toml(1.0), "1.0") << "1 would be an integer";
  EXPECT_EQ(to_toml(0.25), "0.25");
  EXPECT_EQ(to_toml(std::string("a \"b\" \\")), R"("a \"b\" \\")");
  EXPECT_EQ(to_toml(std::vector<std::string>{"a", "b"}), R"(["a", "b"])");
  EXPECT_EQ(to_toml(std::vector<std::string>{}), "[]");
}

}  // namespace
}  // namespace outrider
