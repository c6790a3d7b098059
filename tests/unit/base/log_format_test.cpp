#include "base/log_format.hpp"

#include "base/escape.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <cmath>

namespace outrider::log {
namespace {

using namespace std::literals;

const Head kHead{WallTime{} + 1794804170123ms, Level::info, Room::proxy, "listening"};

std::string fields_text(std::initializer_list<Field> fields) {
  std::string text;
  append_fields(text, {fields.begin(), fields.size()});
  return text;
}

std::string text_line(std::initializer_list<Field> fields) {
  std::string line;
  append_text_line(line, kHead, fields_text(fields));
  return line;
}

std::string json_line(std::initializer_list<Field> fields) {
  std::string line;
  append_json_line(line, kHead, {fields.begin(), fields.size()});
  return line;
}

TEST(LogFormat, Text_IsTimeLevelRoomEventFields) {
  const std::string address = "127.0.0.1";
  EXPECT_EQ(text_line({{"address", address}, {"port", 8282}}),
            "2026-11-16T04:42:50.123Z info proxy listening address=127.0.0.1 port=8282");
  EXPECT_EQ(text_line({}), "2026-11-16T04:42:50.123Z info proxy listening");
}

TEST(LogFormat, EveryKindOfValue_IsWritten) {
  const char* null_terminated = "c";
  EXPECT_EQ(fields_text({{"s", "x"sv},
                         {"c", null_terminated},
                         {"i", -1},
                         {"u", std::uint64_t{18446744073709551615u}},
                         {"d", 0.5},
                         {"b", true}}),
            "s=x c=c i=-1 u=18446744073709551615 d=0.5 b=true");
}

TEST(LogFormat, Values_AreQuotedWhenTheyNeedIt) {
  EXPECT_EQ(fields_text({{"v", "two words"}}), R"(v="two words")");
  EXPECT_EQ(fields_text({{"v", ""}}), R"(v="")");
  EXPECT_EQ(fields_text({{"v", "a=b"}}), R"(v="a=b")");
  EXPECT_EQ(fields_text({{"v", "say \"hi\""}}), R"(v="say \"hi\"")");
  EXPECT_EQ(fields_text({{"v", "Größe"}}), R"(v="Größe")");
  EXPECT_EQ(fields_text({{"v", "https://example.com/a,b;c"}}), "v=https://example.com/a,b;c");
}

// HOSTILE.md, admin: newlines in events come out inert, one event.
TEST(LogFormat, Values_CannotForgeALineOrDriveATerminal) {
  const std::string hostile =
      "x\n2026-11-16T04:42:50.123Z error proxy hacked\r\x1b]0;title\x07\xC2\x9B"
      "31m\xE2\x80\xAE";
  for (const std::string& line : {text_line({{"v", hostile}}), json_line({{"v", hostile}})}) {
    EXPECT_TRUE(is_plain_text(line)) << quoted(line);
  }
  EXPECT_EQ(boost::json::parse(json_line({{"v", hostile}})).at("v").as_string(), hostile.c_str())
      << "nothing is lost in JSON";
}

TEST(LogFormat, LongValues_AreCut) {
  const std::string value(10'000, 'x');
  EXPECT_EQ(fields_text({{"v", value}}), "v=\"" + value.substr(0, 1024) + "…(+8976 bytes)\"");
  EXPECT_EQ(boost::json::parse(json_line({{"v", value}})).at("v").as_string(),
            value.substr(0, 1024) + "…(+8976 bytes)");
}

TEST(LogFormat, Json_IsOneObjectWithTypedValues) {
  EXPECT_EQ(json_line({{"address", "a b"}, {"port", 8282}, {"share", 0.5}, {"ok", false}, {"nan", std::nan("")}}),
            R"({"time":"2026-11-16T04:42:50.123Z","level":"info","room":"proxy","event":"listening",)"
            R"("address":"a b","port":8282,"share":0.5,"ok":false,"nan":null})");
}

TEST(LogFormat, Times_OfAnyYear) {
  const auto time = [](std::int64_t milliseconds) {
    std::string out;
    append_time(out, WallTime{} + std::chrono::milliseconds(milliseconds));
    return out;
  };
  EXPECT_EQ(time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(time(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(time(951782399999), "2000-02-28T23:59:59.999Z");
  EXPECT_EQ(time(951868799999), "2000-02-29T23:59:59.999Z");
}

}  // namespace
}  // namespace outrider::log
