// The decoders of the Encoding Standard.
#include "base/charset_decoders.hpp"

#include "base/utf8.hpp"
#include "tests/support/encoding_data.hpp"
#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::string_view_literals;

std::string decode(Encoding encoding, std::string_view bytes) {
  std::string out;
  append_decoded(out, encoding, test::ExactBuffer(bytes));
  EXPECT_TRUE(is_valid_utf8(out));
  return out;
}

TEST(CharsetDecoders, EveryCodePointAndErrorOfTheLargeIndexes_IsDecoded) {
  const std::pair<std::string, Encoding> files[] = {
      {"big5.big5", Encoding::big5}, {"euc_kr.euc-kr", Encoding::euc_kr}, {"shift_jis.shift_jis", Encoding::shift_jis}};
  for (const auto& [name, encoding] : files) {
    const auto bytes = test::encoding_file("multibyte/" + name + ".txt");
    const auto expected = test::encoding_file("multibyte/" + name.substr(0, name.find('.')) + ".utf-8.txt");
    if (!bytes || !expected) GTEST_SKIP() << "skipped: no shared data";
    EXPECT_TRUE(decode(encoding, *bytes) == *expected) << name;
  }
}

struct Case {
  std::string_view bytes;
  std::string_view text;
};

void expect_all(Encoding encoding, std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(decode(encoding, c.bytes), c.text) << to_string(encoding) << ' ' << c.bytes;
}

TEST(CharsetDecoders, AsciiBehindAnUnfinishedCharacter_IsKept) {  // no markup hides behind half a character
  for (const Encoding encoding :
       {Encoding::big5, Encoding::euc_kr, Encoding::shift_jis, Encoding::euc_jp, Encoding::gb18030, Encoding::gbk}) {
    expect_all(encoding, {{"a\x85<b>", "a\uFFFD<b>"}, {"\x85", "\uFFFD"}, {"", ""}, {"\xFF<", "\uFFFD<"}});
  }
}

TEST(CharsetDecoders, Big5) {  // section 11.1.1
  expect_all(Encoding::big5, {{"\xA4\xA4\xA4\xE5", "中文"},
                              {"\x88\x62\x88\x64\x88\xA3\x88\xA5", "\u00CA\u0304\u00CA\u030C\u00EA\u0304\u00EA\u030C"},
                              {"\xA4\x80\x80z", "\uFFFD\uFFFDz"}});
}

TEST(CharsetDecoders, Gb18030) {  // section 10.2.1
  for (const Encoding encoding : {Encoding::gb18030, Encoding::gbk}) {
    expect_all(encoding, {{"\xD6\xD0\xCE\xC4", "中文"},
                          {"\x80\xFF", "€\uFFFD"},
                          {"\x84\x31\xA4\x37", "\uFFFD"},  // pointer 39,417 is U+FFFD itself
                          {"\x81\x30\x81\x30", "\u0080"},
                          {"\x81\x35\xF4\x37", "\uE7C7"},
                          {"\x90\x30\x81\x30\xE3\x32\x9A\x35", "\U00010000\U0010FFFF"},
                          {"\x84\x31\xA5\x30", "\uFFFD"},  // between the planes
                          {"\xE3\x32\x9A\x36", "\uFFFD"},  // beyond them
                          {"\x81\x30", "\uFFFD"},
                          {"\x81\x30\x81", "\uFFFD"},
                          {"\x81\x30\x81<", "\uFFFD0\uFFFD<"},
                          {"\x81\x30<", "\uFFFD0<"},
                          {"\xA6\xD9\xA3\xA0\xFE\x59", "\uFE10\u3000\u9FB4"}});
  }
}

TEST(CharsetDecoders, ShiftJis) {  // section 12.3.1
  expect_all(
      Encoding::shift_jis,
      {{"\x93\xFA\x96\x7B", "日本"}, {"\x80\xA1\xDF\xA0", "\u0080｡ﾟ\uFFFD"}, {"\xF0\x40\xF9\xFC", "\uE000\uE757"}});
}

