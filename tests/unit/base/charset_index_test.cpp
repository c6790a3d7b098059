#include "base/charset_index.hpp"

#include "tests/support/encoding_data.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace outrider {
namespace {

// FNV-1a over the code points, four bytes each, least significant first; 0 where the index has none.
std::uint64_t checksum(const std::vector<char32_t>& index) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char32_t code_point : index)
    for (unsigned shift = 0; shift < 32; shift += 8) hash = (hash ^ ((code_point >> shift) & 0xFF)) * 0x100000001B3U;
  return hash;
}

// The checksums are those of the standard's indexes.json (whatwg/encoding a985b62a9b45).
TEST(CharsetIndex, MultiByteIndexes_AreThoseOfTheStandard) {  // Encoding Standard, section 5
  EXPECT_EQ(checksum(charset_index(CharsetIndex::big5)), 0x770B6FA0631178DFU);
  EXPECT_EQ(checksum(charset_index(CharsetIndex::euc_kr)), 0xB4FC3F13C6ABF5FAU);
  EXPECT_EQ(checksum(charset_index(CharsetIndex::gb18030)), 0x1D93F96466693822U);
  EXPECT_EQ(checksum(charset_index(CharsetIndex::gb18030_ranges)), 0x26A859189538F8DCU);
  EXPECT_EQ(checksum(charset_index(CharsetIndex::jis0208)), 0xDE920A8ABA38E688U);
  EXPECT_EQ(checksum(charset_index(CharsetIndex::jis0212)), 0x5B56479163FD7636U);
}

TEST(CharsetIndex, SingleByteIndexes_AreThoseOfTheStandard) {  // section 9
  const auto file = test::encoding_file("single-byte.json");
  if (!file) GTEST_SKIP() << "skipped: no shared data";
  const boost::json::value tables = boost::json::parse(*file);
  EXPECT_EQ(tables.as_object().size(), 27U);
  for (const auto& [name, table] : tables.as_object()) {
    const auto encoding = encoding_for_label(name);
    ASSERT_TRUE(encoding && is_single_byte(*encoding)) << name;
    const SingleByteIndex& index = single_byte_index(*encoding);
    for (std::size_t i = 0; i < index.size(); ++i) {
      const boost::json::value& expected = table.as_array()[i];
      EXPECT_EQ(index[i], expected.is_null() ? 0 : expected.to_number<int>()) << name << " 0x" << std::hex << 0x80 + i;
    }
  }
  EXPECT_EQ(single_byte_index(Encoding::iso_8859_8_i), single_byte_index(Encoding::iso_8859_8));
}

}  // namespace
}  // namespace outrider
