// The body of one stored variant: pieces in memory, extents on disk, or both. Written by one StoreWriter; read by any
// number of readers on any thread, also while it still grows. Once settled it never changes again.
// Neighbours: store_entry.hpp (who owns it), segment_format.hpp (what an extent is).
#pragma once

#include "cache/segment_format.hpp"

#include <boost/container/small_vector.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace outrider {

class SegmentFile;

// Some bytes of a body. They stay where they are as long as `owner` is held.
struct BodyPiece {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};

// What an extent must say about itself to be the one we look for.
struct BodyIdentity {
  std::uint64_t key_hash = 0;
  std::uint64_t variant = 0;
  std::uint32_t key_length = 0;
};

// An extent and its file, which stays readable as long as somebody holds it, even when it has been evicted.
struct PlacedExtent {
  Extent extent;
  std::shared_ptr<const SegmentFile> file;  // nullptr = not written yet
};

class StoredBody {
 public:
  explicit StoredBody(BodyIdentity identity) : identity_(identity) {}
  // A body that is complete and does not change any more: in one block of memory, or in extents on disk.
  StoredBody(BodyIdentity identity, std::shared_ptr<const char[]> bytes, std::uint32_t length);
  StoredBody(BodyIdentity identity, std::vector<PlacedExtent> extents, std::uint64_t length);
  StoredBody(const StoredBody&) = delete;
  StoredBody& operator=(const StoredBody&) = delete;

  const BodyIdentity& identity() const { return identity_; }
  std::uint64_t length() const { return length_.load(std::memory_order_acquire); }  // so far, while it grows
  bool complete() const { return complete_.load(std::memory_order_acquire); }       // nothing will be appended
  bool in_memory() const;  // all of it, now and as long as it lives

  // From `offset` to the end of the piece that is there; nothing if it is not in memory (or not there at all).
  std::optional<BodyPiece> in_memory_at(std::uint64_t offset) const;
  // The extent that holds `offset`, if that part is on disk already.
  std::optional<PlacedExtent> extent_at(std::uint64_t offset) const;
  std::vector<PlacedExtent> extents() const;
  std::size_t memory_bytes() const;  // what the allocator spends on it

 private:
  friend class BodyBuilder;
  struct Block {
    std::uint64_t at = 0;  // offset of its first byte
    std::shared_ptr<const char[]> bytes;
    std::uint32_t length = 0;
    std::uint32_t capacity = 0;
  };
  const Block* block_at(std::uint64_t offset) const;
  // Locks only while the body may still change.
  std::unique_lock<std::mutex> guard() const;

  const BodyIdentity identity_;
  std::atomic<std::uint64_t> length_{0};
  std::atomic<bool> complete_{false};
  std::atomic<bool> settled_{false};  // nothing below changes any more
  mutable std::mutex mutex_;
  boost::container::small_vector<Block, 1> blocks_;  // rising offsets; parts that are only on disk are missing
  std::vector<PlacedExtent> extents_;                // one per kChunk bytes, in order
};

using BodyPtr = std::shared_ptr<const StoredBody>;

}  // namespace outrider
