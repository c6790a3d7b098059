#include "cache/store_budgets.hpp"

#include <algorithm>
#include <bit>

namespace outrider {

StoreBudgets::StoreBudgets(const CacheSettings& settings, std::uint64_t file_system) {
  const std::uint64_t memory = settings.memory.bytes;
  constexpr std::uint64_t kMiB = 1 << 20;

  disk = std::min(settings.disk.bytes, file_system);
  segment = std::clamp<std::uint64_t>(disk / 128, kMiB, 512 * kMiB);
  write_buffer = std::clamp<std::uint64_t>(std::min(memory / 32, disk / 512), kMiB / 4, 8 * kMiB);
  // Two logs and what a compaction writes before it removes what it has read; see StoreIndex.
  reserve = segment + 32 * write_buffer;

  queue = std::max(memory / 16, 4 * kMiB);
  arriving = memory / 16;
  std::uint64_t index = 0;
  if (disk > 0) {
    block_cache = std::clamp<std::uint64_t>(memory / 8, 8 * kMiB, 512 * kMiB);
    sketch_items = std::clamp<std::uint64_t>(disk / (16 * 1024), 64 * 1024, memory / 32);  // about 3 bytes each
    presence = std::bit_floor(std::min<std::uint64_t>(16 * sketch_items, memory / 32));
    notes = std::min<std::uint64_t>(16 * sketch_items, memory / 64);
    index = block_cache + 2 * write_buffer + 3 * sketch_items + presence + notes;
  }
  tier = memory - std::min(memory, queue + arriving + index);

  max_object = std::min(settings.max_object.bytes, disk > 0 ? disk / 8 : tier);
  // A shard of the tier has 32 MiB or everything: one object must not push out the rest.
  max_memory_object = std::min<std::uint64_t>({settings.max_memory_object.bytes, tier / 8, 8 * kMiB});
  if (disk == 0) max_object = std::min(max_object, max_memory_object);
}

}  // namespace outrider
