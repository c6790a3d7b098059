#include "cache/segment_format.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace outrider {
namespace {

const std::string kKey = "org.example/page";

ExtentHeader header_for(std::string_view body, std::uint32_t chunk = 0) {
  return {42, 7, chunk, static_cast<std::uint32_t>(kKey.size()), static_cast<std::uint32_t>(body.size())};
}

std::string extent_with(std::string_view body) {
  const ExtentHeader header = header_for(body);
  const auto bytes = encode_extent_header(header, kKey, {&body, 1});
  return std::string(bytes.data(), bytes.size()) + kKey + std::string(body);
}

TEST(SegmentFormat, WrittenExtent_IsReadBack) {
  const std::string extent = extent_with("hello");
  EXPECT_EQ(read_extent(extent, header_for("hello")), "hello");
  EXPECT_EQ(read_extent_header(extent), header_for("hello"));
}

TEST(SegmentFormat, EmptyBody_IsAnExtentToo) {
  EXPECT_EQ(read_extent(extent_with(""), header_for("")), "");
}

TEST(SegmentFormat, BodyInPieces_IsTheSameExtent) {
  const std::vector<std::string_view> pieces = {"he", "", "llo"};
  const auto bytes = encode_extent_header(header_for("hello"), kKey, pieces);
  EXPECT_EQ(extent_with("hello").substr(0, bytes.size()), std::string_view(bytes.data(), bytes.size()));
}

TEST(SegmentFormat, EveryFlippedBit_IsNoticed) {
  const std::string good = extent_with("a body of some bytes");
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(read_extent(bad, header_for("a body of some bytes"))) << "bit " << bit;
  }
}

TEST(SegmentFormat, EveryShorterLength_IsRefused_WithoutReadingBeyond) {
  const std::string good = extent_with("body");
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::unique_ptr<char[]> exact(new char[length]);  // so that the sanitizer sees a read beyond it
    std::copy_n(good.data(), length, exact.get());
    EXPECT_FALSE(read_extent({exact.get(), length}, header_for("body"))) << length;
  }
}

// A file that was restored, or a record that outlived its segment: the extent is whole, but somebody else's.
TEST(SegmentFormat, UndamagedExtentOfAnotherBody_IsRefused) {
  const std::string extent = extent_with("body");
  ExtentHeader other = header_for("body");
  other.variant = 8;
  EXPECT_FALSE(read_extent(extent, other));
  other = header_for("body");
  other.chunk = 1;
  EXPECT_FALSE(read_extent(extent, other));
  other = header_for("body");
  other.key_hash = 43;
  EXPECT_FALSE(read_extent(extent, other));
}

TEST(SegmentFormat, Zeros_AreNoHeader) {
  EXPECT_FALSE(peek_extent_header(std::string(100, '\0')));
}

TEST(SegmentFormat, ImpossibleLengths_AreNoHeader) {
  std::string extent = extent_with("body");
  extent[40] = extent[41] = extent[42] = extent[43] = '\xff';  // length
  EXPECT_FALSE(peek_extent_header(extent));
}

TEST(SegmentFormat, ExtentSize_IsAligned) {
  EXPECT_EQ(extent_size(0, 0), 48U);
  EXPECT_EQ(extent_size(1, 0), 64U);
  EXPECT_EQ(extent_size(10, 6), 64U);
  EXPECT_EQ(extent_size(10, 7), 80U);
}

}  // namespace
}  // namespace outrider
