#include "robot/frontier_database.hpp"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

namespace outrider {
namespace {

// On disk: never change one.
constexpr std::size_t kQueue = 1, kSeen = 2, kLinks = 3;
constexpr std::array<const char*, 4> kNames{"default", "queue", "seen", "links"};

constexpr std::uint64_t kMostLinkBytes = 256 << 20;  // of all pages

// While files are merged: why a URL was rejected stays known, the words that quote it go.
class WordEraser final : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "outrider-word-eraser"; }
  bool Filter(int, const rocksdb::Slice&, const rocksdb::Slice& value, std::string* without,
              bool* changed) const override {
    if (std::optional<std::string> record = without_words(view(value))) {
      *without = std::move(*record);
      *changed = true;
    }
    return false;
  }
};

class WordErasers final : public rocksdb::CompactionFilterFactory {
 public:
  explicit WordErasers(std::shared_ptr<std::atomic<bool>> wanted) : wanted_(std::move(wanted)) {}
  const char* Name() const override { return "outrider-word-erasers"; }
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context&) override {
    return *wanted_ ? std::make_unique<WordEraser>() : nullptr;
  }

 private:
  const std::shared_ptr<std::atomic<bool>> wanted_;
};

// Breadth first, entries come at the end of one depth and go at the beginning of the one before. The keys of the other
// orders have other lengths; their neighbours come at other times.
class TaskAndDepth final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "outrider-task-and-depth"; }
  bool InDomain(const rocksdb::Slice& key) const override { return key.size() == kKey; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override { return {key.data(), kPrefix}; }

 private:
  static constexpr std::size_t kPrefix = 4 + 2, kKey = kPrefix + 8;
};

// RocksDB's own log would name URLs.
class Silence final : public rocksdb::Logger {
 public:
  Silence() : Logger(rocksdb::InfoLogLevel::FATAL_LEVEL) {}
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::ColumnFamilyOptions tuned(std::size_t family, const std::shared_ptr<std::atomic<bool>>& erases_words) {
  static const auto cache = rocksdb::NewLRUCache(16 << 20);
  rocksdb::ColumnFamilyOptions o;
  o.compression = rocksdb::kLZ4Compression;
  o.level_compaction_dynamic_level_bytes = true;
  o.write_buffer_size = 16 << 20;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = family == kSeen || family == kLinks ? 4096 : 16384;
  table.format_version = 5;
  table.cache_index_and_filter_blocks = true;
  if (family == kLinks) {  // written once, read once in a while: merging it would be all of its cost
    o.compression = rocksdb::kNoCompression;
    o.level_compaction_dynamic_level_bytes = false;
    o.compaction_style = rocksdb::kCompactionStyleFIFO;
    o.compaction_options_fifo.max_table_files_size = kMostLinkBytes;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  } else if (family == kSeen) {
    o.compaction_filter_factory = std::make_shared<WordErasers>(erases_words);
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
    table.pin_top_level_index_and_filter = true;
    o.memtable_prefix_bloom_size_ratio = 0.05;
    o.memtable_whole_key_filtering = true;
  } else {
    // What has been fetched leaves a grave behind; a queue is read from its beginning, where the graves are.
    o.table_properties_collector_factories.push_back(rocksdb::NewCompactOnDeletionCollectorFactory(1024, 512, 0.4));
  }
  // Where a new entry is next to the last one of its kind, its place need not be looked for from the beginning. Links
  // are written in the order of their keys, hundreds at a time.
  if (family == kQueue) o.memtable_insert_with_hint_prefix_extractor = std::make_shared<TaskAndDepth>();
  if (family == kLinks) o.memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(0));
  o.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return o;
}

}  // namespace

Frontier::Database::Database() : erases_words(std::make_shared<std::atomic<bool>>(false)) {}

Frontier::Database::~Database() {
  if (!db) return;
  for (rocksdb::ColumnFamilyHandle* handle : families)
    if (handle != nullptr) db->DestroyColumnFamilyHandle(handle);
}

rocksdb::Status Frontier::Database::open(const std::filesystem::path& folder) {
  rocksdb::DBOptions o;
  o.create_if_missing = o.create_missing_column_families = true;
  o.info_log = std::make_shared<Silence>();
  o.stats_dump_period_sec = 0;
  o.stats_persist_period_sec = 0;
  o.max_total_wal_size = 64 << 20;  // what has to be read again after a crash
  o.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  o.wal_bytes_per_sync = o.bytes_per_sync = 1 << 20;
  o.max_background_jobs = 2;
  o.max_open_files = -1;  // the family of links needs that; there are not many
  o.enable_pipelined_write = false;
  o.keep_log_file_num = 1;
  o.max_manifest_file_size = 1;  // the list of files names keys, and notes are named after hosts: see rewrite()
  std::vector<rocksdb::ColumnFamilyDescriptor> described;
  for (std::size_t i = 0; i < kFamilies; ++i) described.emplace_back(kNames[i], tuned(i, erases_words));
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(o, folder.string(), described, &families, &opened);
  if (status.ok()) db.reset(opened);
  return status;
}

rocksdb::Status Frontier::Database::drop_links() {
  const std::lock_guard lock(rewriting);
  rocksdb::Status status = db->DropColumnFamily(families[kLinks]);
  if (!status.ok()) return status;
  db->DestroyColumnFamilyHandle(families[kLinks]);  // its files go
  families[kLinks] = nullptr;
  return db->CreateColumnFamily(tuned(kLinks, erases_words), kNames[kLinks], &families[kLinks]);
}

// As GraphDb::scrub().
rocksdb::Status Frontier::Database::rewrite(bool without_words) {
  const std::lock_guard lock(rewriting);
  rocksdb::Status status = db->Flush({}, families);  // the log goes with it
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  *erases_words = without_words;
  // Twice: a file that overlaps with no other one is first moved to the lowest level as it is, and rewritten there.
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; status.ok() && i < kLinks; ++i)  // links are never merged, but dropped
      status = db->CompactRange(options, families[i], nullptr, nullptr);
  *erases_words = false;
  // The list of files that was written with this change still begins with the state before it: write the next one.
  if (status.ok()) status = db->Put({}, "rewritten", "");
  if (status.ok()) status = db->Flush({}, families);
  // Files that somebody was reading meanwhile, or that were left for later.
  return status.ok() ? db->EnableFileDeletions(true) : status;
}

Error frontier_failed(std::string_view doing, const rocksdb::Status& status) {
  return Error{ErrorKind::io, Side::self, fmt::format("the robot's frontier: {}: {}", doing, status.ToString())};
}

}  // namespace outrider
