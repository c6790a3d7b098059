#include "cache/memory_tier.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr std::size_t kShardSize = 32 << 20;  // large enough for objects of some megabytes, small enough to be many
constexpr std::size_t kMostShards = 16;

std::size_t cost_of(const std::string& text) {
  return text.capacity() > 15 ? allocated(text.capacity()) : 0;
}

// The fields' text ("Name: value\r\n") and one entry each.
std::size_t cost_of(const HeaderMap& headers) {
  if (headers.empty()) return 0;
  return allocated(headers.bytes() + 4 * headers.size()) + allocated(headers.size() * 16);
}

std::shared_ptr<const StoredEntry> erased(const CacheKey& key) {
  auto entry = std::make_shared<StoredEntry>();
  entry->key = key;
  return entry;
}

}  // namespace

std::size_t memory_cost(const StoredEntry& entry) {
  constexpr std::size_t kPrepared = 256;  // what StoreOptions::prepare makes; not known here
  std::size_t cost = allocated(sizeof entry) + cost_of(entry.key.bytes);
  if (entry.variants.size() > 2) cost += allocated(entry.variants.capacity() * sizeof(VariantPtr));
  for (const VariantPtr& variant : entry.variants) {
    cost += allocated(sizeof *variant) + variant->body->memory_bytes();
    cost += cost_of(variant->head.response.reason) + cost_of(variant->head.response.headers) +
            cost_of(variant->head.vary_request);
    if (variant->prepared) cost += kPrepared;
  }
  return cost;
}

MemoryTier::MemoryTier(std::size_t budget, OnDrop on_drop) : budget_(budget), on_drop_(std::move(on_drop)) {
  const std::size_t count = std::clamp<std::size_t>(budget / kShardSize, 1, kMostShards);
  for (std::size_t i = 0; i < count; ++i) shards_.push_back(std::make_unique<MemoryShard>(budget / count));
}

MemoryTier::Found MemoryTier::find(const CacheKey& key) {
  MemoryShard& at = shard(key);
  const std::lock_guard lock(at.mutex());
  MemoryShard::Node* node = at.find(key);
  if (node == nullptr) return {};
  if (node->entry->variants.empty()) return {true, nullptr};
  if (node->uses < MemoryShard::kMostUses) ++node->uses;
  return {true, node->entry};
}

EntryPtr MemoryTier::peek(const CacheKey& key) const {
  const MemoryShard& at = shard(key);
  const std::lock_guard lock(at.mutex());
  const MemoryShard::Node* node = at.find(key);
  return node == nullptr || node->entry->variants.empty() ? nullptr : node->entry;
}

bool MemoryTier::may_hold(std::uint64_t hash) const {
  const MemoryShard& at = shard(hash);
  const std::lock_guard lock(at.mutex());
  return at.may_find(hash);
}

bool MemoryTier::change(const CacheKey& key, bool pending, const Change& change) {
  MemoryShard& at = shard(key);
  MemoryShard::Dropped dropped;
  {
    const std::lock_guard lock(at.mutex());
    const MemoryShard::Node* node = at.find(key);
    const bool erasing = node != nullptr && node->entry->variants.empty();
    const std::optional<EntryPtr> after = change({node != nullptr, node == nullptr || erasing ? nullptr : node->entry});
    if (!after) return false;
    touch(key);
    if (*after) {
      at.put(*after, pending, dropped);
    } else if (pending || (node != nullptr && node->pending > 0)) {
      at.put(erased(key), pending, dropped);
    } else {
      at.remove(key, dropped);
    }
  }
  report(dropped);
  return true;
}

void MemoryTier::settle(const CacheKey& key) {
  MemoryShard& at = shard(key);
  MemoryShard::Dropped dropped;
  {
    const std::lock_guard lock(at.mutex());
    at.settle(key, dropped);
  }
  report(dropped);
}

bool MemoryTier::add_loaded(EntryPtr entry, Epoch before) {
  MemoryShard& at = shard(entry->key);
  MemoryShard::Dropped dropped;
  {
    const std::lock_guard lock(at.mutex());
    if (epoch(entry->key) != before || at.find(entry->key) != nullptr) return false;
    at.put(std::move(entry), false, dropped);
  }
  report(dropped);
  return true;
}

void MemoryTier::change_range(std::string_view first, const std::optional<std::string>& past_last,
                              const ChangeEntry& change) {
  for (auto& epoch : epochs_) epoch.fetch_add(1, std::memory_order_acq_rel);
  for (const auto& at : shards_) {
    MemoryShard::Dropped dropped;
    {
      const std::lock_guard lock(at->mutex());
      for (const EntryPtr& entry : at->all()) {
        const std::string& key = entry->key.bytes;
        if (entry->variants.empty() || key < first || (past_last && key >= *past_last)) continue;
        const MemoryShard::Node* node = at->find(entry->key);
        if (node == nullptr) continue;  // dropped meanwhile, to make room
        EntryPtr after = change(entry);
        if (after == entry) continue;
        if (after) {
          at->put(std::move(after), false, dropped);
        } else if (node->pending > 0) {
          at->put(erased(entry->key), false, dropped);
        } else {
          at->remove(entry->key, dropped);
        }
      }
    }
    report(dropped);
  }
}

void MemoryTier::drop_disk_bodies() {
  change_range({}, std::nullopt, [](const EntryPtr& now) -> EntryPtr {
    for (const VariantPtr& variant : now->variants)
      if (!variant->body->in_memory()) return nullptr;
    return now;
  });
}

void MemoryTier::report(const MemoryShard::Dropped& dropped) const {
  if (!on_drop_) return;
  for (const std::uint64_t hash : dropped.used) on_drop_(hash);
}

std::size_t MemoryTier::entries() const {
  std::size_t count = 0;
  for (const auto& at : shards_) {
    const std::lock_guard lock(at->mutex());
    count += at->entries();
  }
  return count;
}

std::size_t MemoryTier::pinned_bytes() const {
  std::size_t bytes = 0;
  for (const auto& at : shards_) {
    const std::lock_guard lock(at->mutex());
    bytes += at->pinned_bytes();
  }
  return bytes;
}

std::size_t MemoryTier::bytes() const {
  std::size_t bytes = 0;
  for (const auto& at : shards_) {
    const std::lock_guard lock(at->mutex());
    bytes += at->bytes();
  }
  return bytes;
}

}  // namespace outrider
