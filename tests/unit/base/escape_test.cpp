#include "base/escape.hpp"

#include "base/utf8.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

using namespace std::literals;

TEST(Escape, ControlCharacters_CannotReachATerminal) {
  EXPECT_EQ(quoted("a\nb\r\t\x1b[31m\x7f"), R"("a\nb\r\t\x1b[31m\x7f")");
  EXPECT_EQ(quoted("a\0b"sv), R"("a\x00b")");
  EXPECT_EQ(quoted("\xC2\x9B"), R"("\u{9b}")") << "C1 CSI is obeyed by terminals as well";
}

TEST(Escape, DirectionAndZeroWidthMarks_AreMadeVisible) {
  EXPECT_EQ(quoted("\xE2\x80\xAEgpj.exe"), R"("\u{202e}gpj.exe")");
  EXPECT_EQ(quoted("a\xE2\x80\x8B"), R"("a\u{200b}")");
  EXPECT_EQ(quoted("\xF3\xA0\x80\x81"), R"("\u{e0001}")");
  EXPECT_EQ(quoted("\xE2\x80\xA8"), R"("\u{2028}")") << "a line separator is a new line for some viewers";
}

TEST(Escape, VisibleText_IsKept) {
  EXPECT_EQ(quoted("Zürich 東京 🙂"), "\"Zürich 東京 🙂\"");
  EXPECT_EQ(quoted(R"(say "hi" \o/)"), R"("say \"hi\" \\o/")");
  EXPECT_EQ(one_line("say \"hi\"\n"), R"(say "hi"\n)");
}

// RFC 3629 section 3: no overlong forms, surrogates, or code points above U+10FFFF.
TEST(Escape, MalformedUtf8_IsShownAsBytes) {
  EXPECT_EQ(quoted("\xFF"), R"("\xff")");
  EXPECT_EQ(quoted("\xC0\xAF"), R"("\xc0\xaf")");
  EXPECT_EQ(quoted("\xE0\x80\xAF"), R"("\xe0\x80\xaf")");
  EXPECT_EQ(quoted("\xED\xA0\x80"), R"("\xed\xa0\x80")");
  EXPECT_EQ(quoted("\xF4\x90\x80\x80"), R"("\xf4\x90\x80\x80")");
  EXPECT_EQ(quoted("\xE2\x82"), R"("\xe2\x82")") << "truncated at the end";
}

TEST(Escape, PlainText_IsValidUtf8WithoutInvisibleCharacters) {
  EXPECT_TRUE(is_plain_text("/var/lib/Größe \"x\""));
  EXPECT_TRUE(is_plain_text(""));
  EXPECT_FALSE(is_plain_text("a\nb"));
  EXPECT_FALSE(is_plain_text("a\xFF"));
  EXPECT_FALSE(is_plain_text("\xE2\x80\xAE"));
}

TEST(Escape, JsonString_IsOneLineThatParsesBack) {
  for (const std::string_view text :
       {"plain"sv, "a\nb\"c\\d"sv, "nul\0in"sv, "\xC2\x9B\xE2\x80\xA8"sv, "\xF3\xA0\x80\x81"sv, "Ω 🙂"sv}) {
    std::string out;
    append_json_string(out, text);
    EXPECT_EQ(out.find('\n'), std::string::npos);
    EXPECT_TRUE(is_plain_text(out)) << out;
    EXPECT_EQ(boost::json::parse(out).as_string(), boost::json::string_view(text.data(), text.size())) << out;
  }
}

TEST(Escape, JsonString_ReplacesMalformedUtf8) {
  std::string out;
  append_json_string(out, "a\xFFz");
  EXPECT_EQ(out, "\"a\xEF\xBF\xBDz\"");
}

// https://encoding.spec.whatwg.org/#utf-8-decoder: what is shown must not depend on which part of the program shows it.
TEST(Escape, JsonString_SeesMalformedUtf8AsEverybodyElseHere) {
  for (const std::string_view text : {"\xE2\x82"sv, "\xE2\x82z"sv, "\xF0\x9F\x99z"sv, "\xE0\x80\xAF"sv,
                                      "\xED\xA0\x80"sv, "\xF4\x90\x80\x80"sv, "\xEF\xBF\xBD"sv}) {
    std::string out;
    append_json_string(out, text);
    EXPECT_EQ(out, '"' + replace_invalid_utf8(text) + '"');
  }
}

TEST(Escape, Prefix_DoesNotSplitACharacter) {
  const std::string text = "ab€cd";  // € has three bytes
  EXPECT_EQ(utf8_prefix(text, 2), "ab");
  EXPECT_EQ(utf8_prefix(text, 3), "ab");
  EXPECT_EQ(utf8_prefix(text, 4), "ab");
  EXPECT_EQ(utf8_prefix(text, 5), "ab€");
  EXPECT_EQ(utf8_prefix(text, 99), text);
  EXPECT_EQ(utf8_prefix(text, 0), "");
  EXPECT_LE(utf8_prefix("\x80\x80\x80\x80\x80\x80", 5).size(), 5u);
}

}  // namespace
}  // namespace outrider
