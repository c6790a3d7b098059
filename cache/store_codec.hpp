// The record that RocksDB holds under a key: all variants of the entry, each with its head and the places of its body.
// Versioned; bytes of an unknown version, and damaged ones, are refused as a whole.
#pragma once

#include "cache/segment_format.hpp"
#include "cache/store_entry.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct VariantRecord {
  VariantId id = 0;
  StoredHead head;
  std::vector<Extent> extents;  // in the order of the body; at least one
  std::uint8_t survived = 0;    // how often eviction has spared it
};

struct StoreRecord {
  std::vector<VariantRecord> variants;  // the newest first
  bool visited = false;
};

std::string encode_record(const StoreRecord& record);
std::optional<StoreRecord> decode_record(std::string_view bytes);

// Do two heads stand for the same kind of answer, so that the later one takes the place of the earlier one?
bool same_kind(const StoredHead& a, const StoredHead& b);

}  // namespace outrider
