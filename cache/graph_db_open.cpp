#include "base/log.hpp"
#include "cache/graph_db.hpp"
#include "cache/graph_db_tuning.hpp"

#include <sys/stat.h>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

namespace outrider::graph {
namespace {

namespace fs = std::filesystem;

// On disk: never change one.
constexpr std::array<const char*, kFamilies> kNames = {"default",  "nodes",  "texts",  "bodies", "links_out",
                                                       "links_in", "visits", "events", "queue"};

// RocksDB's own log would name keys, that is, what people have read.
class Silence final : public rocksdb::Logger {
 public:
  Silence() : Logger(rocksdb::InfoLogLevel::FATAL_LEVEL) {}
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

// Every file is for its owner alone, whatever the umask of the program is.
class PrivateFiles final : public rocksdb::FileSystemWrapper {
 public:
  PrivateFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "outrider-private-files"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    return only_owner(FileSystemWrapper::NewWritableFile(name, options, result, debug), name);
  }
  rocksdb::IOStatus LockFile(const std::string& name, const rocksdb::IOOptions& options, rocksdb::FileLock** lock,
                             rocksdb::IODebugContext* debug) override {
    return only_owner(FileSystemWrapper::LockFile(name, options, lock, debug), name);
  }

 private:
  static rocksdb::IOStatus only_owner(rocksdb::IOStatus status, const std::string& name) {
    if (status.ok()) ::chmod(name.c_str(), S_IRUSR | S_IWUSR);
    return status;
  }
};

bool is_damage(const rocksdb::Status& status) {
  // A file that should be there and is not (path not found) is damage, too; a full disk or a held lock is not.
  return status.IsCorruption() || status.IsPathNotFound();
}

// There is something in it that we do not know, and that RocksDB does not open without: a newer version wrote it.
bool is_of_another_version(const rocksdb::Status& status) {
  return status.IsInvalidArgument() || status.IsNotSupported();
}

Error cannot_open(const fs::path& folder, const std::string& why) {
  return Error{ErrorKind::io, Side::self, "cannot open the memory in " + folder.string() + ": " + why};
}

// At most one damaged memory is kept aside: the newest.
bool move_aside(const fs::path& folder) {
  std::error_code failed;
  const fs::path aside = damaged_folder(folder);
  fs::remove_all(aside, failed);
  fs::rename(folder, aside, failed);
  return !failed;
}

}  // namespace

fs::path damaged_folder(const fs::path& folder) {
  return folder.string() + ".damaged";
}

Result<void> prepare_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (!failed) fs::permissions(folder, fs::perms::owner_all, failed);
  if (failed) return cannot_open(folder, failed.message());
  return {};
}

