// How bodies lie on disk: append-only segment files full of extents. A body is cut into chunks of kChunk bytes, each
// chunk is one extent; a body without bytes has one empty extent, so that every entry has its place in the order of
// age. An extent names the entry it belongs to (for eviction, which starts from the files) and carries a checksum over
// everything, which is verified on every read. Pure functions on bytes; files: segment_file.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace outrider {

inline constexpr std::uint32_t kChunk = 256 * 1024;

// Where an extent is. The bytes on disk: header, key, body, padding to kExtentAlignment.
struct Extent {
  std::uint32_t segment = 0;
  std::uint32_t offset = 0;  // of its header in the segment file
  std::uint32_t length = 0;  // of its piece of the body
  bool operator==(const Extent&) const = default;
};

struct ExtentHeader {
  std::uint64_t key_hash = 0;
  std::uint64_t variant = 0;
  std::uint32_t chunk = 0;  // number of this piece of the body
  std::uint32_t key_length = 0;
  std::uint32_t length = 0;
  bool operator==(const ExtentHeader&) const = default;
};

inline bool is_whole_body(const ExtentHeader& header) {
  return header.chunk == 0 && header.length < kChunk;
}

inline constexpr std::size_t kExtentAlignment = 16;
inline constexpr std::size_t kExtentHeaderSize = 48;
inline constexpr std::uint32_t kMaxKeyLength = 64 * 1024;
using ExtentHeaderBytes = std::array<char, kExtentHeaderSize>;

// Bytes of the file that an extent takes.
constexpr std::uint64_t extent_size(std::uint64_t key_length, std::uint64_t body_length) {
  return (kExtentHeaderSize + key_length + body_length + kExtentAlignment - 1) & ~(kExtentAlignment - 1);
}

// `body` may be in several pieces. Layout (little endian): magic 4, header check 4, body check 8, key hash 8,
// variant 8, chunk 4, key length 4, length 4, zero 4. The body check covers the body; the header check all other
// fields and the key.
ExtentHeaderBytes encode_extent_header(const ExtentHeader& header, std::string_view key,
                                       std::span<const std::string_view> body);

// The header at the start of `bytes`, if there is a plausible one; its checks are not verified yet.
std::optional<ExtentHeader> peek_extent_header(std::string_view bytes);
// Header and key at the start of `bytes` are whole and undamaged. Nothing is said about the body.
std::optional<ExtentHeader> read_extent_header(std::string_view bytes);
// `bytes` is a whole extent, undamaged, and the expected one: its body, as a view into `bytes`.
std::optional<std::string_view> read_extent(std::string_view bytes, const ExtentHeader& expected);

}  // namespace outrider
