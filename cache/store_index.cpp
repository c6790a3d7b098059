#include "cache/store_index.hpp"

#include "cache/store_index_files.hpp"

#include <rocksdb/cache.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <mutex>

namespace outrider {
namespace {

rocksdb::Slice slice(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view view(const rocksdb::Slice& text) {
  return {text.data(), text.size()};
}

// RocksDB's own log would name keys, that is, what people have read.
class Silence final : public rocksdb::Logger {
 public:
  Silence() : Logger(rocksdb::InfoLogLevel::FATAL_LEVEL) {}
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

// What is gone is left out where files are rewritten: nobody needs to remove it.
class LeavesOut final : public rocksdb::CompactionFilter {
 public:
  explicit LeavesOut(const StoreIndex::Gone& gone) : gone_(gone) {}
  const char* Name() const override { return "gone"; }
  bool Filter(int, const rocksdb::Slice&, const rocksdb::Slice& value, std::string*, bool*) const override {
    return gone_(view(value));
  }

 private:
  const StoreIndex::Gone& gone_;
};

constexpr std::string_view kNobody{"\0", 1};  // sorts before every real key

StoreIndex::Got::State state_of(const rocksdb::Status& status) {
  using State = StoreIndex::Got::State;
  return status.ok() ? State::found : status.IsNotFound() ? State::absent : State::failed;
}

}  // namespace

struct StoreIndex::Tuning {
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(make_index_files());
  std::unique_ptr<LeavesOut> leaves_out;
  rocksdb::Options options;
};

StoreIndex::StoreIndex(std::filesystem::path folder, Budget budget, Gone gone)
    : folder_(std::move(folder)), budget_(budget), gone_(std::move(gone)), tuning_(std::make_unique<Tuning>()) {
  rocksdb::Options& o = tuning_->options;
  o.create_if_missing = true;
  o.env = tuning_->env.get();
  o.info_log = std::make_shared<Silence>();
  o.stats_dump_period_sec = 0;
  o.stats_persist_period_sec = 0;

  o.write_buffer_size = budget_.write_buffer;
  o.max_write_buffer_number = 2;
  o.memtable_whole_key_filtering = true;  // most that is asked for is not there
  o.memtable_prefix_bloom_size_ratio = 0.02;
  o.max_total_wal_size = 2 * budget_.write_buffer;
  o.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  o.wal_bytes_per_sync = o.bytes_per_sync = 1 << 20;  // no sudden flood of dirty pages

  o.max_open_files = -1;  // a file is opened when the database is, never in the middle of a lookup
  o.skip_stats_update_on_db_open = true;
  o.skip_checking_sst_file_sizes_on_db_open = true;
  // The list of files names their first and last keys. It is rewritten at every change, so that it does not remember
  // keys that are gone (forget()).
  o.max_manifest_file_size = 1;
  o.manifest_preallocation_size = 64 * 1024;  // it is small, and often written

  o.compression = rocksdb::kLZ4Compression;
  o.level_compaction_dynamic_level_bytes = true;
  o.target_file_size_base = 4 * budget_.write_buffer;
  o.level0_file_num_compaction_trigger = 8;  // the more at once, the less often all that they overlap with is rewritten
  o.max_bytes_for_level_base = 4 * o.target_file_size_base;
  o.max_background_jobs = 2;
  if (gone_) {
    tuning_->leaves_out = std::make_unique<LeavesOut>(gone_);
    o.compaction_filter = tuning_->leaves_out.get();
    o.periodic_compaction_seconds = 7 * 24 * 3600;  // also where nothing new comes in
  }

  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(budget_.block_cache, -1, false, 0.6);
  table.block_size = 8 * 1024;
  table.format_version = 5;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  // Index and filters are cut into small parts that are cached like everything else: memory does not grow with the
  // number of entries.
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.metadata_block_size = 16384;
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.metadata_cache_options.top_level_index_pinning = rocksdb::PinningTier::kAll;
  // The youngest files are few and small, and every look-up asks all of them.
  table.metadata_cache_options.partition_pinning = rocksdb::PinningTier::kFlushedAndSimilar;
  o.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
}

StoreIndex::~StoreIndex() = default;

StoreIndex::Outcome StoreIndex::open(std::string& why) {
  rocksdb::DB* database = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(tuning_->options, folder_.string(), &database);
  if (!status.ok()) why = status.ToString();
  {
    const std::unique_lock lock(mutex_);
    db_.reset(database);
    failed_ = false;
  }
  if (status.ok()) return Outcome::done;
  // A file that should be there and is not (IOError: path not found) is damage, too; a full disk is not, nor is one
  // that cannot be opened for the moment: about the file with the options, RocksDB says that of an invalid argument.
  const bool invalid = status.IsInvalidArgument() && why.find("IO error") == why.npos;
  return status.IsCorruption() || status.IsPathNotFound() || invalid ? Outcome::damaged : Outcome::failed;
}

// --- reading

StoreIndex::Got StoreIndex::get_now(std::string_view key) const {
  const std::shared_lock lock(mutex_, std::try_to_lock);
  if (!lock) return {Got::State::must_wait, {}};
  if (!db_) return {Got::State::failed, {}};
  const NoWaiting impatient;
  Got got;
  const rocksdb::Status status = db_->Get({}, slice(key), &got.value);
  if (status.ok()) {
    got.state = is_gone(got.value) ? Got::State::absent : Got::State::found;
  } else if (status.IsNotFound()) {
    got.state = Got::State::absent;
  } else {
    got.state = status.IsBusy() ? Got::State::must_wait : Got::State::failed;
  }
  return got;
}

StoreIndex::Got StoreIndex::get(std::string_view key) const {
  const std::shared_lock lock(mutex_);
  if (!db_) return {Got::State::failed, {}};
  Got got;
  const rocksdb::Status status = db_->Get({}, slice(key), &got.value);
  got.state = state_of(status);
  if (is_gone(got.value)) got.state = Got::State::absent;
  return got;
}

bool StoreIndex::is_gone(std::string_view value) const {
  return gone_ && !value.empty() && gone_(value);
}

std::vector<StoreIndex::Got> StoreIndex::get_all(std::span<const std::string_view> keys) const {
  std::vector<Got> all(keys.size(), Got{Got::State::failed, {}});
  const std::shared_lock lock(mutex_);
  if (!db_ || keys.empty()) return all;
  std::vector<rocksdb::Slice> slices;
  slices.reserve(keys.size());
  for (const std::string_view key : keys) slices.push_back(slice(key));
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  db_->MultiGet({}, db_->DefaultColumnFamily(), keys.size(), slices.data(), values.data(), statuses.data());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    all[i].state = state_of(statuses[i]);
    if (!statuses[i].ok()) continue;
    if (is_gone(view(values[i]))) {
      all[i].state = Got::State::absent;
    } else {
      all[i].value = values[i].ToString();
    }
  }
  return all;
}

bool StoreIndex::each(std::string_view first, const std::optional<std::string>& past_last, const Visit& visit) const {
  const std::shared_lock lock(mutex_);
  if (!db_) return false;
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  rocksdb::Slice end;
  if (past_last) {
    end = slice(*past_last);
    options.iterate_upper_bound = &end;
  }
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options));
  for (at->Seek(slice(first)); at->Valid(); at->Next()) {
    if (view(at->key()) == kNobody || is_gone(view(at->value()))) continue;
    if (!visit(view(at->key()), view(at->value()))) return true;
  }
  return at->status().ok();
}

