#include "base/charset_labels.hpp"

#include "tests/support/encoding_data.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace outrider {
namespace {

TEST(CharsetLabels, EveryLabelOfTheStandard_NamesItsEncoding) {  // Encoding Standard, section 4.2
  const auto file = test::encoding_file("labels.json");
  if (!file) GTEST_SKIP() << "skipped: no shared data";
  const boost::json::value labels = boost::json::parse(*file);
  EXPECT_EQ(labels.as_object().size(), 228U);
  for (const auto& [label, name] : labels.as_object()) {
    const auto encoding = encoding_for_label(label);
    ASSERT_TRUE(encoding) << label;
    EXPECT_EQ(to_string(*encoding), std::string_view(name.as_string())) << label;
  }
}

TEST(CharsetLabels, WhiteSpaceAndCase_DoNotMatter) {
  EXPECT_EQ(encoding_for_label("\t\n\f\r UTF8 "), Encoding::utf_8);
  EXPECT_EQ(encoding_for_label("ISO_8859-1:1987"), Encoding::windows_1252);
  EXPECT_EQ(encoding_for_label("Shift_JIS"), Encoding::shift_jis);
}

TEST(CharsetLabels, AnythingElse_IsNoLabel) {
  for (const std::string_view label : {"", " ", "utf", "utf-8x", "utf 8", "\vutf-8", "utf-32", "\"utf-8\"", "ebcdic"})
    EXPECT_FALSE(encoding_for_label(label)) << label;
  EXPECT_FALSE(encoding_for_label(std::string(10'000, 'a')));
}

}  // namespace
}  // namespace outrider
