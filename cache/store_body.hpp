// The body of one stored variant: blocks in memory, extents on disk, or both. Written by one StoreWriter; read by any
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
#include <span>
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

// Held by whoever may read a body from disk: as long as there is one, the bytes stay in their files, even if the entry
// has been replaced. Neighbour: store_leases.hpp.
struct BodyLease;

// An extent and its file, which stays readable as long as somebody holds it, even when it has been evicted.
struct PlacedExtent {
  Extent extent;
  std::shared_ptr<SegmentFile> file;  // nullptr = not written yet
};

class StoredBody {
 public:
  struct Block {
    std::uint64_t at = 0;  // offset of its first byte
    std::shared_ptr<char[]> bytes;
    std::uint32_t length = 0;
    std::uint32_t capacity = 0;
  };

  // Empty, to be appended to.
  explicit StoredBody(BodyIdentity identity) : identity_(identity) {}
  // Complete and settled: in memory, or in extents on disk.
  StoredBody(BodyIdentity identity, std::span<const Block> blocks);
  StoredBody(BodyIdentity identity, std::vector<PlacedExtent> extents, std::uint64_t length,
             std::shared_ptr<const BodyLease> lease);
  StoredBody(const StoredBody&) = delete;
  StoredBody& operator=(const StoredBody&) = delete;

  // --- for readers, any thread
  const BodyIdentity& identity() const { return identity_; }
  std::uint64_t length() const { return length_.load(std::memory_order_acquire); }  // so far, while it grows
  bool complete() const { return complete_.load(std::memory_order_acquire); }       // nothing will be appended
  bool in_memory() const;  // all of it, now and as long as it lives
  // From `offset` to the end of the block; nothing if that is not in memory (or not there at all).
  std::optional<BodyPiece> in_memory_at(std::uint64_t offset) const;
  // The extent that holds `offset`, if that part is on disk already.
  std::optional<PlacedExtent> extent_at(std::uint64_t offset) const;
  std::shared_ptr<const BodyLease> lease() const;  // nullptr for a body in memory
  std::size_t memory_bytes() const;                // what the allocator spends on it

  // --- for the one who writes
  // `expected`: the final length, if known; so that blocks have the right size from the beginning.
  void append(std::string_view bytes, std::optional<std::uint64_t> expected);
  std::vector<BodyPiece> pieces(std::uint64_t from, std::uint64_t to) const;  // all in memory
  void release_before(std::uint64_t offset);                                  // blocks that lie before it are let go
  void finish(bool pack);  // complete; `pack`: spend no more memory than needed
  // --- for the disk
  void place(std::uint32_t chunk, PlacedExtent extent);
  // From now on, what is on disk is not in memory.
  void release_placed(std::shared_ptr<const BodyLease> lease);
  void settle();  // nothing will change any more

 private:
  const Block* block_at(std::uint64_t offset) const;
  void let_go(std::uint64_t from, std::uint64_t to);
  std::unique_lock<std::mutex> guard() const;  // locks only while the body may still change

  const BodyIdentity identity_;
  std::atomic<std::uint64_t> length_{0};
  std::atomic<bool> complete_{false};
  std::atomic<bool> settled_{false};  // nothing below changes any more
  mutable std::mutex mutex_;
  boost::container::small_vector<Block, 1> blocks_;  // rising offsets; parts that are only on disk are missing
  std::vector<PlacedExtent> extents_;                // one per kChunk bytes, in order
  bool release_placed_ = false;
  std::shared_ptr<const BodyLease> lease_;
};

using BodyPtr = std::shared_ptr<const StoredBody>;

// What the allocator really spends on `bytes` in one shared block.
constexpr std::size_t allocated(std::size_t bytes) {
  constexpr std::size_t kControlBlock = 16;
  constexpr std::size_t kAllocator = 8;
  return (bytes + kControlBlock + kAllocator + 15) & ~std::size_t{15};
}

}  // namespace outrider