// --- changing

StoreIndex::Outcome StoreIndex::write(std::span<const Change> changes, std::string& why) {
  rocksdb::WriteBatch batch;
  for (const Change& change : changes) {
    if (change.value) {
      batch.Put(slice(change.key), slice(*change.value));
    } else {
      batch.Delete(slice(change.key));
    }
  }
  const std::shared_lock lock(mutex_);
  if (!usable()) return Outcome::failed;
  const rocksdb::Status status = db_->Write({}, &batch);
  if (noted(status)) return Outcome::done;
  why = status.ToString();
  return status.IsCorruption() ? Outcome::damaged : Outcome::failed;
}

bool StoreIndex::sync() {
  const std::shared_lock lock(mutex_);
  return usable() && noted(db_->SyncWAL());
}

bool StoreIndex::flush() {
  const std::shared_lock lock(mutex_);
  return usable() && noted(db_->Flush({}));
}

bool StoreIndex::leave_out() {
  const std::shared_lock lock(mutex_);
  return usable() && noted(db_->Flush({})) && noted(db_->CompactRange({}, nullptr, nullptr));
}

bool StoreIndex::forget(std::string_view first, const std::optional<std::string>& past_last) {
  const std::shared_lock lock(mutex_);
  if (!usable() || !noted(db_->Flush({}))) return false;
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  const rocksdb::Slice from = slice(first);
  rocksdb::Slice to;
  if (past_last) to = slice(*past_last);
  // Twice: a file that overlaps with no other one is first moved to the lowest level as it is, and rewritten there.
  for (int pass = 0; pass < 2; ++pass)
    if (!noted(db_->CompactRange(options, &from, past_last ? &to : nullptr))) return false;
  // The list of files that was written with this change still begins with the state before it: write the next one.
  return noted(db_->Put({}, slice(kNobody), {})) && noted(db_->Flush({}));
}

