#include "cache/store_eviction.hpp"

#include <algorithm>
#include <bit>

namespace outrider {
namespace {

constexpr std::uint64_t kWindowBytes = 4 << 20;
constexpr std::size_t kWindowExtents = 4096;
constexpr double kVisit = 4;          // uses that it counts for to have been read by a person
constexpr double kLately = 1.0 / 64;  // of the disk's budget
constexpr double kSparedShare = 0.6;  // at most this much of a window is written again: eviction must make progress

// An entry in memory that reads from a file that is going away knows the wrong place.
std::optional<EntryPtr> forget_disk_bodies(const MemoryTier::Found& now) {
  if (now.entry)
    for (const VariantPtr& variant : now.entry->variants)
      if (!variant->body->in_memory()) return nullptr;
  return std::nullopt;
}

}  // namespace

std::uint64_t Eviction::used() const {
  return parts_.segments->linked_bytes() + parts_.index->disk_bytes();
}

bool Eviction::over_limit() const {
  return used() + parts_.budgets.reserve > parts_.limit;
}

bool Eviction::make_room(std::uint64_t bytes, std::string& why) {
  // Files that are unlinked but still being read count here: the limit is a hard one.
  for (int tries = 0; parts_.disk_bytes() + bytes + parts_.budgets.reserve / 2 > parts_.limit; ++tries) {
    if (tries < 64 && step(why) == Step::progress) continue;
    const bool fits = parts_.disk_bytes() + bytes <= parts_.limit;
    if (!fits && why.empty() && parts_.limit < parts_.budgets.disk && !parts_.segments->oldest())
      why = "others need the space on this disk";
    return fits;
  }
  return true;
}

// Where everything that comes in was read by a person, having been read by a person is nothing special: to write it
// again would only wear the disk.
void Eviction::entered(bool visited, std::uint64_t bytes) {
  const double share = static_cast<double>(bytes) / (kLately * static_cast<double>(parts_.limit) + 1);
  worth_of_new_ += ((visited ? kVisit : 0) - worth_of_new_) * std::min(share, 1.0);
}

// Dense value: what was asked for often and takes little room. 0 = not worth more than what comes in.
double Eviction::value_of(const Candidate& candidate, const StoreRecord& record, const VariantRecord& variant) const {
  const CacheKey key{candidate.found.key, candidate.found.header.key_hash};
  double uses = parts_.sketch.estimate(key.hash);
  if (parts_.memory.holds(key)) uses += 1;
  if (record.visited) uses += kVisit;
  uses -= variant.survived;
  if (uses < worth_of_new_ + 1) return 0;
  // A thousand bytes or ten thousand cost about the same; beyond that, twice the size is worth half.
  return uses / static_cast<double>(1 + variant.head.body_length / (64 * 1024));
}

std::vector<Eviction::Candidate> Eviction::window() {
  std::vector<Candidate> candidates;
  const std::uint64_t until = scan_->position() + kWindowBytes;
  while (scan_->position() < until && candidates.size() < kWindowExtents) {
    auto found = scan_->next();
    if (!found) break;
    candidates.push_back({std::move(*found)});
  }
  return candidates;
}

Eviction::Step Eviction::begin_segment() {
  if (!over_limit()) return Step::nothing_to_do;
  auto oldest = parts_.segments->oldest();
  if (!oldest) {  // only the one being written
    parts_.segments->seal();
    oldest = parts_.segments->oldest();
    if (!oldest) return Step::nothing_to_do;
  }
  parts_.doomed = oldest->id();
  parts_.state_file.suspect(oldest->id());  // from now on it holds bytes that no record knows of
  scan_.emplace(std::move(oldest));
  spared_.clear();
  return Step::progress;
}

void Eviction::end_segment() {
  parts_.segments->remove(parts_.doomed);
  parts_.state_file.gone(parts_.doomed);
  stop();
}

void Eviction::stop() {
  scan_.reset();
  parts_.doomed = 0;
}

// Those that a record knows, with their value.
std::vector<Eviction::Candidate*> Eviction::living(std::vector<Candidate>& candidates, RecordBatch& batch) const {
  std::vector<std::string_view> keys;
  for (const Candidate& candidate : candidates) keys.push_back(candidate.found.key);
  batch.expect(keys);
  std::vector<Candidate*> living;
  for (Candidate& candidate : candidates) {
    const StoreRecord& record = batch.record(candidate.found.key);
    for (const VariantRecord& variant : record.variants) {
      const std::uint32_t chunk = candidate.found.header.chunk;
      if (variant.id != candidate.found.header.variant || chunk >= variant.extents.size() ||
          variant.extents[chunk] != candidate.found.extent)
        continue;
      constexpr double kMost = 1e9;
      candidate.value = spared_.contains(variant.id) ? kMost : value_of(candidate, record, variant);
      living.push_back(&candidate);
    }
  }
  return living;
}

std::uint64_t Eviction::bytes_of(const Candidate& candidate) {
  return extent_size(candidate.found.header.key_length, candidate.found.header.length);
}

// The most valuable ones, until the share is used up.
void Eviction::choose(std::vector<Candidate*>& living) const {
  std::stable_sort(living.begin(), living.end(),
                   [](const Candidate* a, const Candidate* b) { return a->value > b->value; });
  std::uint64_t all = 0;
  for (const Candidate* candidate : living) all += bytes_of(*candidate);
  auto share = static_cast<std::uint64_t>(kSparedShare * static_cast<double>(all));
  for (Candidate* candidate : living) {
    const std::uint64_t size = bytes_of(*candidate);
    candidate->chosen = candidate->value > 0 && size <= share;
    if (candidate->chosen) share -= size;
  }
}

void Eviction::drop(const Candidate& candidate, RecordBatch& batch) {
  const std::size_t removed = batch.remove(candidate.found.key, [&](const VariantRecord& variant) {
    if (variant.id != candidate.found.header.variant) return false;
    parts_.counters.evicted_bytes.add(variant.head.body_length);
    return true;
  });
  parts_.counters.evicted.add(removed);
}

Eviction::Step Eviction::step(std::string& why) {
  if (!scan_ && begin_segment() == Step::nothing_to_do) return Step::nothing_to_do;
  std::vector<Candidate> candidates = window();
  if (candidates.empty()) {
    end_segment();
    return Step::progress;
  }
  RecordBatch batch(parts_, graveyard_);
  std::vector<Candidate*> found = living(candidates, batch);
  choose(found);
  for (const Candidate* candidate : found)
    if (!candidate->chosen) drop(*candidate, batch);
  std::vector<Candidate*> chosen;
  std::copy_if(found.begin(), found.end(), std::back_inserter(chosen), [](const Candidate* c) { return c->chosen; });
  if (!spare(chosen, batch))  // no room to write them again: then they go, too
    for (const Candidate* candidate : chosen) drop(*candidate, batch);
  if (batch.write(why) != StoreIndex::Outcome::done) {
    stop();
    return Step::failed;
  }
  for (const Candidate* candidate : found)
    parts_.memory.change({candidate->found.key, candidate->found.header.key_hash}, false, forget_disk_bodies);
  return Step::progress;
}

bool Eviction::spare(const std::vector<Candidate*>& chosen, RecordBatch& batch) {
  std::vector<NewExtent> again;
  std::vector<const Candidate*> owners;
  std::vector<std::vector<char>> bytes;
  for (const Candidate* candidate : chosen) {
    const ExtentHeader& header = candidate->found.header;
    const StoreRecord& record = batch.record(candidate->found.key);
    const bool known = std::any_of(record.variants.begin(), record.variants.end(),
                                   [&](const VariantRecord& variant) { return variant.id == header.variant; });
    if (!known) continue;  // another chunk of it was dropped just now
    std::vector<char> raw(kExtentHeaderSize + header.key_length + header.length);
    const auto read = scan_->file()->read(candidate->found.extent.offset, raw);
    const auto body = read_extent({raw.data(), raw.size()}, header);
    if (read != SegmentFile::Read::done || !body) {
      parts_.counters.damaged.add();
      drop(*candidate, batch);
      continue;
    }
    again.push_back({header, candidate->found.key, {*body}, {}});
    owners.push_back(candidate);
    bytes.push_back(std::move(raw));
  }
  if (parts_.segments->append(again) != 0) return false;
  for (std::size_t i = 0; i < again.size(); ++i) {
    const ScannedExtent& found = owners[i]->found;
    for (VariantRecord& variant : batch.record(found.key).variants) {
      if (variant.id != found.header.variant) continue;
      variant.extents[found.header.chunk] = again[i].placed.extent;
      if (!spared_.insert(variant.id).second) continue;
      variant.survived = static_cast<std::uint8_t>(std::min(variant.survived + 1, 255));
      parts_.counters.spared.add();
    }
    batch.touch(found.key);
  }
  return true;
}

}  // namespace outrider
