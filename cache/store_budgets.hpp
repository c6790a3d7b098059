// How the two budgets of the settings, memory and disk, are shared out among the parts of the store.
#pragma once

#include "cache/settings.hpp"

#include <cstdint>

namespace outrider {

struct StoreBudgets {
  // `file_system`: the most that fits there.
  explicit StoreBudgets(const CacheSettings& settings, std::uint64_t file_system = UINT64_MAX);

  // Memory. Their sum is the setting, all of it included.
  std::size_t tier = 0;          // entries in memory
  std::size_t queue = 0;         // waiting to be written
  std::size_t arriving = 0;      // bodies that are being received
  std::size_t block_cache = 0;   // of the index
  std::size_t write_buffer = 0;  // of the index: there are two
  std::size_t sketch_items = 0;
  std::size_t presence = 0;
  std::size_t notes = 0;

  // Disk.
  std::uint64_t disk = 0;     // hard limit; 0 = nothing is kept on disk
  std::uint64_t segment = 0;  // size of a segment file
  std::uint64_t reserve = 0;  // eviction begins this much below the limit: room for the index to log and to compact

  std::uint64_t max_object = 0;
  std::uint64_t max_memory_object = 0;
};

}  // namespace outrider