GraphDb::Tuning::Tuning(const GraphOptions& options) : env(rocksdb::NewCompositeEnv(std::make_shared<PrivateFiles>())) {
  db.create_if_missing = true;
  db.create_missing_column_families = true;
  db.env = env.get();
  db.info_log = std::make_shared<Silence>();
  db.stats_dump_period_sec = 0;
  db.stats_persist_period_sec = 0;
  // All families are flushed together: what the log has lost after a power failure is then lost from all of them alike.
  db.atomic_flush = true;
  db.max_total_wal_size = 4 * options.write_buffer;
  db.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  db.wal_bytes_per_sync = db.bytes_per_sync = 1 << 20;
  db.max_open_files = 1024;
  db.skip_checking_sst_file_sizes_on_db_open = true;
  // The list of files names their first and last keys. It is rewritten at every change, so that it does not remember
  // keys that are gone (scrub()).
  db.max_manifest_file_size = 1;
  db.max_background_jobs = 2;
  db.max_subcompactions = 2;

  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(options.block_cache, -1, false, 0.6);
  table.block_size = 16 * 1024;
  table.format_version = 5;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.metadata_block_size = 4096;
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.pin_top_level_index_and_filter = true;

  rocksdb::ColumnFamilyOptions usual;
  usual.write_buffer_size = options.write_buffer;
  usual.max_write_buffer_number = 3;
  usual.compression = options.compress ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
  // What was written a moment ago will be merged soon, and compressed then.
  if (options.compress) usual.compression_per_level = {rocksdb::kNoCompression, usual.compression};
  usual.bottommost_compression = options.compress ? rocksdb::kZSTD : rocksdb::kNoCompression;
  usual.bottommost_compression_opts.enabled = true;
  usual.bottommost_compression_opts.level = 1;  // half the time of the usual level for a few percent more bytes
  usual.level_compaction_dynamic_level_bytes = true;
  usual.level0_file_num_compaction_trigger = 8;  // each merging rewrites most of what is there
  usual.target_file_size_base = 32 << 20;
  usual.max_bytes_for_level_base = 256 << 20;
  usual.table_properties_collector_factories.push_back(rocksdb::NewCompactOnDeletionCollectorFactory(1024, 512, 0.4));
  usual.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  for (const char* name : kNames) families.emplace_back(name, usual);
  // Nobody asks for a single key here: no filters.
  table.filter_policy.reset();
  table.partition_filters = false;
  for (const Family family : {Family::links_in, Family::events, Family::queue})
    families[static_cast<std::size_t>(family)].options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  // "What links here" looks into every file that was not merged yet.
  families[static_cast<std::size_t>(Family::links_in)].options.level0_file_num_compaction_trigger = 4;
  // They do not live long.
  for (const Family family : {Family::events, Family::queue})
    families[static_cast<std::size_t>(family)].options.bottommost_compression = usual.compression;
}

GraphDb::Tuning::~Tuning() = default;

GraphDb::GraphDb(const GraphOptions& options) : options_(options), tuning_(std::make_unique<Tuning>(options)) {}

rocksdb::Status GraphDb::open_now() {
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* database = nullptr;
  const std::string folder = options_.folder.string();
  const rocksdb::Status status =
      options_.read_only ? rocksdb::DB::OpenForReadOnly(tuning_->db, folder, tuning_->families, &handles, &database)
                         : rocksdb::DB::Open(tuning_->db, folder, tuning_->families, &handles, &database);
  if (!status.ok()) return status;
  db_.reset(database);
  std::copy(handles.begin(), handles.end(), handles_.begin());
  failed_ = false;
  was_open_ = true;
  return status;
}

std::unique_ptr<GraphDb> GraphDb::open_later(const GraphOptions& options) {
  std::unique_ptr<GraphDb> db(new GraphDb(options));
  db->failed_ = true;
  return db;
}

Result<std::unique_ptr<GraphDb>> GraphDb::open(const GraphOptions& options) {
  std::error_code failed;
  if (options.read_only) {
    if (!fs::exists(options.folder / "CURRENT", failed))
      return Error{ErrorKind::not_found, Side::self, "there is no memory in " + options.folder.string()};
  } else {
    if (Result<void> made = prepare_folder(options.folder); !made) return made.error();
  }
  std::unique_ptr<GraphDb> db(new GraphDb(options));
  rocksdb::Status status = db->open_now();
  if (!status.ok() && is_damage(status) && !options.read_only && move_aside(options.folder)) {
    log::warn(Room::cache, "memory_damaged",
              {{"reason", status.ToString()}, {"moved_to", damaged_folder(options.folder).string()}});
    if (Result<void> made = prepare_folder(options.folder); !made) return made.error();
    status = db->open_now();
  }
  if (!status.ok() && is_of_another_version(status)) {
    return Error{ErrorKind::unsupported, Side::self,
                 "cannot open the memory in " + options.folder.string() + ": another version of Outrider wrote it (" +
                     status.ToString() + "); run that one, or move the folder away to begin a new memory"};
  }
  if (!status.ok()) return cannot_open(options.folder, status.ToString());
  return db;
}

}  // namespace outrider::graph
