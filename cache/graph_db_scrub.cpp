// Out of every file: what was removed from the memory, or replaced in it, is still in RocksDB's files until they are
// written anew (docs/decisions/0059-forgetting-in-the-memory.md).
#include "cache/graph_db.hpp"
#include "cache/graph_db_tuning.hpp"

#include <mutex>
#include <thread>

namespace outrider::graph {
namespace {

constexpr auto kPause = std::chrono::milliseconds{50};
constexpr int kTries = 6000;                // five minutes: a merging that was under way has ended by then
constexpr std::uint64_t kMuch = 256 << 20;  // bytes

// While it lives nothing is merged in this family but what we ask for; nobody who writes waits for that.
class NoMerging {
 public:
  NoMerging(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) : db_(db), family_(family) {
    db_.SetOptions(family_, {{"disable_auto_compactions", "true"}});
  }
  ~NoMerging() { db_.EnableAutoCompaction({family_}); }
  NoMerging(const NoMerging&) = delete;
  NoMerging& operator=(const NoMerging&) = delete;

 private:
  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const family_;
};

std::vector<std::string> files_of(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  std::vector<std::string> names;
  rocksdb::ColumnFamilyMetaData data;
  db.GetColumnFamilyMetaData(family, &data);
  for (const rocksdb::LevelMetaData& level : data.levels)
    for (const rocksdb::SstFileMetaData& file : level.files) names.push_back(file.name);
  return names;
}

// Some of the files are being merged by others, or have just been.
bool is_busy(const rocksdb::Status& status) {
  return status.IsAborted() || status.IsInvalidArgument();
}

}  // namespace

// All levels at once, into the lowest: each file is read and written once. Needs as much room as the family takes.
rocksdb::Status GraphDb::rewrite_whole(Family which) {
  rocksdb::ColumnFamilyHandle* const family = handle(which);
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // as the family has it
  options.output_file_size_limit = tuning_->families[static_cast<std::size_t>(which)].options.target_file_size_base;
  options.max_subcompactions = tuning_->db.max_subcompactions;
  const NoMerging no_merging(*db_, family);
  for (int tries = 0;; ++tries) {
    const std::vector<std::string> files = files_of(*db_, family);
    if (files.empty()) return {};
    const rocksdb::Status done = db_->CompactFiles(options, family, files, db_->NumberLevels(family) - 1);
    if (tries == kTries || !is_busy(done)) return done;
    std::this_thread::sleep_for(kPause);
  }
}

// Level by level, in pieces. Twice: a file that overlaps with no other one is first moved to the lowest level as it is,
// and rewritten there. Where there is much, the lowest level is in use anyhow, and once is enough.
rocksdb::Status GraphDb::rewrite_range(const Touched& place) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  const rocksdb::Slice from = slice(place.range.first);
  rocksdb::Slice to;
  if (place.range.end) to = slice(*place.range.end);
  rocksdb::Status done;
  for (int pass = 0; done.ok() && pass < (bytes_of(place.family) > kMuch ? 1 : 2); ++pass)
    done = db_->CompactRange(options, handle(place.family), &from, place.range.end ? &to : nullptr);
  return done;
}

// A merging of everything would make of a small range a large one: what was just flushed overlaps with all.
rocksdb::Status GraphDb::rewrite(const Touched& place) {
  const std::lock_guard alone(merging_);
  std::error_code unknown;
  const std::filesystem::space_info disk = std::filesystem::space(options_.folder, unknown);
  const bool whole = place.range.first.empty() && !place.range.end;
  const bool has_room = !unknown && disk.available / 2 > bytes_of(place.family);
  return whole && has_room ? rewrite_whole(place.family) : rewrite_range(place);
}

Result<void> GraphDb::scrub(const std::vector<Touched>& touched) {
  const std::shared_lock lock(mutex_);
  if (!db_ || failed_ || read_only()) return is_closed();
  const std::vector<rocksdb::ColumnFamilyHandle*> all(handles_.begin(), handles_.end());
  if (Result<void> done = noted(db_->Flush({}, all)); !done) return done;  // the log goes with it
  for (const Touched& place : touched) {
    const rocksdb::Status rewritten = rewrite(place);
    if (is_busy(rewritten)) return trouble("its files are in use: " + rewritten.ToString());
    if (Result<void> done = noted(rewritten); !done) return done;
  }
  // The list of files that was written with this change still begins with the state before it: write the next one.
  if (Result<void> done = noted(db_->Put({}, handle(Family::meta), "scrubbed", "")); !done) return done;
  if (Result<void> done = noted(db_->Flush({}, all)); !done) return done;
  // Files that somebody was reading meanwhile, or that were left for later.
  return noted(db_->EnableFileDeletions(true));
}

}  // namespace outrider::graph
