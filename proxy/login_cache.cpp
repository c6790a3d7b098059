#include "proxy/login_cache.hpp"

#include <bit>

namespace outrider {
namespace {

std::int64_t ticks(SteadyTime time) {
  return time.time_since_epoch().count();
}

}  // namespace

LoginCache::LoginCache(std::size_t capacity) : buckets_(std::bit_ceil((capacity + kWays - 1) / kWays)) {}

std::optional<std::uint32_t> LoginCache::find(const Digest128& key, SteadyTime now) const {
  const Bucket& bucket = buckets_[key.low & (buckets_.size() - 1)];
  for (const Slot& slot : bucket) {
    const std::uint32_t before = slot.version.load(std::memory_order_acquire);
    // Acquire on each: the second look at the version may not move in front of them.
    const std::uint64_t low = slot.low.load(std::memory_order_acquire);
    const std::uint64_t high = slot.high.load(std::memory_order_acquire);
    const std::uint32_t value = slot.value.load(std::memory_order_acquire);
    const std::int64_t until = slot.until.load(std::memory_order_acquire);
    if (low != key.low || high != key.high || until <= ticks(now)) continue;
    if (before % 2 == 0 && slot.version.load(std::memory_order_relaxed) == before) return value;
  }
  return std::nullopt;  // also if a writer was in the way: then the credentials are verified once more
}

void LoginCache::store(const Digest128& key, std::uint32_t value, SteadyTime until) {
  const std::lock_guard lock{writing_};
  Bucket& bucket = buckets_[key.low & (buckets_.size() - 1)];
  Slot* place = &bucket[0];
  for (Slot& slot : bucket) {
    if (slot.low.load(std::memory_order_relaxed) == key.low && slot.high.load(std::memory_order_relaxed) == key.high) {
      place = &slot;
      break;
    }
    // Else the one that ends first: a free one, an expired one, the oldest.
    if (slot.until.load(std::memory_order_relaxed) < place->until.load(std::memory_order_relaxed)) place = &slot;
  }
  const std::uint32_t version = place->version.load(std::memory_order_relaxed);
  place->version.store(version + 1, std::memory_order_relaxed);
  // Release on each: none of them may be seen without the odd version.
  place->low.store(key.low, std::memory_order_release);
  place->high.store(key.high, std::memory_order_release);
  place->value.store(value, std::memory_order_release);
  place->until.store(ticks(until), std::memory_order_release);
  place->version.store(version + 2, std::memory_order_release);
}

}  // namespace outrider
