#include "cache/store_purge.hpp"

#include "base/ip_address.hpp"

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

Result<PurgeReport> Purge::run(const Bodies& arriving) {
  // What is being received was asked for before: it is not kept, either.
  bool buried = true;
  if (!scope_.received_before)
    for (const auto& body : arriving)
      if (covers(scope_, body->key.bytes)) {
        body->failed = true;
        if (scope_.forget) {
          DeadBody dead{body->variant, static_cast<std::uint32_t>(body->key.bytes.size()), {}};
          for (const PlacedExtent& placed : body->extents) dead.extents.push_back(placed.extent);
          buried = graveyard_.bury_now(dead) && buried;
        }
      }
  if (everything()) return wipe();
  PurgeReport report;
  std::string why = "reading the index failed";
  if (!remove_records(report, why)) return failed(why);
  parts_.counters.purged.add(report.entries);
  if (scope_.forget) {
    buried = graveyard_.bury_all_now() && buried;
    if (!parts_.segments->drop_spare()) return failed("what has been evicted could not be removed");
    if (!remove_strays(arriving) || !buried) return failed("bytes could not be removed");
    if (!parts_.index->forget(scope_.first, scope_.past_last)) return failed("rewriting the index failed");
  }
  if (!sync()) return failed("writing to the disk failed");
  return report;
}

Result<PurgeReport> Purge::wipe() {
  PurgeReport report;
  report.entries = parts_.index->entries_estimate();
  report.bytes = parts_.segments->linked_bytes();
  bool removed = true;
  for (const auto& file : parts_.segments->all()) {
    if (scope_.forget) removed = file->punch(0, file->size()) && removed;  // somebody may be reading it
    parts_.state_file.cleared(file->id());
  }
  parts_.segments->remove_all();
  removed = parts_.segments->drop_spare() && removed;
  parts_.notes.clear();
  parts_.counters.purged.add(report.entries);
  if (!parts_.index->wipe()) return failed("the index could not be made anew");
  if (!removed) return failed("bytes could not be removed");
  if (!sync()) return failed("writing to the disk failed");
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

// Bytes in segments that no record knows of, everybody's: what is left of a body whose beginning has been written over
// has no name any more.
bool Purge::remove_strays(const Bodies& arriving) {
  bool removed = true;
  for (const auto& file : parts_.segments->all()) {
    if (!parts_.state_file.is_suspect(file->id())) continue;
    if (leave_only_known(file, arriving)) {
      parts_.state_file.cleared(file->id());
    } else {
      removed = false;
    }
  }
  return removed;
}

bool Purge::leave_only_known(const std::shared_ptr<SegmentFile>& file, const Bodies& arriving) {
  bool removed = true;
  std::uint64_t known_until = 0;
  const auto clear_until = [&](std::uint64_t end) {
    if (end > known_until) removed = file->punch(known_until, end - known_until) && removed;
  };
  SegmentScan scan(file);
  while (const auto found = scan.next()) {
    if (is_known(*found, arriving)) {
      clear_until(found->extent.offset);
      known_until = scan.position();
    } else {
      scan.go_to(found->extent.offset + kExtentAlignment);  // its length may be a lie
    }
  }
  clear_until(file->size());
  return removed;
}

bool Purge::is_known(const ScannedExtent& found, const Bodies& arriving) {
  const auto is_it = [&](const PlacedExtent& placed) { return placed.file && placed.extent == found.extent; };
  for (const auto& body : arriving)
    if (!body->failed && body->variant == found.header.variant)
      return std::any_of(body->extents.begin(), body->extents.end(), is_it);
  RecordBatch batch(parts_, graveyard_);
  const auto& variants = batch.record(found.key).variants;
  return std::any_of(variants.begin(), variants.end(), [&](const VariantRecord& variant) {
    return variant.id == found.header.variant &&
           std::find(variant.extents.begin(), variant.extents.end(), found.extent) != variant.extents.end();
  });
}

bool Purge::sync() {
  bool synced = parts_.index->sync() && parts_.segments->sync_names();
  if (scope_.forget)
    for (const auto& file : parts_.segments->all()) synced = file->sync() && synced;
  return synced;
}

}  // namespace outrider
