#include "cache/store_eviction.hpp"

#include <algorithm>

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

Eviction::Eviction(DiskParts& parts, Graveyard& graveyard)
    : parts_(parts), graveyard_(graveyard), marked_from_(parts.segments->next_id()) {}

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
    bool fits = parts_.disk_bytes() + bytes <= parts_.limit;
    if (!fits) {
      parts_.segments->drop_spare();
      fits = parts_.disk_bytes() + bytes <= parts_.limit;
    }
    if (!fits && why.empty() && parts_.limit < parts_.budgets.disk && !parts_.segments->oldest())
      why = "others need the space on this disk";
    return fits;
  }
  return true;
}

// Where everything that comes in was read by a person, having been read by a person is nothing special: to write it
// again would only wear the disk.
void Eviction::entered(bool visited, std::uint64_t bytes) {
  ++entered_;
  const double share = static_cast<double>(bytes) / (kLately * static_cast<double>(parts_.limit) + 1);
  worth_of_new_ += ((visited ? kVisit : 0) - worth_of_new_) * std::min(share, 1.0);
}

void Eviction::visited(std::uint64_t key_hash) {
  maybe_visited_->set(key_hash % maybe_visited_->size());
}

// Dense value: what was asked for often and takes little room. 0 = not worth more than what comes in.
double Eviction::value_of(const Candidate& candidate, bool visited, std::uint8_t survived,
                          std::uint64_t body_length) const {
  double uses = candidate.uses;
  if (visited) uses += kVisit;
  uses -= survived;
  if (uses < worth_of_new_ + 1) return 0;
  // A thousand bytes or ten thousand cost about the same; beyond that, twice the size is worth half.
  const std::uint64_t sizes = 1 + body_length / (64 * 1024);
  return uses / static_cast<double>(sizes);
}

double Eviction::uses_of(std::uint64_t key_hash) const {
  return parts_.sketch.estimate(key_hash) + (parts_.memory.may_hold(key_hash) ? 1 : 0);
}

// Whatever its record says, it is not worth more than what comes in.
bool Eviction::goes_unread(std::uint64_t key_hash, std::uint32_t segment, double uses) const {
  const bool maybe_visited = segment < marked_from_ || maybe_visited_->test(key_hash % maybe_visited_->size());
  return uses == 0 && (maybe_visited ? kVisit : 0) < worth_of_new_ + 1;
}

// Should its record speak of more, that is in order without it.
void Eviction::drop_unread(std::uint64_t length, std::uint64_t size, Window& window) {
  ++dropped_;
  window.bytes_unread += size;
  parts_.counters.evicted_bytes.add(length);
  parts_.counters.evicted.add();
}

Eviction::Window Eviction::window() {
  if (notes_) return noted_window();
  Window window;
  const std::uint64_t until = scan_->position() + kWindowBytes;
  while (scan_->position() < until && window.candidates.size() < kWindowExtents && !window.at_end) {
    auto found = scan_->next();
    window.at_end = !found;
    if (!found) break;
    const ExtentHeader& header = found->header;
    const double uses = uses_of(header.key_hash);
    if (is_whole_body(header) && goes_unread(header.key_hash, found->extent.segment, uses)) {
      drop_unread(header.length, extent_size(header.key_length, header.length), window);
      continue;
    }
    Candidate& candidate = window.candidates.emplace_back();
    candidate.found = std::move(*found);
    candidate.uses = uses;
  }
  return window;
}

Eviction::Window Eviction::noted_window() {
  Window window;
  const std::uint64_t until = next_note_ < notes_->size() ? (*notes_)[next_note_].offset + kWindowBytes : 0;
  for (; next_note_ < notes_->size() && window.candidates.size() < kWindowExtents; ++next_note_) {
    const SegmentNote& note = (*notes_)[next_note_];
    if (note.offset >= until) return window;
    if (note.is_gone) continue;
    const double uses = uses_of(note.key_hash);
    if (note.is_whole && goes_unread(note.key_hash, parts_.doomed, uses)) {
      drop_unread(note.length, note.length, window);
      continue;
    }
    scan_->go_to(note.offset);
    auto found = scan_->next();
    if (!found || found->extent.offset != note.offset) continue;  // damaged
    Candidate& candidate = window.candidates.emplace_back();
    candidate.found = std::move(*found);
    candidate.uses = uses;
  }
  window.at_end = next_note_ == notes_->size();
  return window;
}

