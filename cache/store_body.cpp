#include "cache/store_body.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace outrider {
namespace {

constexpr std::uint64_t kFirstBlock = 16 * 1024;

// The bytes alone, without the pointer's counters: chunks have a size that the allocator has blocks for, and a few
// bytes more would cost a quarter more.
StoredBody::Block make_block(std::uint64_t at, std::uint64_t capacity) {
  return {at, std::shared_ptr<char[]>(new char[capacity]), 0, static_cast<std::uint32_t>(capacity)};
}

// Blocks never cross a chunk, so that a chunk can be written and let go on its own.
std::uint64_t next_capacity(std::uint64_t length, std::uint64_t coming, std::optional<std::uint64_t> expected) {
  const std::uint64_t in_chunk = length % kChunk;
  const std::uint64_t room = kChunk - in_chunk;
  if (expected && *expected > length) return std::min(room, *expected - length);
  if (length >= kChunk) return room;
  return std::min(room, std::max({kFirstBlock, 3 * in_chunk, coming}));
}

bool wasteful(const StoredBody::Block& block) {
  return block.capacity - block.length > block.capacity / 8;
}

}  // namespace

StoredBody::StoredBody(BodyIdentity identity, std::span<const Block> blocks)
    : identity_(identity), complete_(true), settled_(true), blocks_(blocks.begin(), blocks.end()) {
  length_ = blocks_.empty() ? 0 : blocks_.back().at + blocks_.back().length;
}

StoredBody::StoredBody(BodyIdentity identity, std::vector<PlacedExtent> extents, std::uint64_t length,
                       std::shared_ptr<const BodyLease> lease)
    : identity_(identity),
      length_(length),
      complete_(true),
      settled_(true),
      extents_(std::move(extents)),
      release_placed_(true),
      lease_(std::move(lease)) {}

std::unique_lock<std::mutex> StoredBody::guard() const {
  if (settled_.load(std::memory_order_acquire)) return {};
  return std::unique_lock(mutex_);
}

bool StoredBody::in_memory() const {
  const auto lock = guard();
  return !release_placed_;
}

const StoredBody::Block* StoredBody::block_at(std::uint64_t offset) const {
  if (blocks_.empty() || offset < blocks_.front().at) return nullptr;
  const auto next = std::upper_bound(blocks_.begin(), blocks_.end(), offset,
                                     [](std::uint64_t wanted, const Block& block) { return wanted < block.at; });
  const Block& block = *std::prev(next);
  return offset < block.at + block.length ? &block : nullptr;
}

std::optional<BodyPiece> StoredBody::in_memory_at(std::uint64_t offset) const {
  const auto lock = guard();
  const Block* block = block_at(offset);
  if (block == nullptr) return std::nullopt;
  const std::uint64_t skip = offset - block->at;
  return BodyPiece{block->bytes, {block->bytes.get() + skip, block->length - skip}};
}

std::optional<PlacedExtent> StoredBody::extent_at(std::uint64_t offset) const {
  const auto lock = guard();
  const std::uint64_t chunk = offset / kChunk;
  if (chunk >= extents_.size() || !extents_[chunk].file) return std::nullopt;
  return extents_[chunk];
}

std::shared_ptr<const BodyLease> StoredBody::lease() const {
  const auto lock = guard();
  return lease_;
}

std::size_t StoredBody::memory_bytes() const {
  const auto lock = guard();
  std::size_t bytes = allocated(sizeof *this) + extents_.capacity() * sizeof(PlacedExtent);
  if (blocks_.size() > 1) bytes += blocks_.capacity() * sizeof(Block);
  for (const Block& block : blocks_) bytes += allocated(block.capacity);
  return bytes;
}

// --- writing

void StoredBody::append(std::string_view bytes, std::optional<std::uint64_t> expected) {
  assert(!complete());
  const std::lock_guard lock(mutex_);
  std::uint64_t length = length_.load(std::memory_order_relaxed);
  while (!bytes.empty()) {
    if (blocks_.empty() || blocks_.back().length == blocks_.back().capacity ||
        blocks_.back().at + blocks_.back().length != length)
      blocks_.push_back(make_block(length, next_capacity(length, bytes.size(), expected)));
    Block& block = blocks_.back();
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes.size(), block.capacity - block.length));
    std::memcpy(block.bytes.get() + block.length, bytes.data(), count);
    block.length += count;
    length += count;
    bytes.remove_prefix(count);
  }
  length_.store(length, std::memory_order_release);
}

std::vector<BodyPiece> StoredBody::pieces(std::uint64_t from, std::uint64_t to) const {
  std::vector<BodyPiece> pieces;
  while (from < to) {
    auto piece = in_memory_at(from);
    assert(piece);
    piece->bytes = piece->bytes.substr(0, to - from);
    from += piece->bytes.size();
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

void StoredBody::let_go(std::uint64_t from, std::uint64_t to) {
  const auto gone = std::remove_if(blocks_.begin(), blocks_.end(), [&](const Block& block) {
    return block.at >= from && block.at + block.capacity <= to;
  });
  blocks_.erase(gone, blocks_.end());
}

void StoredBody::release_before(std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  let_go(0, offset);
}

void StoredBody::finish(bool pack) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t length = length_.load(std::memory_order_relaxed);
  if (pack && !blocks_.empty() && (wasteful(blocks_.back()) || (blocks_.size() > 1 && length <= kChunk))) {
    // A small body becomes one block of exactly its size, a larger one gets a last block of exactly its size.
    const std::uint64_t from = length <= kChunk ? 0 : blocks_.back().at;
    Block packed = make_block(from, length - from);
    while (!blocks_.empty() && blocks_.back().at >= from) {
      const Block& last = blocks_.back();
      std::memcpy(packed.bytes.get() + (last.at - from), last.bytes.get(), last.length);
      packed.length += last.length;
      blocks_.pop_back();
    }
    blocks_.push_back(std::move(packed));
  }
  complete_.store(true, std::memory_order_release);
}

void StoredBody::place(std::uint32_t chunk, PlacedExtent extent) {
  const std::lock_guard lock(mutex_);
  if (settled_.load(std::memory_order_relaxed)) return;  // it has everything in memory
  if (extents_.size() <= chunk) extents_.resize(chunk + 1);
  extents_[chunk] = std::move(extent);
  if (release_placed_) let_go(std::uint64_t{chunk} * kChunk, (std::uint64_t{chunk} + 1) * kChunk);
}

void StoredBody::release_placed(std::shared_ptr<const BodyLease> lease) {
  const std::lock_guard lock(mutex_);
  release_placed_ = true;
  lease_ = std::move(lease);
  for (std::uint64_t chunk = 0; chunk < extents_.size(); ++chunk)
    if (extents_[chunk].file) let_go(chunk * kChunk, (chunk + 1) * kChunk);
}

void StoredBody::settle() {
  const std::lock_guard lock(mutex_);
  if (settled_.load(std::memory_order_relaxed)) return;
  if (!release_placed_) extents_ = {};  // whoever has it in memory needs no disk, and pins no file
  settled_.store(true, std::memory_order_release);
}

}  // namespace outrider
