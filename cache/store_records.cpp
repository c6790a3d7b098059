#include "cache/store_records.hpp"

namespace outrider {

// --- graveyard

void Graveyard::bury(DeadBody body) {
  if (!parts_.leases->held(body.variant)) {
    bury_now(body);
    return;
  }
  // Should we crash before its readers are done, nobody would know that it is there.
  for (const Extent& extent : body.extents) parts_.state_file.suspect(extent.segment);
  waiting_.push_back(std::move(body));
}

bool Graveyard::bury_now(const DeadBody& body) {
  bool all = true;
  for (const Extent& extent : body.extents) {
    if (extent.segment == parts_.doomed) continue;  // will be gone as a whole
    const auto file = parts_.segments->find(extent.segment);
    if (file && !file->punch(extent.offset, extent_size(body.key_length, extent.length))) {
      parts_.state_file.suspect(extent.segment);
      all = false;
    }
    parts_.notes.taken_out(extent);
  }
  return all;
}

void Graveyard::sweep() {
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    DeadBody body = std::move(waiting_.front());
    waiting_.pop_front();
    if (parts_.leases->held(body.variant)) {
      waiting_.push_back(std::move(body));
    } else {
      bury_now(body);
    }
  }
}

bool Graveyard::bury_all_now() {
  bool all = true;
  for (const DeadBody& body : waiting_) all = bury_now(body) && all;
  waiting_.clear();
  return all;
}

// --- records

void RecordBatch::fill(Edited& edited, const StoreIndex::Got& got) {
  if (got.state != StoreIndex::Got::State::found) return;
  auto decoded = decode_record(got.value);
  if (!decoded) return;
  edited.record = std::move(*decoded);
  const std::uint32_t oldest = parts_.segments->oldest_id();
  const std::size_t gone =
      std::erase_if(edited.record.variants, [&](const VariantRecord& variant) { return is_gone(variant, oldest); });
  edited.touched = edited.touched || gone > 0;
}

void RecordBatch::know(const std::string& key, const StoreIndex::Got& got) {
  if (const auto [at, fresh] = records_.try_emplace(key); fresh) fill(at->second, got);
}

void RecordBatch::expect(std::span<const CacheKey* const> keys) {
  std::vector<std::string_view> unknown;
  std::vector<Edited*> wanting;
  for (const CacheKey* key : keys) {
    const auto [at, fresh] = records_.try_emplace(key->bytes);
    if (!fresh || parts_.surely_absent(*key)) continue;
    unknown.push_back(at->first);
    wanting.push_back(&at->second);
  }
  const std::vector<StoreIndex::Got> got = parts_.index->get_all(unknown);
  for (std::size_t i = 0; i < got.size(); ++i) fill(*wanting[i], got[i]);
}

StoreRecord& RecordBatch::record(const std::string& key) {
  const auto [at, fresh] = records_.try_emplace(key);
  if (fresh) fill(at->second, parts_.index->get(key));
  return at->second.record;
}

StoreIndex::Outcome RecordBatch::write(std::string& why) {
  if (at_once_ && !bury_first()) {
    why = "bytes could not be removed";
    return StoreIndex::Outcome::failed;
  }
  std::vector<StoreIndex::Change> changes;
  for (auto& [key, edited] : records_) {
    if (!edited.touched) continue;
    StoreIndex::Change change{key, std::nullopt};
    if (!edited.record.variants.empty()) change.value = encode_record(edited.record);
    changes.push_back(std::move(change));
  }
  if (!changes.empty()) {
    const StoreIndex::Outcome outcome = parts_.index->write(changes, why);
    if (outcome != StoreIndex::Outcome::done) return outcome;
  }
  for (DeadBody& body : dead_) graveyard_.bury(std::move(body));
  return StoreIndex::Outcome::done;
}

bool RecordBatch::bury_first() {
  bool all = true;
  for (const DeadBody& body : dead_) all = graveyard_.bury_now(body) && all;
  dead_.clear();
  return all;
}

}  // namespace outrider
