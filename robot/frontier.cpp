#include "robot/frontier.hpp"

#include "robot/strategies/strategy.hpp"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace outrider {
namespace {

// Column families: what is looked up by point and what is read in order are tuned differently.
enum Family : std::size_t { kTasks, kQueue, kSeen, kFamilies };
constexpr std::array<const char*, kFamilies> kNames{"default", "queue", "seen"};

// In the family of tasks: 't' task → record; 's' task → statistics; 'v' task, time, id → entry that is due then;
// 'n' name → note; "secret".
constexpr std::string_view kSecret = "secret";

rocksdb::Slice slice(std::string_view text) {
  return {text.data(), text.size()};
}
std::string_view view(const rocksdb::Slice& text) {
  return {text.data(), text.size()};
}

Error failed(std::string_view doing, const rocksdb::Status& status) {
  return Error{ErrorKind::io, Side::self, fmt::format("the robot's frontier: {}: {}", doing, status.ToString())};
}

// RocksDB's own log would name URLs.
class Silence final : public rocksdb::Logger {
 public:
  Silence() : Logger(rocksdb::InfoLogLevel::FATAL_LEVEL) {}
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::ColumnFamilyOptions tuned(Family family) {
  static const auto cache = rocksdb::NewLRUCache(16 << 20);
  rocksdb::ColumnFamilyOptions o;
  o.compression = rocksdb::kLZ4Compression;
  o.level_compaction_dynamic_level_bytes = true;
  o.write_buffer_size = 16 << 20;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = family == kSeen ? 4096 : 16384;
  table.format_version = 5;
  table.cache_index_and_filter_blocks = true;
  if (family == kSeen) {
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
  o.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return o;
}

std::string record_key(char kind, TaskId task) {
  return kind + task_prefix(task);
}

std::string due_key(TaskId task, WallTime due) {
  std::string key = record_key('v', task);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(due.time_since_epoch()).count();
  append_rising(key, static_cast<std::uint64_t>(std::max<std::int64_t>(millis, 0)), 8);
  return key;
}

}  // namespace

struct Frontier::Database {
  ~Database() {
    if (!db) return;
    for (rocksdb::ColumnFamilyHandle* handle : families) db->DestroyColumnFamilyHandle(handle);
  }
  rocksdb::ColumnFamilyHandle* of(Family family) const { return families[family]; }
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  bool broken = false;  // a write failed: its log must not be touched before it has recovered
};

Frontier::Frontier() : db_(std::make_unique<Database>()) {}
Frontier::~Frontier() = default;

Result<std::unique_ptr<Frontier>> Frontier::open(const std::filesystem::path& folder) {
  std::error_code not_made;
  std::filesystem::create_directories(folder, not_made);
  if (not_made) return Error{ErrorKind::io, Side::self, fmt::format("{}: {}", folder.string(), not_made.message())};
  rocksdb::DBOptions o;
  o.create_if_missing = o.create_missing_column_families = true;
  o.info_log = std::make_shared<Silence>();
  o.stats_dump_period_sec = 0;
  o.stats_persist_period_sec = 0;
  o.max_total_wal_size = 64 << 20;  // what has to be read again after a crash
  o.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  o.wal_bytes_per_sync = o.bytes_per_sync = 1 << 20;
  o.max_background_jobs = 2;
  o.max_open_files = 256;
  o.enable_pipelined_write = false;
  o.keep_log_file_num = 1;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (std::size_t i = 0; i < kFamilies; ++i) families.emplace_back(kNames[i], tuned(static_cast<Family>(i)));
  std::unique_ptr<Frontier> frontier{new Frontier};
  rocksdb::DB* db = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(o, folder.string(), families, &frontier->db_->families, &db);
  if (!status.ok()) return failed("cannot be opened", status);
  frontier->db_->db.reset(db);

  std::string secret;
  status = db->Get({}, slice(kSecret), &secret);
  if (status.IsNotFound()) {
    const SipKey made = SipKey::random();
    secret.assign(reinterpret_cast<const char*>(&made), sizeof made);
    rocksdb::WriteOptions synced;
    synced.sync = true;
    status = db->Put(synced, slice(kSecret), slice(secret));
  }
  if (!status.ok() || secret.size() != sizeof(SipKey)) return failed("has no secret", status);
  std::memcpy(&frontier->naming_.secret, secret.data(), sizeof(SipKey));
  return frontier;
}

// --- changes

struct Frontier::Batch::State {
  State(Frontier& f, TaskId t) : frontier(f), task(t) {}
  Frontier& frontier;
  TaskId task;
  rocksdb::WriteBatch writes;
  std::vector<std::pair<UrlId, SeenMark>> marks;
  bool anew = false;
};

Frontier::Batch::Batch(Frontier& frontier, TaskId task) : state_(new State(frontier, task)) {}
Frontier::Batch::~Batch() = default;

void Frontier::Batch::note(const UrlId& id, const SeenRecord& record) {
  const Database& db = *state_->frontier.db_;
  state_->writes.Put(db.of(kSeen), slice(seen_key(state_->task, id)), slice(encode_seen(record)));
  state_->marks.emplace_back(id, SeenMark{record.state, record.reason, record.remaining});
}

void Frontier::Batch::enqueue(const QueueEntry& entry, std::uint32_t in_degree) {
  const Database& db = *state_->frontier.db_;
  state_->writes.Put(db.of(kQueue), slice(task_prefix(state_->task) + entry.key), slice(encode_entry(entry)));
  SeenRecord seen;
  seen.state = UrlFate::State::queued;
  seen.remaining = entry.remaining;
  seen.in_degree = in_degree;
  seen.key = entry.key;
  note(entry.id, seen);
}

void Frontier::Batch::update(const QueueEntry& entry, const SeenRecord& seen) {
  const Database& db = *state_->frontier.db_;
  state_->writes.Put(db.of(kQueue), slice(task_prefix(state_->task) + entry.key), slice(encode_entry(entry)));
  note(entry.id, seen);
}

void Frontier::Batch::move(const QueueEntry& entry, std::string_view from, SeenRecord seen) {
  const Database& db = *state_->frontier.db_;
  state_->writes.Delete(db.of(kQueue), slice(task_prefix(state_->task) + std::string{from}));
  seen.key = entry.key;
  update(entry, seen);
}

void Frontier::Batch::finish(const QueueEntry& entry, UrlFate::State state, Reason reason, std::string_view detail) {
  const Database& db = *state_->frontier.db_;
  state_->writes.Delete(db.of(kQueue), slice(task_prefix(state_->task) + entry.key));
  SeenRecord seen;
  seen.state = state;
  seen.reason = reason;
  seen.remaining = entry.remaining;
  seen.detail = detail;
  note(entry.id, seen);
}

void Frontier::Batch::reject(const UrlId& id, Reason reason, std::string_view detail) {
  SeenRecord seen;
  seen.state = UrlFate::State::rejected;
  seen.reason = reason;
  seen.detail = detail;
  note(id, seen);
}

void Frontier::Batch::schedule(WallTime due, const QueueEntry& entry) {
  std::string key = due_key(state_->task, due);
  append_rising(key, entry.id.high, 8);
  append_rising(key, entry.id.low, 8);
  state_->writes.Put(slice(key), slice(encode_entry(entry)));
}

void Frontier::Batch::unschedule(std::string_view key) {
  state_->writes.Delete(slice(key));
}

void Frontier::Batch::begin_anew() {
  const Database& db = *state_->frontier.db_;
  const std::string begin = task_prefix(state_->task), end = task_prefix(state_->task + 1);
  state_->writes.DeleteRange(db.of(kQueue), slice(begin), slice(end));
  state_->writes.DeleteRange(db.of(kSeen), slice(begin), slice(end));
  state_->writes.DeleteRange(slice('v' + begin), slice('v' + end));
  state_->anew = true;
}

void Frontier::Batch::save(std::string_view record) {
  state_->writes.Put(slice(record_key('t', state_->task)), slice(record));
}

void Frontier::Batch::save(const TaskStatistics& statistics) {
  state_->writes.Put(slice(record_key('s', state_->task)), slice(encode_statistics(statistics)));
}

Result<void> Frontier::Batch::commit() {
  const rocksdb::Status status = state_->frontier.db_->db->Write({}, &state_->writes);
  if (!status.ok()) {
    state_->frontier.db_->broken = true;
    return failed("cannot be written", status);
  }
  if (state_->anew) state_->frontier.cache_.forget(state_->task);
  for (const auto& [id, mark] : state_->marks) state_->frontier.cache_.put(state_->task, id, mark);
  return {};
}

Result<void> Frontier::remove(TaskId task) {
  rocksdb::WriteBatch writes;
  const std::string begin = task_prefix(task), end = task_prefix(task + 1);
  writes.DeleteRange(db_->of(kQueue), slice(begin), slice(end));
  writes.DeleteRange(db_->of(kSeen), slice(begin), slice(end));
  writes.DeleteRange(slice('v' + begin), slice('v' + end));
  writes.Delete(slice(record_key('t', task)));
  writes.Delete(slice(record_key('s', task)));
  const rocksdb::Status status = db_->db->Write({}, &writes);
  if (!status.ok()) return failed("cannot be written", status);
  cache_.forget(task);
  return {};
}

void Frontier::flush() {
  if (!db_->broken) db_->db->FlushWAL(true);
}

// A database that could not write refuses to until it is asked to go on.
void Frontier::recover() {
  if (db_->broken) db_->broken = !db_->db->Resume().ok();
}

// --- reading

Result<std::vector<StoredTask>> Frontier::tasks() const {
  std::vector<StoredTask> all;
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator({}, db_->of(kTasks))};
  for (it->Seek("t"); it->Valid() && view(it->key()).starts_with('t'); it->Next()) {
    if (it->key().size() != 5) continue;
    StoredTask task;
    for (const char byte : view(it->key()).substr(1)) task.id = task.id << 8 | static_cast<unsigned char>(byte);
    task.record = view(it->value());
    std::string statistics;
    if (db_->db->Get({}, slice(record_key('s', task.id)), &statistics).ok())
      task.statistics = decode_statistics(statistics).value_or(TaskStatistics{});
    all.push_back(std::move(task));
  }
  if (!it->status().ok()) return failed("cannot be read", it->status());
  return all;
}

std::vector<std::pair<std::string, QueueEntry>> Frontier::due(TaskId task, WallTime now, std::size_t limit) const {
  std::vector<std::pair<std::string, QueueEntry>> found;
  const std::string begin = record_key('v', task), end = due_key(task, now + std::chrono::milliseconds{1});
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator({}, db_->of(kTasks))};
  for (it->Seek(begin); it->Valid() && view(it->key()) < end && found.size() < limit; it->Next())
    if (std::optional<QueueEntry> entry = decode_entry("", view(it->value())))
      found.emplace_back(it->key().ToString(), std::move(*entry));
  return found;
}