// What comes in makes RocksDB rewrite its files now and then, and leave out what is gone. Where much more goes than
// comes in, because the limit has become a smaller one, it would go on counting, and eviction would go too far.
void Eviction::rid_index() {
  constexpr std::uint64_t kFew = 1000;
  const std::uint64_t all = parts_.index->entries_estimate();
  if (dropped_ > kFew && dropped_ > 2 * entered_ && dropped_ > all / 2) {
    parts_.index->leave_out();
  } else if (entered_ <= std::max(all, kFew)) {
    return;
  }
  dropped_ = entered_ = 0;
}

Eviction::Step Eviction::begin_segment() {
  if (!over_limit()) return Step::nothing_to_do;
  rid_index();
  if (!over_limit()) return Step::nothing_to_do;
  auto oldest = parts_.segments->oldest();
  if (!oldest) {  // only the one being written
    parts_.segments->seal();
    oldest = parts_.segments->oldest();
    if (!oldest) return Step::nothing_to_do;
  }
  parts_.doomed = oldest->id();
  parts_.state_file.suspect(oldest->id());  // from now on it holds bytes that no record knows of
  notes_ = parts_.notes.take(oldest->id());
  next_note_ = 0;
  scan_.emplace(std::move(oldest));
  spared_.clear();
  return Step::progress;
}

void Eviction::end_segment() {
  scan_.reset();
  parts_.segments->remove(parts_.doomed);
  parts_.state_file.cleared(parts_.doomed);
  stop();
}

void Eviction::stop() {
  scan_.reset();
  notes_.reset();
  parts_.doomed = 0;
}

void Eviction::judge(Candidate& candidate, const SoleBody& sole, std::vector<Candidate*>& living) const {
  const Extent& extent = candidate.found.extent;
  if (sole.variant != candidate.found.header.variant || sole.segment != extent.segment || sole.offset != extent.offset)
    return;
  candidate.sole = true;
  candidate.value = value_of(candidate, sole.visited, sole.survived, extent.length);
  living.push_back(&candidate);
}

void Eviction::judge(Candidate& candidate, const StoreRecord& record, std::vector<Candidate*>& living) const {
  const ExtentHeader& header = candidate.found.header;
  for (const VariantRecord& variant : record.variants) {
    if (variant.id != header.variant || header.chunk >= variant.extents.size() ||
        variant.extents[header.chunk] != candidate.found.extent)
      continue;
    constexpr double kMost = 1e9;
    candidate.value = spared_.contains(variant.id)
                          ? kMost
                          : value_of(candidate, record.visited, variant.survived, variant.head.body_length);
    living.push_back(&candidate);
  }
}

// Those that a record knows, with their value.
std::vector<Eviction::Candidate*> Eviction::living(std::vector<Candidate>& candidates, RecordBatch& batch) const {
  std::vector<std::string_view> keys;
  keys.reserve(candidates.size());
  for (const Candidate& candidate : candidates) keys.push_back(candidate.found.key);
  std::vector<StoreIndex::Got> records = parts_.index->get_all(keys);
  std::vector<Candidate*> living;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& candidate = candidates[i];
    candidate.record = std::move(records[i]);
    if (const auto sole = sole_body_of(candidate.record.value)) {
      judge(candidate, *sole, living);
    } else {
      batch.know(candidate.found.key, candidate.record);
      judge(candidate, batch.record(candidate.found.key), living);
    }
  }
  return living;
}

std::uint64_t Eviction::bytes_of(const Candidate& candidate) {
  return extent_size(candidate.found.header.key_length, candidate.found.header.length);
}