// A log that could not be written must not be touched again (RocksDB asserts that), not even to sync it.
bool StoreIndex::noted(const rocksdb::Status& status) {
  if (!status.ok()) failed_ = true;
  return status.ok();
}

bool StoreIndex::resume() {
  {
    const std::shared_lock lock(mutex_);
    if (usable() && db_->Resume().ok()) return true;
  }
  close();  // and again from what is on disk: RocksDB's own recovery may be stuck for lack of space
  std::string why;
  return open(why) == Outcome::done;
}

bool StoreIndex::wipe() {
  close();
  std::error_code failed;
  std::filesystem::remove_all(folder_, failed);
  std::string why;
  return open(why) == Outcome::done;
}

void StoreIndex::close() {
  const std::unique_lock lock(mutex_);
  if (db_) db_->Close();
  db_.reset();
}

// --- measuring

std::uint64_t StoreIndex::disk_bytes() const {
  const std::shared_lock lock(mutex_);
  std::uint64_t bytes = 0;
  if (db_) db_->GetIntProperty(rocksdb::DB::Properties::kTotalSstFilesSize, &bytes);
  return bytes;
}

std::uint64_t StoreIndex::entries_estimate() const {
  const std::shared_lock lock(mutex_);
  if (!db_) return 0;
  // RocksDB's own estimate knows nothing of files that were there when it was opened. What the files say of themselves
  // is in memory.
  rocksdb::TablePropertiesCollection files;
  std::uint64_t count = 0;
  std::uint64_t removals = 0;
  for (const auto& property :
       {rocksdb::DB::Properties::kNumEntriesActiveMemTable, rocksdb::DB::Properties::kNumEntriesImmMemTables}) {
    std::uint64_t some = 0;
    if (db_->GetIntProperty(property, &some)) count += some;
  }
  for (const auto& property :
       {rocksdb::DB::Properties::kNumDeletesActiveMemTable, rocksdb::DB::Properties::kNumDeletesImmMemTables}) {
    std::uint64_t some = 0;
    if (db_->GetIntProperty(property, &some)) removals += some;
  }
  if (db_->GetPropertiesOfAllTables(&files).ok()) {
    for (const auto& [name, file] : files) {
      count += file->num_entries;
      removals += file->num_deletions;
    }
  }
  return count - std::min(count, 2 * removals);
}

void StoreIndex::count_reads() {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
}

std::uint64_t StoreIndex::reads() {
  return rocksdb::get_perf_context()->block_read_count;
}

}  // namespace outrider
