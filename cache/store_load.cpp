#include "cache/store_load.hpp"

#include <algorithm>

namespace outrider {
namespace {

BodyIdentity identity_of(const CacheKey& key, VariantId variant) {
  return {key.hash, variant, static_cast<std::uint32_t>(key.bytes.size())};
}

}  // namespace

// --- bodies

// The block keeps the extent as it was read; its bytes begin behind the header and the key.
StoreLoader::Outcome StoreLoader::read_block(const BodyIdentity& identity, std::uint32_t chunk,
                                             const PlacedExtent& from, Patience patience, StoredBody::Block& block) {
  const Extent& extent = from.extent;
  const std::uint64_t before = kExtentHeaderSize + identity.key_length;
  const std::uint64_t size = before + extent.length;
  auto bytes = std::make_shared_for_overwrite<char[]>(size);
  const std::span<char> into(bytes.get(), size);
  auto read = from.file->read_now(extent.offset, into);
  if (read == SegmentFile::Read::would_wait) {
    if (patience == Patience::none) return Outcome::must_wait;
    read = from.file->read(extent.offset, into);
  }
  const ExtentHeader expected{identity.key_hash, identity.variant, chunk, identity.key_length, extent.length};
  if (read != SegmentFile::Read::done || !read_extent({bytes.get(), size}, expected)) return Outcome::damaged;
  char* body = bytes.get() + before;
  block = {std::uint64_t{chunk} * kChunk, std::shared_ptr<char[]>(std::move(bytes), body), extent.length,
           static_cast<std::uint32_t>(size)};
  return Outcome::done;
}

StoreLoader::ReadPiece StoreLoader::read(const StoredBody& body, std::uint64_t offset, Patience patience) {
  if (auto piece = body.in_memory_at(offset)) return {ReadPiece::State::done, std::move(*piece)};
  const auto placed = body.extent_at(offset);
  if (!placed) return {};
  const auto chunk = static_cast<std::uint32_t>(offset / kChunk);
  StoredBody::Block block;
  switch (read_block(body.identity(), chunk, *placed, patience, block)) {
    case Outcome::must_wait:
      return {ReadPiece::State::must_wait, {}};
    case Outcome::damaged:
      if (const auto lease = body.lease(); lease && body.complete()) drop(lease->key, lease->variant);
      return {};
    case Outcome::done:
      break;
  }
  const std::uint64_t skip = offset - block.at;
  if (skip >= block.length) return {};
  return {ReadPiece::State::done, {block.bytes, {block.bytes.get() + skip, block.length - skip}}};
}

bool StoreLoader::comes_along(const VariantRecord& record, std::uint64_t so_far, const CacheKey& key) const {
  const std::uint64_t length = record.head.body_length;
  if (so_far + length <= kChunk) return true;
  return so_far == 0 && length <= parts_.budgets.max_memory_object && parts_.sketch.estimate(key.hash) >= 2;
}

bool StoreLoader::place(const VariantRecord& record, std::vector<PlacedExtent>& placed) const {
  placed.reserve(record.extents.size());
  for (const Extent& extent : record.extents) {
    auto file = placed.empty() || placed.back().extent.segment != extent.segment ? parts_.segments->find(extent.segment)
                                                                                 : placed.back().file;
    if (!file) return false;
    placed.push_back({extent, std::move(file)});
  }
  return true;
}

StoreLoader::Outcome StoreLoader::load_body(const CacheKey& key, const VariantRecord& record, Patience patience,
                                            BodyPtr& body) {
  std::vector<PlacedExtent> placed;
  if (!place(record, placed)) return Outcome::damaged;
  if (patience == Patience::none && placed.size() > 1) return Outcome::must_wait;  // that much is not done in passing
  const BodyIdentity identity = identity_of(key, record.id);
  std::vector<StoredBody::Block> blocks(placed.size());
  for (std::uint32_t chunk = 0; chunk < placed.size(); ++chunk) {
    const Outcome outcome = read_block(identity, chunk, placed[chunk], patience, blocks[chunk]);
    if (outcome != Outcome::done) return outcome;
  }
  body = std::make_shared<StoredBody>(identity, blocks);
  return Outcome::done;
}

// --- entries

VariantPtr StoreLoader::make(const VariantRecord& record, BodyPtr body) const {
  auto variant = std::make_shared<StoredVariant>();
  variant->id = record.id;
  variant->head = record.head;  // a copy, which spends no more memory than it needs
  variant->body = std::move(body);
  if (parts_.prepare) variant->prepared = parts_.prepare(variant->head);
  return variant;
}

VariantPtr StoreLoader::variant_on_disk(const CacheKey& key, const VariantRecord& record) const {
  std::vector<PlacedExtent> placed;
  if (!place(record, placed)) return nullptr;
  return make(record, std::make_shared<StoredBody>(identity_of(key, record.id), std::move(placed),
                                                   record.head.body_length, parts_.leases->lease(key, record.id)));
}

void StoreLoader::drop(const CacheKey& key, std::optional<VariantId> variant) {
  parts_.counters.damaged.add();
  bool going = false;
  const bool changed = parts_.memory.change(key, true, [&](const MemoryTier::Found& now) -> std::optional<EntryPtr> {
    going = now.known && !now.entry;
    if (!now.entry) return std::nullopt;  // who finds it on disk finds the damage, too
    return without_variants(now.entry, [&](const StoredVariant& v) { return !variant || v.id == *variant; });
  });
  if (!going) parts_.enqueue_small(EraseJob{key, variant, changed});
}

StoreLookup StoreLoader::try_load(const CacheKey& key, Patience patience, BodyWish wish,
                                  std::vector<VariantId>& doubtful) {
  using State = StoreLookup::State;
  const StoreIndex::Got got =
      patience == Patience::none ? parts_.index->get_now(key.bytes) : parts_.index->get(key.bytes);
  if (got.state == StoreIndex::Got::State::must_wait) return {State::must_wait, nullptr};
  if (got.state != StoreIndex::Got::State::found) return {};
  const auto record = decode_record(got.value);
  if (!record) {
    drop(key, std::nullopt);
    return {};
  }
  auto entry = std::make_shared<StoredEntry>();
  entry->key = key;
  entry->visited = record->visited;
  std::uint64_t along = 0;
  for (const VariantRecord& variant : record->variants) {
    if (is_gone(variant, parts_.segments->oldest_id())) continue;
    VariantPtr made;
    if (wish == BodyWish::along && comes_along(variant, along, key)) {
      BodyPtr body;
      const Outcome outcome = load_body(key, variant, patience, body);
      if (outcome == Outcome::must_wait) return {State::must_wait, nullptr};
      if (outcome == Outcome::done) made = make(variant, std::move(body));
      along += variant.head.body_length;
    } else {
      made = variant_on_disk(key, variant);
    }
    if (made) {
      entry->variants.push_back(std::move(made));
    } else {
      doubtful.push_back(variant.id);
    }
  }
  if (entry->variants.empty()) return {};
  return {State::found, std::move(entry)};
}

StoreLookup StoreLoader::load(const CacheKey& key, Patience patience, BodyWish wish) {
  if (parts_.distrusted || parts_.surely_absent(key)) return {};
  std::vector<VariantId> doubtful;
  StoreLookup loaded = try_load(key, patience, wish, doubtful);
  if (doubtful.empty()) return loaded;
  if (patience == Patience::none) return {StoreLookup::State::must_wait, nullptr};
  // Damaged, or moved by eviction between the look at the record and the look at the file. Who knows on a second look?
  std::vector<VariantId> damaged;
  loaded = try_load(key, patience, wish, damaged);
  for (const VariantId variant : damaged)
    if (std::find(doubtful.begin(), doubtful.end(), variant) != doubtful.end()) drop(key, variant);
  return loaded;
}

}  // namespace outrider
