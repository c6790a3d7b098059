// Out of every file: what was removed from the memory, or replaced in it, is still in RocksDB's files until they are
// written anew (docs/decisions/0059-forgetting-in-the-memory.md).
#include "cache/graph_db.hpp"
#include "cache/graph_db_tuning.hpp"

#include <mutex>
#include <thread>

namespace outrider::graph {
namespace {

constexpr auto kPause = std::chrono::milliseconds{50};
constexpr int kTries = 600;  // half a minute: a merging that was under way has ended by then

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

// The files, on whatever level, that may have something of this range.
std::vector<std::string> files_with(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const KeyRange& range) {
  std::vector<std::string> names;
  rocksdb::ColumnFamilyMetaData data;
  db.GetColumnFamilyMetaData(family, &data);
  for (const rocksdb::LevelMetaData& level : data.levels)
    for (const rocksdb::SstFileMetaData& file : level.files)
      if (file.largestkey >= range.first && (!range.end || file.smallestkey < *range.end)) names.push_back(file.name);
  return names;
}

// Some of the files are being merged by others, or have just been.
bool is_busy(const rocksdb::Status& status) {
  return status.IsAborted() || status.IsInvalidArgument();
}

}  // namespace

// All levels at once, into the lowest: each file is read and written once. (CompactRange goes level by level, and moves
// files as they are where they overlap with none: what is removed stays in them, or everything is written several
// times.)
rocksdb::Status GraphDb::rewrite(const Touched& place) {
  rocksdb::ColumnFamilyHandle* const family = handle(place.family);
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // as the family has it
  options.output_file_size_limit =
      tuning_->families[static_cast<std::size_t>(place.family)].options.target_file_size_base;
  options.max_subcompactions = tuning_->db.max_subcompactions;
  const NoMerging no_merging(*db_, family);
  for (int tries = 0;; ++tries) {
    const std::vector<std::string> files = files_with(*db_, family, place.range);
    if (files.empty()) return {};
    const rocksdb::Status done = db_->CompactFiles(options, family, files, db_->NumberLevels(family) - 1);
    if (tries == kTries || !is_busy(done)) return done;
    std::this_thread::sleep_for(kPause);
  }
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
