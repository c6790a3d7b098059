#include "base/charset.hpp"

#include "base/utf8.hpp"
#include "tests/support/encoding_data.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <boost/json.hpp>

#include <set>

namespace outrider {
namespace {

std::string describe(const DecodedText& text) {
  return text.utf8 + "|" + text.charset + "|" + std::string(to_string(text.source));
}

std::string decoded(std::string_view bytes, std::string_view label, bool is_html = true) {
  return describe(decode_text(bytes, label, is_html));
}

// Who is believed: HTML standard, section 13.2.3.2.
TEST(Charset, ByteOrderMark_BeatsEverybody) {
  EXPECT_EQ(decoded("\xEF\xBB\xBF\xC3\xA4<meta charset=koi8-r>", "koi8-r"), "ä<meta charset=koi8-r>|UTF-8|bom");
  EXPECT_EQ(decoded(std::string_view("\xFF\xFE\xE4\0", 4), "utf-8"), "ä|UTF-16LE|bom");
}

TEST(Charset, ContentType_BeatsMeta) {
  EXPECT_EQ(decoded("<meta charset=utf-8>\xC1", "KOI8-R"), "<meta charset=utf-8>а|KOI8-R|http");
  EXPECT_EQ(decoded("<meta charset=koi8-r>\xC1", "no-such-charset"), "<meta charset=koi8-r>а|KOI8-R|meta");
}

TEST(Charset, Meta_CountsInHtmlOnly) {
  EXPECT_EQ(decoded("<meta charset=koi8-r>\xC1", ""), "<meta charset=koi8-r>а|KOI8-R|meta");
  EXPECT_EQ(decoded("<meta charset=koi8-r>\xC3\xA4", "", false), "<meta charset=koi8-r>ä|UTF-8|detected");
  EXPECT_EQ(decoded("<?xml version='1.0' encoding='koi8-r'?>\xC1", "", false),
            "<?xml version='1.0' encoding='koi8-r'?>а|KOI8-R|meta");
}

TEST(Charset, NothingSaid_IsDetectedOrWindows1252) {
  EXPECT_EQ(decoded("plain", ""), "plain|windows-1252|default");
  EXPECT_EQ(decoded("", ""), "|windows-1252|default");
  EXPECT_EQ(decoded("gr\xC3\xBC\xC3\x9F", ""), "grüß|UTF-8|detected");
  EXPECT_EQ(decoded("\x1B$B\x46\x7C\x4B\x5C\x38\x6C\x1B(B", ""), "日本語|ISO-2022-JP|detected");
}

TEST(Charset, WhatComesOut_IsAlwaysWellFormed) {
  std::string all;
  for (int round = 0; round < 4; ++round)
    for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte * (2 * round + 1)));
  for (std::size_t i = 0; i < kEncodings; ++i) {
    const DecodedText text = decode_text(all, to_string(static_cast<Encoding>(i)), true);
    EXPECT_TRUE(is_valid_utf8(text.utf8)) << text.charset;
    EXPECT_EQ(text.source, CharsetSource::http);
  }
}

std::string from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  const auto padding = static_cast<int>(text.size() - text.find_last_not_of('=') - 1);
  bytes.resize(static_cast<std::size_t>(size - padding));
  return bytes;
}

// Real texts of many languages (uchardet, Chromium), with their label and without.
class CharsetTexts : public testing::Test {
 protected:
  void SetUp() override {
    const auto file = test::encoding_file("texts.json");
    if (!file) GTEST_SKIP() << "skipped: no shared data";
    texts_ = boost::json::parse(*file).as_array();
    EXPECT_EQ(texts_.size(), 56U);
  }

  static std::string text_of(const boost::json::value& entry, std::string_view key) {
    return std::string(entry.as_object().at(key).as_string());
  }

  boost::json::array texts_;
};

TEST_F(CharsetTexts, WithItsLabel_EveryTextIsDecoded) {
  for (const boost::json::value& entry : texts_) {
    const DecodedText text = decode_text(from_base64(text_of(entry, "bytes_b64")), text_of(entry, "label"), false);
    EXPECT_EQ(text.utf8, text_of(entry, "text")) << text_of(entry, "id");
    EXPECT_EQ(text.charset, text_of(entry, "encoding")) << text_of(entry, "id");
  }
}

// UTF-16 without a byte order mark is not guessed, as browsers do not: text that is harmless in one encoding is markup
// in the other.
TEST_F(CharsetTexts, WithoutItsLabel_EveryOtherTextIsDecoded) {
  std::set<std::string> missed;
  for (const boost::json::value& entry : texts_) {
    const DecodedText text =
        decode_text(from_base64(text_of(entry, "bytes_b64")), "", entry.as_object().contains("html"));
    if (text.utf8 != text_of(entry, "text")) missed.insert(text_of(entry, "id") + " as " + text.charset);
  }
  EXPECT_EQ(missed, std::set<std::string>{"uchardet/ja/utf-16le.txt as windows-1252"});
}

}  // namespace
}  // namespace outrider
