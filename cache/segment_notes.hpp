// What lies in the segments that were written since we began, so that eviction need not read them to find out: most of
// it is worth nothing to anybody. In a fixed amount of memory; a segment that does not fit has to be read. Writer
// thread only. Neighbour: store_eviction.hpp.
#pragma once

#include "cache/segment_format.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace outrider {

struct SegmentNote {
  std::uint64_t key_hash = 0;
  std::uint32_t offset = 0;
  std::uint32_t length : 30 = 0;  // at most kChunk
  bool is_whole : 1 = false;      // all of a body
  bool is_gone : 1 = false;       // taken out of the file since
};

class SegmentNotes {
 public:
  explicit SegmentNotes(std::size_t bytes) : most_(bytes / sizeof(SegmentNote)) {}

  void written(const Extent& extent, const ExtentHeader& header);
  void taken_out(const Extent& extent);
  // In the order of the file. Nothing: not known. They are not kept.
  std::optional<std::vector<SegmentNote>> take(std::uint32_t segment);
  void clear();

 private:
  struct Notes {
    std::vector<SegmentNote> all;
    bool is_complete = true;
  };
  const std::size_t most_;
  std::size_t count_ = 0;
  std::map<std::uint32_t, Notes> segments_;
};

}  // namespace outrider
