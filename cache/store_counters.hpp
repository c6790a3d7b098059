// What the store counts.
#pragma once

#include "base/metrics.hpp"

namespace outrider {

struct StoreCounters {
  explicit StoreCounters(Metrics& m)
      : found_in_memory(m.counter("outrider_store_lookups_total", kLookups, {{"result", "memory"}})),
        found_on_disk(m.counter("outrider_store_lookups_total", kLookups, {{"result", "disk"}})),
        not_found(m.counter("outrider_store_lookups_total", kLookups, {{"result", "absent"}})),
        kept_on_disk(m.counter("outrider_store_commits_total", kCommits, {{"kept", "disk"}})),
        kept_in_memory(m.counter("outrider_store_commits_total", kCommits, {{"kept", "memory"}})),
        not_kept(m.counter("outrider_store_commits_total", kCommits, {{"kept", "no"}})),
        evicted(m.counter("outrider_store_evicted_total", "Variants that had to go for want of disk space.")),
        evicted_bytes(m.counter("outrider_store_evicted_bytes_total", "Bytes of their bodies.")),
        spared(m.counter("outrider_store_spared_total", "Variants that were worth keeping when their turn came.")),
        purged(m.counter("outrider_store_purged_total", "Entries removed on request.")),
        damaged(m.counter("outrider_store_damaged_total", "Bodies or records on disk that were not as written.")),
        disk_failures(m.counter("outrider_store_disk_failures_total", "Times that the disk tier turned itself off.")) {}

  static constexpr std::string_view kLookups = "Lookups by where the entry was found.";
  static constexpr std::string_view kCommits = "Complete responses by where they are kept at least.";
  Counter &found_in_memory, &found_on_disk, &not_found;
  Counter &kept_on_disk, &kept_in_memory, &not_kept;
  Counter &evicted, &evicted_bytes, &spared;
  Counter& purged;
  Counter& damaged;
  Counter& disk_failures;
};

}  // namespace outrider