std::optional<WallTime> Frontier::next_due(TaskId task) const {
  const std::string begin = record_key('v', task);
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator({}, db_->of(kTasks))};
  it->Seek(begin);
  if (!it->Valid() || !view(it->key()).starts_with(begin) || it->key().size() < begin.size() + 8) return std::nullopt;
  std::int64_t millis = 0;
  for (const char byte : view(it->key()).substr(begin.size(), 8))
    millis = millis << 8 | static_cast<unsigned char>(byte);
  return WallTime{std::chrono::milliseconds{millis}};
}

std::vector<std::pair<std::string, std::string>> Frontier::notes(std::string_view prefix) const {
  std::vector<std::pair<std::string, std::string>> found;
  const std::string begin = 'n' + std::string{prefix};
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator({}, db_->of(kTasks))};
  for (it->Seek(begin); it->Valid() && view(it->key()).starts_with(begin); it->Next())
    found.emplace_back(view(it->key()).substr(1), view(it->value()));
  return found;
}

void Frontier::remove_note(std::string_view name) {
  db_->db->Delete({}, slice('n' + std::string{name}));
}

std::optional<std::string> Frontier::note(std::string_view name) const {
  std::string value;
  if (!db_->db->Get({}, slice('n' + std::string{name}), &value).ok()) return std::nullopt;
  return value;
}