TEST(CharsetDecoders, EucJp) {  // section 12.1.1
  expect_all(Encoding::euc_jp, {{"\xC6\xFC\xCB\xDC", "日本"},
                                {"\x8E\xB1\x8E\x41\x8E\xE0", "ｱ\uFFFD\x41\uFFFD"},
                                {"\x8F\xB0\xA1", "丂"},
                                {"\x8F\xB0", "\uFFFD"},
                                {"\x8F\xB0<", "\uFFFD<"},
                                {"\x8F<", "\uFFFD<"},
                                {"\x8F\xF3\xA1", "\uFFFD"}});  // an extension of IBM's that the standard does not have
}

TEST(CharsetDecoders, Iso2022Jp) {  // section 12.2.1
  expect_all(Encoding::iso_2022_jp, {{"a\x1B$B\x46\x7C\x4B\x5C\x1B(Bz", "a日本z"},
                                     {"\x1B$@\x46\x7C", "日"},
                                     {"\x1B(J\\~a", "¥\u203Ea"},
                                     {"\x1B(I\x31\x60", "ｱ\uFFFD"},
                                     {"\x1B(B\x1B(B", "\uFFFD"},  // two switches with nothing in between
                                     {"\x1B(Ba\x1B(B", "a"},
                                     {"\x1B$B\x46", "\uFFFD"},
                                     {"\x1B$B\x46\x1B(Bz", "\uFFFDz"},
                                     {"\x1B$B\x46\x80", "\uFFFD"},
                                     {"\x1B$B\x20\x7F", "\uFFFD\uFFFD"},
                                     {"\x1B", "\uFFFD"},
                                     {"\x1B$", "\uFFFD$"},
                                     {"\x1B(", "\uFFFD("},
                                     {"\x1B$B\x1B$", "\uFFFD\uFFFD"},
                                     {"\x1B<b>", "\uFFFD<b>"},
                                     {"\x1B$C", "\uFFFD$C"},
                                     {"a\x0E\x0F\x80", "a\uFFFD\uFFFD\uFFFD"}});
}

TEST(CharsetDecoders, Utf16) {  // section 14.2
  expect_all(Encoding::utf_16le, {{"a\0\x3D\xD8\x00\xDE"sv, "a😀"},
                                  {"\x00\xDE"sv, "\uFFFD"},
                                  {"\x3D\xD8"
                                   "a\0"sv,
                                   "\uFFFDa"},
                                  {"\x3D\xD8\x3D\xD8\x00\xDE"sv, "\uFFFD😀"},
                                  {"a\0b"sv, "a\uFFFD"},
                                  {"\x3D\xD8"sv, "\uFFFD"},
                                  {"\x3D\xD8z"sv, "\uFFFD"}});
  expect_all(Encoding::utf_16be, {{"\0a\xD8\x3D\xDE\x00"sv, "a😀"}, {"\0"sv, "\uFFFD"}});
}

TEST(CharsetDecoders, SingleBytes) {  // section 9
  expect_all(Encoding::windows_1252, {{"caf\xE9 \x80\x81", "café €\u0081"}});
  expect_all(Encoding::windows_1253, {{"\xAA\xC1", "\uFFFDΑ"}});
  expect_all(Encoding::koi8_u, {{"\xAE\xBE", "ўЎ"}});
  expect_all(Encoding::iso_8859_16, {{"\x85\xAA\xFE", "\u0085Șț"}});
}

TEST(CharsetDecoders, Oddities) {  // sections 14.1 and 14.5
  expect_all(Encoding::replacement, {{"<script>", "\uFFFD"}, {"", ""}});
  expect_all(Encoding::x_user_defined, {{"a\x80\xFF", "a\uF780\uF7FF"}});
  expect_all(Encoding::utf_8, {{"\xC3\xA4\xFFz", "ä\uFFFDz"}});
}

}  // namespace
}  // namespace outrider
