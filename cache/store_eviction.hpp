// Keeps the disk within its budget. Segments are evicted in the order of their age; of each one, what is worth more
// than what comes in (asked for again, read by a person), and is not too large for that, is appended to the youngest
// segment, the rest goes. So nothing has to be remembered per entry: age is the place in the files, the rest is in the
// record and in the sketch. Works in steps, so that the writer thread can do other things in between.
#pragma once

#include "cache/segment_scan.hpp"
#include "cache/store_records.hpp"

#include <memory>
#include <optional>
#include <unordered_set>

namespace outrider {

class Eviction {
 public:
  Eviction(DiskParts& parts, Graveyard& graveyard) : parts_(parts), graveyard_(graveyard) {}

  enum class Step : std::uint8_t { nothing_to_do, progress, failed };
  Step step(std::string& why);                            // if over the limit: some megabytes of the oldest segment
  bool make_room(std::uint64_t bytes, std::string& why);  // for an append; false: there is none
  void entered(bool visited, std::uint64_t bytes);        // something new, which will push out something old
  void stop();  // the segments have changed in other ways, or could not be changed

 private:
  struct Candidate {
    ScannedExtent found;
    double value = 0;
    bool chosen = false;  // to be spared
  };
  bool over_limit() const;
  std::uint64_t used() const;
  std::vector<Candidate> window();
  static std::uint64_t bytes_of(const Candidate& candidate);
  double value_of(const Candidate& candidate, const StoreRecord& record, const VariantRecord& variant) const;
  std::vector<Candidate*> living(std::vector<Candidate>& candidates, RecordBatch& batch) const;
  void choose(std::vector<Candidate*>& living) const;
  void drop(const Candidate& candidate, RecordBatch& batch);
  bool spare(const std::vector<Candidate*>& chosen, RecordBatch& batch);
  Step begin_segment();
  void end_segment();

  DiskParts& parts_;
  Graveyard& graveyard_;
  std::optional<SegmentScan> scan_;       // of the segment that is being evicted
  double worth_of_new_ = 0;               // in uses: of what has come in lately
  std::unordered_set<VariantId> spared_;  // of its variants: the rest of them is spared, too
};

}  // namespace outrider
