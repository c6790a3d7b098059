// https://encoding.spec.whatwg.org/: the encoders, seen through the query of a URL.
#include "base/query_charset.hpp"

#include "base/utf8.hpp"
#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::string encoded(std::string_view text, std::string_view charset, EncodeSet set = EncodeSet::special_query) {
  std::string out;
  append_percent_encoded_in_charset(out, test::ExactBuffer(text), set, charset);
  return out;
}

TEST(QueryCharset, SingleByteEncodings_EveryByte) {
  const char* root = std::getenv("OUTRIDER_TEST_DATA");
  std::ifstream in(std::string(root != nullptr ? root : OUTRIDER_TEST_DATA) + "/encoding/single-byte.json");
  if (!in) GTEST_SKIP() << "skipped: no shared data";
  std::stringstream text;
  text << in.rdbuf();
  int checked = 0;
  const boost::json::value tables = boost::json::parse(text.str());
  for (const auto& [name, table] : tables.as_object()) {
    const boost::json::array& code_points = table.as_array();
    ASSERT_EQ(code_points.size(), 128U);
    for (unsigned i = 0; i < 128; ++i) {
      if (code_points[i].is_null()) continue;
      std::string character, expected;
      append_utf8(character, static_cast<char32_t>(code_points[i].to_number<std::uint32_t>()));
      append_percent_byte(expected, static_cast<unsigned char>(0x80 + i));
      EXPECT_EQ(encoded(character, name), expected) << std::string_view(name) << " " << i;
      ++checked;
    }
  }
  EXPECT_GT(checked, 3000);
}

TEST(QueryCharset, MultiByteEncodings) {
  EXPECT_EQ(encoded("\u3042", "Shift_JIS"), "%82%A0");
  EXPECT_EQ(encoded("\uff71\u00a5", "shift_jis"), "%B1\\");
  EXPECT_EQ(encoded("\u3042", "euc-jp"), "%A4%A2");
  EXPECT_EQ(encoded("\u4e02", "euc-jp"), "%26%2319970%3B");  // JIS X 0212 is only decoded
  EXPECT_EQ(encoded("\uac00", "euc-kr"), "%B0%A1");
  EXPECT_EQ(encoded("\u4e2d", "big5"), "%A4%A4");
  EXPECT_EQ(encoded("\u00c0", "big5"), "%26%23192%3B");  // only in the Hong Kong extensions
  EXPECT_EQ(encoded("\u4e2d\u20ac", "gbk"), "%D6%D0%80");
  EXPECT_EQ(encoded("\u4e2d\u20ac\U0001F600", "gb18030"), "%D6%D0%A2%E3%949%FC6");
  EXPECT_EQ(encoded("\U0001F600", "gbk"), "%26%23128512%3B");
  EXPECT_EQ(encoded("\uf780z", "x-user-defined"), "%80z");
}

TEST(QueryCharset, Iso2022Jp_SwitchesAndReturns) {
  EXPECT_EQ(encoded("a\u3042b", "iso-2022-jp"), "a%1B$B$%22%1B(Bb");
  EXPECT_EQ(encoded("\u3042", "iso-2022-jp"), "%1B$B$%22%1B(B");
  EXPECT_EQ(encoded("\u00a5\\", "iso-2022-jp"), "%1B(J\\%1B(B\\");
  EXPECT_EQ(encoded("\uff71", "iso-2022-jp"), "%1B$B%%22%1B(B");  // half-width katakana become full-width
  EXPECT_EQ(encoded("\u3042\U0001F600", "iso-2022-jp"), "%1B$B$%22%1B(B%26%23128512%3B");
  EXPECT_EQ(encoded("\x1b", "iso-2022-jp"), "%26%2365533%3B");
}

TEST(QueryCharset, Utf8AndUnknownNames) {
  for (const char* name : {"utf-8", "UTF-8", "utf-16le", "replacement", "no-such-charset", ""})
    EXPECT_EQ(encoded("\u00e4 b", name), "%C3%A4%20b") << name;
  EXPECT_EQ(encoded("a b&c=\u00e4", "windows-1252", EncodeSet::form), "a+b%26c%3D%E4");
}

TEST(QueryCharset, OnlyTheQueryOfLegacySchemes) {  // https://url.spec.whatwg.org/#query-state
  EXPECT_EQ(Url::parse("http://h/\u00e4?\u00e4#\u00e4", nullptr, "windows-1252")->href(), "http://h/%C3%A4?%E4#%C3%A4");
  EXPECT_EQ(Url::parse("ws://h/?\u00e4", nullptr, "windows-1252")->href(), "ws://h/?%C3%A4");
  EXPECT_EQ(Url::parse("foo://h/?\u00e4", nullptr, "windows-1252")->href(), "foo://h/?%C3%A4");
  EXPECT_EQ(Url::parse("file:///?\u00e4", nullptr, "windows-1252")->href(), "file:///?%E4");
}

}  // namespace
}  // namespace outrider
