// HTML standard, section 13.2.3.2.
#include "base/charset_prescan.hpp"

#include "base/http_header_id.hpp"
#include "tests/support/encoding_data.hpp"
#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::string prescan(std::string_view page) {
  const auto found = prescan_html(test::ExactBuffer(page));
  return found ? std::string(to_string(*found)) : "-";
}

TEST(CharsetPrescan, CasesOfHtml5lib_Pass) {
  int count = 0;
  for (const std::string_view name : {"tests1.dat", "tests2.dat", "test-yahoo-jp.dat"}) {
    const auto file = test::encoding_file(name);
    if (!file) GTEST_SKIP() << "skipped: no shared data";
    for (const auto& [data, encoding] : test::prescan_cases(*file)) {
      ++count;
      const test::ExactBuffer page{data};
      const auto mark = sniff_byte_order_mark(page);
      const Encoding found = mark ? mark->encoding : prescan_html(page).value_or(Encoding::windows_1252);
      EXPECT_TRUE(equal_ignoring_case(to_string(found), encoding))
          << name << ": " << to_string(found) << " instead of " << encoding << " in " << data.substr(0, 300);
    }
  }
  EXPECT_EQ(count, 57);
}

TEST(CharsetPrescan, ByteOrderMarks_AreSeen) {  // Encoding Standard, section 6.1
  EXPECT_EQ(sniff_byte_order_mark("\xEF\xBB\xBFx")->encoding, Encoding::utf_8);
  EXPECT_EQ(sniff_byte_order_mark("\xFE\xFFx")->encoding, Encoding::utf_16be);
  EXPECT_EQ(sniff_byte_order_mark("\xFF\xFE")->encoding, Encoding::utf_16le);
  for (const std::string_view none : {"", "\xEF", "\xEF\xBB", "\xFE", "\xFF", "\xFF\xFF"})
    EXPECT_FALSE(sniff_byte_order_mark(test::ExactBuffer(none)));
}

TEST(CharsetPrescan, Utf16_CannotBeDeclaredInAscii) {
  EXPECT_EQ(prescan("<meta charset=utf-16>"), "UTF-8");
  EXPECT_EQ(prescan("<meta charset=utf-16be>"), "UTF-8");
  EXPECT_EQ(prescan("<?xml version='1.0' encoding='utf-16le'?>"), "UTF-8");
  EXPECT_EQ(prescan("<meta charset=x-user-defined>"), "windows-1252");
  EXPECT_EQ(prescan(std::string_view("<\0?\0x\0m\0", 8)), "UTF-16LE");
  EXPECT_EQ(prescan(std::string_view("\0<\0?\0x\0m", 8)), "UTF-16BE");
}

TEST(CharsetPrescan, FirstAttributeOfAName_Counts) {
  EXPECT_EQ(prescan("<meta charset=koi8-r charset=utf-8>"), "KOI8-R");
  EXPECT_EQ(prescan("<meta charset=bogus http-equiv=content-type content='text/html; charset=utf-8'>"), "-");
  EXPECT_EQ(prescan("<meta http-equiv=content-type content='text/html; charset=utf-8' charset=koi8-r>"), "KOI8-R");
  EXPECT_EQ(prescan("<meta http-equiv=refresh http-equiv=content-type content='text/html; charset=utf-8'>"), "-");
}

TEST(CharsetPrescan, XmlDeclaration_CountsIfNoMetaDoes) {
  EXPECT_EQ(prescan("<?xml version=\"1.0\" encoding = 'euc-jp' ?><p>"), "EUC-JP");
  EXPECT_EQ(prescan("<?xml encoding='euc-jp'?><meta charset=koi8-r>"), "KOI8-R");
  EXPECT_EQ(prescan(" <?xml encoding='euc-jp'?>"), "-");
  EXPECT_EQ(prescan("<?xml encoding='euc-jp"), "-");
  EXPECT_EQ(prescan("<?xml encoding='euc jp'?>"), "-");
  EXPECT_EQ(prescan("<?xml version='1.0'?><x encoding='euc-jp'>"), "-");
}

TEST(CharsetPrescan, UnfinishedMeta_SaysNothing) {
  const std::string_view page = "<meta http-equiv='Content-Type' content='text/html; charset=koi8-r'>";
  for (std::size_t size = 0; size < page.size(); ++size) EXPECT_EQ(prescan(page.substr(0, size)), "-") << size;
  EXPECT_EQ(prescan(page), "KOI8-R");
}

TEST(CharsetPrescan, Comments_EndAsTheStandardSays) {
  EXPECT_EQ(prescan("<!--><meta charset=koi8-r>"), "KOI8-R");
  EXPECT_EQ(prescan("<!---><meta charset=koi8-r>"), "KOI8-R");
  EXPECT_EQ(prescan("<!-- > -- > <meta charset=koi8-r>"), "-");
  EXPECT_EQ(prescan("</ x><? y><! z><meta/charset=koi8-r>"), "KOI8-R");
}

TEST(CharsetPrescan, MetaContent_IsSearchedForCharset) {  // section 2.5.4 of the HTML standard
  EXPECT_EQ(encoding_in_meta_content("text/html; charset=utf-8"), Encoding::utf_8);
  EXPECT_EQ(encoding_in_meta_content("charsetcharset \t= koi8-r;x"), Encoding::koi8_r);
  EXPECT_EQ(encoding_in_meta_content("charset='koi8-r'x"), Encoding::koi8_r);
  EXPECT_EQ(encoding_in_meta_content("CHARSET=\"koi8-r\""), Encoding::koi8_r);
  for (const std::string_view none : {"", "charset", "charset=", "charset='koi8-r", "charset koi8-r", "charset=\"\""})
    EXPECT_FALSE(encoding_in_meta_content(none)) << none;
}

TEST(CharsetPrescan, BeyondItsReach_NothingIsSeen) {
  const std::string meta = "<meta charset=koi8-r>";
  EXPECT_EQ(prescan(std::string(kPrescanBytes - meta.size(), ' ') + meta), "KOI8-R");
  EXPECT_EQ(prescan(std::string(kPrescanBytes - meta.size() + 1, ' ') + meta), "-");
}

}  // namespace
}  // namespace outrider
