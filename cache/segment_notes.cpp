#include "cache/segment_notes.hpp"

#include <algorithm>

namespace outrider {

void SegmentNotes::written(const Extent& extent, const ExtentHeader& header) {
  Notes& notes = segments_[extent.segment];
  if (!notes.is_complete) return;
  if (count_ >= most_) {
    count_ -= notes.all.size();
    notes = {{}, false};
    return;
  }
  SegmentNote& note = notes.all.emplace_back();
  note.key_hash = header.key_hash;
  note.offset = extent.offset;
  note.length = header.length & 0x3fff'ffff;
  note.is_whole = is_whole_body(header);
  ++count_;
}

void SegmentNotes::taken_out(const Extent& extent) {
  const auto notes = segments_.find(extent.segment);
  if (notes == segments_.end()) return;
  std::vector<SegmentNote>& all = notes->second.all;
  const auto found =
      std::lower_bound(all.begin(), all.end(), extent.offset,
                       [](const SegmentNote& note, std::uint32_t offset) { return note.offset < offset; });
  if (found != all.end() && found->offset == extent.offset) found->is_gone = true;
}

std::optional<std::vector<SegmentNote>> SegmentNotes::take(std::uint32_t segment) {
  const auto found = segments_.find(segment);
  if (found == segments_.end()) return std::nullopt;
  Notes notes = std::move(found->second);
  segments_.erase(found);
  count_ -= notes.all.size();
  if (!notes.is_complete) return std::nullopt;
  return std::move(notes.all);
}

void SegmentNotes::clear() {
  segments_.clear();
  count_ = 0;
}

}  // namespace outrider
