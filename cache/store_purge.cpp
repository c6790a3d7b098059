#include "cache/store_purge.hpp"

#include "base/ip_address.hpp"
#include "cache/segment_scan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider {
namespace {

constexpr std::size_t kBatch = 1000;

// Who does not log in is named by address and browser here, with a space between them; in the memory by "@ADDRESS", and
// at this machine by nothing.
bool is_for(std::string_view person, std::string_view key) {
  const std::string_view whose = CacheKey::partition_of(key);
  const std::size_t space = whose.find(' ');
  if (whose.empty()) return false;
  if (person.starts_with('@')) return space != whose.npos && whose.substr(0, space) == person.substr(1);
  if (!person.empty()) return whose == person;
  boost::system::error_code is_a_name;
  const auto address = asio::ip::make_address(whose.substr(0, space), is_a_name);
  return !is_a_name && is_loopback(address);
}

Error failed(std::string_view why) {
  return Error(ErrorKind::io, Side::self, fmt::format("the cache could not be purged: {}", why));
}

}  // namespace

bool Purge::covers(const PurgeScope& scope, std::string_view key) {
  return key >= scope.first && (!scope.past_last || key < *scope.past_last) &&
         (!scope.person || is_for(*scope.person, key));
}

void Purge::from_memory(MemoryTier& memory, const PurgeScope& scope) {
  memory.change_range(scope.first, scope.past_last, [&](const EntryPtr& now) -> EntryPtr {
    if (!covers(scope, now->key.bytes)) return now;
    return without_variants(now, [&](const StoredVariant& variant) { return scope.means(variant.head); });
  });
}

Result<PurgeReport> Purge::run(const std::vector<std::shared_ptr<PendingBody>>& arriving) {
  // What is being received was asked for before: it is not kept, either.
  if (!scope_.received_before)
    for (const auto& body : arriving)
      if (covers(scope_, body->key.bytes)) {
        body->failed = true;
        if (scope_.forget) {
          DeadBody dead{body->variant, static_cast<std::uint32_t>(body->key.bytes.size()), {}};
          for (const PlacedExtent& placed : body->extents) dead.extents.push_back(placed.extent);
          graveyard_.bury_now(dead);
        }
      }
  if (everything()) return wipe();
  PurgeReport report;
  std::string why = "reading the index failed";
  if (!remove_records(report, why)) return failed(why);
  parts_.counters.purged.add(report.entries);
  if (scope_.forget) {
    graveyard_.bury_all_now();
    if (!parts_.segments->drop_spare()) return failed("what has been evicted could not be removed");
    remove_strays();
    if (!parts_.index->forget(scope_.first, scope_.past_last)) return failed("rewriting the index failed");
  }
  if (!sync()) return failed("writing to the disk failed");
  return report;
}

Result<PurgeReport> Purge::wipe() {
  PurgeReport report;
  report.entries = parts_.index->entries_estimate();
  report.bytes = parts_.segments->linked_bytes();
  for (const auto& file : parts_.segments->all()) {
    if (scope_.forget) file->punch(0, file->size());  // somebody may be reading it
    parts_.state_file.gone(file->id());
  }
  parts_.segments->remove_all();
  parts_.notes.clear();
  parts_.counters.purged.add(report.entries);
  if (!parts_.index->wipe()) return failed("the index could not be made anew");
  return report;
}

bool Purge::remove_records(PurgeReport& report, std::string& why) {
  std::string from = scope_.first;
  for (bool more = true; more;) {
    std::vector<std::string> keys;
    more = false;
    const bool read = parts_.index->each(from, scope_.past_last, [&](std::string_view key, std::string_view) {
      if (keys.size() == kBatch) {
        from = key;
        more = true;
        return false;
      }
      if (covers(scope_, key)) keys.emplace_back(key);
      return true;
    });
    RecordBatch batch(parts_, graveyard_);
    if (scope_.forget) batch.burial_at_once();
    for (const std::string& key : keys) {
      if (batch.record(key).variants.empty()) batch.touch(key);  // a record that cannot be read
      const std::size_t removed = batch.remove(key, [&](const VariantRecord& variant) {
        if (!scope_.means(variant.head)) return false;
        report.bytes += variant.head.body_length;
        return true;
      });
      if (removed > 0) ++report.entries;
    }
    if (batch.write(why) != StoreIndex::Outcome::done || !read) return false;
  }
  return true;
}

// Bytes in segments that no record knows of: of a crash, or of an eviction that is under way.
void Purge::remove_strays() {
  for (const auto& file : parts_.segments->all()) {
    if (!parts_.state_file.is_suspect(file->id())) continue;
    SegmentScan scan(file);
    while (const auto found = scan.next()) {
      if (!covers(scope_, found->key)) continue;
      RecordBatch batch(parts_, graveyard_);
      const auto& variants = batch.record(found->key).variants;
      const bool known = std::any_of(variants.begin(), variants.end(), [&](const VariantRecord& variant) {
        return variant.id == found->header.variant &&
               std::find(variant.extents.begin(), variant.extents.end(), found->extent) != variant.extents.end();
      });
      if (!known) file->punch(found->extent.offset, extent_size(found->header.key_length, found->header.length));
    }
  }
}

bool Purge::sync() {
  bool synced = parts_.index->sync() && parts_.segments->sync_names();
  if (scope_.forget)
    for (const auto& file : parts_.segments->all()) synced = file->sync() && synced;
  return synced;
}

}  // namespace outrider