// The most valuable ones, until the share is used up.
void Eviction::choose(std::vector<Candidate*>& living, std::uint64_t bytes_unread) const {
  std::stable_sort(living.begin(), living.end(),
                   [](const Candidate* a, const Candidate* b) { return a->value > b->value; });
  std::uint64_t all = bytes_unread;
  for (const Candidate* candidate : living) all += bytes_of(*candidate);
  auto share = static_cast<std::uint64_t>(kSparedShare * static_cast<double>(all));
  for (Candidate* candidate : living) {
    const std::uint64_t size = bytes_of(*candidate);
    candidate->chosen = candidate->value > 0 && size <= share;
    if (candidate->chosen) share -= size;
  }
}

void Eviction::drop(const Candidate& candidate, RecordBatch& batch) {
  ++dropped_;
  if (candidate.sole) {
    parts_.counters.evicted_bytes.add(candidate.found.extent.length);
    return parts_.counters.evicted.add();
  }
  const std::size_t removed = batch.remove(candidate.found.key, [&](const VariantRecord& variant) {
    if (variant.id != candidate.found.header.variant) return false;
    parts_.counters.evicted_bytes.add(variant.head.body_length);
    return true;
  });
  parts_.counters.evicted.add(removed);
}

Eviction::Step Eviction::step(std::string& why) {
  if (!scan_ && begin_segment() == Step::nothing_to_do) return Step::nothing_to_do;
  Window seen = window();
  if (seen.candidates.empty()) {
    if (seen.at_end) end_segment();
    return Step::progress;
  }
  RecordBatch batch(parts_, graveyard_);
  std::vector<Candidate*> found = living(seen.candidates, batch);
  choose(found, seen.bytes_unread);
  for (const Candidate* candidate : found)
    if (!candidate->chosen) drop(*candidate, batch);
  std::vector<Candidate*> chosen;
  std::copy_if(found.begin(), found.end(), std::back_inserter(chosen), [](const Candidate* c) { return c->chosen; });
  std::vector<DeadBody> copies;
  if (!spare(chosen, batch, copies))  // no room to write them again: then they go, too
    for (const Candidate* candidate : chosen) drop(*candidate, batch);
  if (batch.write(why) != StoreIndex::Outcome::done) {
    for (const DeadBody& copy : copies) graveyard_.bury_now(copy);  // no record knows of them
    stop();
    return Step::failed;
  }
  for (const Candidate* candidate : found)
    parts_.memory.change({candidate->found.key, candidate->found.header.key_hash}, false, forget_disk_bodies);
  return Step::progress;
}

bool Eviction::spare(const std::vector<Candidate*>& chosen, RecordBatch& batch, std::vector<DeadBody>& copies) {
  std::vector<NewExtent> again;
  std::vector<const Candidate*> owners;
  std::vector<std::vector<char>> bytes;
  for (const Candidate* candidate : chosen) {
    const ExtentHeader& header = candidate->found.header;
    batch.know(candidate->found.key, candidate->record);
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
    parts_.presence.stored(found.header.key_hash, parts_.segments->next_id() - 1);
    parts_.notes.written(again[i].placed.extent, again[i].header);
    copies.push_back({found.header.variant, found.header.key_length, {again[i].placed.extent}});
    auto& variants = batch.record(found.key).variants;
    if (std::none_of(variants.begin(), variants.end(), [&](auto& known) { return known.id == found.header.variant; }))
      graveyard_.bury_now(copies.back());  // another chunk of it turned out to be damaged
    for (VariantRecord& variant : variants) {
      if (variant.id != found.header.variant) continue;
      variant.extents[found.header.chunk] = again[i].placed.extent;
      if (!spared_.insert(variant.id).second) continue;
      variant.survived = static_cast<std::uint8_t>(std::min(variant.survived + 1, 255));
      parts_.counters.spared.add();
    }
    batch.touch(found.key);
    if (batch.record(found.key).visited) visited(found.header.key_hash);
  }
  return true;
}

}  // namespace outrider
