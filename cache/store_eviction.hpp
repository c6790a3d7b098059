// Keeps the disk within its budget. Segments are evicted in the order of their age; of each one, what is worth more
// than what comes in (asked for again, read by a person), and is not too large for that, is appended to the youngest
// segment, the rest goes. So nothing has to be remembered per entry: age is the place in the files, the rest is in the
// record and in the sketch. What goes is not removed from the index, either, if its record speaks of nothing else: with
// the segment the record is gone (store_index.hpp). And what is surely worth nothing is not even read, neither the
// record nor the segment (segment_notes.hpp). Works in steps, so that the writer thread can do other things in between.
#pragma once

#include "cache/segment_notes.hpp"
#include "cache/segment_scan.hpp"
#include "cache/store_records.hpp"

#include <bitset>
#include <memory>
#include <optional>
#include <unordered_set>

namespace outrider {

class Eviction {
 public:
  Eviction(DiskParts& parts, Graveyard& graveyard);

  enum class Step : std::uint8_t { nothing_to_do, progress, failed };
  Step step(std::string& why);                            // if over the limit: some megabytes of the oldest segment
  bool make_room(std::uint64_t bytes, std::string& why);  // for an append; false: there is none
  void entered(bool visited, std::uint64_t bytes);        // something new, which will push out something old
  void visited(std::uint64_t key_hash);                   // somebody read this one
  void stop();  // the segments have changed in other ways, or could not be changed

 private:
  struct Candidate {
    ScannedExtent found;
    StoreIndex::Got record;
    double uses = 0;  // as far as memory knows
    double value = 0;
    bool chosen = false;  // to be spared
    bool sole = false;    // its record goes with the segment
  };
  struct Window {
    std::vector<Candidate> candidates;
    std::uint64_t bytes_unread = 0;
    bool at_end = false;
  };
  using Marks = std::bitset<1 << 20>;
  bool over_limit() const;
  std::uint64_t used() const;
  Window window();
  Window noted_window();
  double uses_of(std::uint64_t key_hash) const;
  bool goes_unread(std::uint64_t key_hash, std::uint32_t segment, double uses) const;
  void drop_unread(std::uint64_t length, std::uint64_t size, Window& window);
  static std::uint64_t bytes_of(const Candidate& candidate);
  double value_of(const Candidate& candidate, bool visited, std::uint8_t survived, std::uint64_t body_length) const;
  void judge(Candidate& candidate, const SoleBody& sole, std::vector<Candidate*>& living) const;
  void judge(Candidate& candidate, const StoreRecord& record, std::vector<Candidate*>& living) const;
  std::vector<Candidate*> living(std::vector<Candidate>& candidates, RecordBatch& batch) const;
  void choose(std::vector<Candidate*>& living, std::uint64_t bytes_unread) const;
  void drop(const Candidate& candidate, RecordBatch& batch);
  // `copies`: what it has written.
  bool spare(const std::vector<Candidate*>& chosen, RecordBatch& batch, std::vector<DeadBody>& copies);
  void rid_index();
  Step begin_segment();
  void end_segment();

  DiskParts& parts_;
  Graveyard& graveyard_;
  std::optional<SegmentScan> scan_;                // of the segment that is being evicted
  std::optional<std::vector<SegmentNote>> notes_;  // of it, if there are any
  std::size_t next_note_ = 0;
  double worth_of_new_ = 0;               // in uses: of what has come in lately
  std::uint64_t dropped_ = 0;             // variants, since the index was last rid of what is gone
  std::uint64_t entered_ = 0;             // the same of those that came in
  std::unordered_set<VariantId> spared_;  // of its variants: the rest of them is spared, too
  // By the hash of the key, so that most records need not be read to learn that nobody has read the page. Says nothing
  // of what was there before we began.
  std::unique_ptr<Marks> maybe_visited_ = std::make_unique<Marks>();
  const std::uint32_t marked_from_;
};

}  // namespace outrider