// A note that cannot be written is learnt again.
void Frontier::set_note(std::string_view name, std::string_view record) {
  db_->db->Put({}, slice('n' + std::string{name}), slice(record));
}

void Frontier::look_up(TaskId task, std::span<const UrlId> ids, std::span<SeenMark> marks) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (const SeenMark* mark = cache_.find(task, ids[i])) {
      marks[i] = *mark;
    } else {
      missing.push_back(i);
    }
  }
  if (missing.empty()) return;
  std::vector<std::string> keys;
  keys.reserve(missing.size());
  for (const std::size_t i : missing) keys.push_back(seen_key(task, ids[i]));
  std::vector<rocksdb::Slice> slices{keys.begin(), keys.end()};
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> states(keys.size());
  db_->db->MultiGet({}, db_->of(kSeen), keys.size(), slices.data(), values.data(), states.data());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    SeenMark& mark = marks[missing[i]];
    mark = {};
    if (!states[i].ok()) continue;
    const std::optional<SeenRecord> record = decode_seen(view(values[i]));
    if (!record) continue;
    mark = {record->state, record->reason, record->remaining};
    cache_.put(task, ids[missing[i]], mark);
  }
}

std::optional<SeenRecord> Frontier::seen(TaskId task, const UrlId& id) const {
  std::string value;
  if (!db_->db->Get({}, db_->of(kSeen), slice(seen_key(task, id)), &value).ok()) return std::nullopt;
  return decode_seen(value);
}

std::optional<QueueEntry> Frontier::entry(TaskId task, std::string_view key) const {
  std::string value;
  const std::string full = task_prefix(task) + std::string{key};
  if (!db_->db->Get({}, db_->of(kQueue), slice(full), &value).ok()) return std::nullopt;
  return decode_entry(key, value);
}

bool Frontier::load(TaskId task, std::string_view after, std::size_t limit, std::vector<QueueEntry>& out) const {
  const std::string prefix = task_prefix(task), end = task_prefix(task + 1);
  const rocksdb::Slice bound = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &bound;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator(options, db_->of(kQueue))};
  // The shortest key that is greater than `after`.
  for (it->Seek(after.empty() ? prefix : prefix + std::string{after} + '\0'); it->Valid(); it->Next()) {
    if (limit == 0) return true;
    --limit;
    std::optional<QueueEntry> entry = decode_entry(view(it->key()).substr(prefix.size()), view(it->value()));
    if (entry) out.push_back(std::move(*entry));
  }
  return false;
}

}  // namespace outrider
