// The record that RocksDB holds under a key: all variants of the entry, each with its head and the places of its body.
// Versioned; bytes of an unknown version, and damaged ones, are refused as a whole. What eviction wants to know lies in
// front, where it can be seen without reading the rest.
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

// Some of its body lay in a segment that is not there any more.
bool is_gone(const VariantRecord& variant, std::uint32_t oldest_segment);

// The segment without which nothing of this record is left; 0 = it cannot be read.
std::uint32_t last_segment_of(std::string_view record);

// A record of one variant in one extent, as nearly all of them are: it lasts as long as the segment with that extent.
struct SoleBody {
  std::uint32_t segment = 0;
  std::uint32_t offset = 0;
  VariantId variant = 0;
  std::uint8_t survived = 0;
  bool visited = false;
};
std::optional<SoleBody> sole_body_of(std::string_view record);  // nothing: it has more of them, or is damaged

// Do two heads stand for the same kind of answer, so that the later one takes the place of the earlier one?
bool same_kind(const StoredHead& a, const StoredHead& b);

}  // namespace outrider
