#include "cache/graph_db.hpp"

#include "base/log.hpp"
#include "cache/graph_db_tuning.hpp"
#include "cache/graph_keys.hpp"

#include <mutex>

namespace outrider::graph {
namespace {

std::string_view view(const rocksdb::Slice& text) {
  return {text.data(), text.size()};
}

// Behind every key that we make.
const std::string& last_key() {
  static const std::string key(64, '\xff');
  return key;
}

}  // namespace

KeyRange KeyRange::of_prefix(std::string_view prefix) {
  return {std::string{prefix}, behind(prefix)};
}

KeyRange KeyRange::of_key(std::string_view key) {
  return {std::string{key}, std::string{key}.append(1, '\0')};
}

GraphDb::~GraphDb() {
  close();
}

// --- reading

Result<std::optional<std::string>> GraphDb::get(Family family, std::string_view key) const {
  const std::shared_lock lock(mutex_);
  if (!db_) return is_closed();
  std::string value;
  const rocksdb::Status status = db_->Get({}, handle(family), slice(key), &value);
  if (status.ok()) return std::optional<std::string>{std::move(value)};
  if (status.IsNotFound()) return std::optional<std::string>{};
  return trouble(status.ToString());
}

Result<void> GraphDb::each(Family family, const KeyRange& range, const Visit& visit, Order order) const {
  const std::shared_lock lock(mutex_);
  if (!db_) return is_closed();
  rocksdb::ReadOptions options;
  const rocksdb::Slice first = slice(range.first);
  options.iterate_lower_bound = &first;
  rocksdb::Slice end;
  if (range.end) {
    end = slice(*range.end);
    options.iterate_upper_bound = &end;
  }
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options, handle(family)));
  if (order == Order::rising) {
    for (at->Seek(first); at->Valid() && visit(view(at->key()), view(at->value())); at->Next()) {
    }
  } else {
    range.end ? at->SeekForPrev(end) : at->SeekToLast();
    for (; at->Valid() && visit(view(at->key()), view(at->value())); at->Prev()) {
    }
  }
  if (!at->status().ok()) return trouble(at->status().ToString());
  return {};
}

std::uint64_t GraphDb::approximate_bytes(Family family, const KeyRange& range) const {
  const std::shared_lock lock(mutex_);
  if (!db_) return 0;
  const std::string& end = range.end ? *range.end : last_key();
  const rocksdb::Range asked(slice(range.first), slice(end));
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = true;
  options.include_files = true;
  std::uint64_t bytes = 0;
  if (!db_->GetApproximateSizes(options, handle(family), &asked, 1, &bytes).ok()) return 0;
  return bytes;
}

// --- writing

void GraphDb::put(rocksdb::WriteBatch& batch, Family family, std::string_view key, std::string_view value) const {
  batch.Put(handle(family), slice(key), slice(value));
}

void GraphDb::erase(rocksdb::WriteBatch& batch, Family family, std::string_view key) const {
  batch.Delete(handle(family), slice(key));
}

void GraphDb::erase(rocksdb::WriteBatch& batch, Family family, const KeyRange& range) const {
  batch.DeleteRange(handle(family), slice(range.first), slice(range.end ? *range.end : last_key()));
}

Result<void> GraphDb::write(rocksdb::WriteBatch& batch) {
  const std::shared_lock lock(mutex_);
  if (!db_ || read_only()) return is_closed();
  if (failed_) return trouble("writing failed before, and the disk is not well again yet");
  unsynced_ = true;
  return noted(db_->Write({}, &batch));
}

// A log that could not be written must not be touched again (RocksDB asserts that), not even to sync it.
Result<void> GraphDb::noted(const rocksdb::Status& status) {
  if (status.ok()) return {};
  if (!failed_.exchange(true)) log::warn(Room::cache, "memory_write_failed", {{"reason", status.ToString()}});
  return trouble(status.ToString());
}

bool GraphDb::sync() {
  const std::shared_lock lock(mutex_);
  if (!db_ || failed_ || read_only()) return false;
  return !unsynced_.exchange(false) || noted(db_->SyncWAL()).has_value();
}

void GraphDb::compact(Family family) {
  const std::shared_lock lock(mutex_);
  const std::lock_guard alone(merging_);
  if (db_ && !failed_ && !read_only()) db_->CompactRange({}, handle(family), nullptr, nullptr);
}

bool GraphDb::recover() {
  const std::unique_lock lock(mutex_);
  if (!db_ && failed_) return prepare_folder(options_.folder) && open_now().ok();
  if (!db_ || !failed_) return !failed_;
  // RocksDB's own recovery may be stuck for lack of space, and its log must not be touched: from what is on disk.
  close_locked();
  return open_now().ok();
}

void GraphDb::give_up() {
  const std::unique_lock lock(mutex_);
  failed_ = true;
  close_locked();
  was_open_ = false;
}

void GraphDb::close() {
  const std::unique_lock lock(mutex_);
  close_locked();
  failed_ = false;
}

void GraphDb::close_locked() {
  if (!db_) return;
  if (!failed_ && !read_only()) db_->Flush({}, {handles_.begin(), handles_.end()});
  for (rocksdb::ColumnFamilyHandle*& each : handles_)
    if (each != nullptr) db_->DestroyColumnFamilyHandle(std::exchange(each, nullptr));
  db_->Close();
  db_.reset();
}

// --- measuring

std::uint64_t GraphDb::keys_estimate(Family family) const {
  const std::shared_lock lock(mutex_);
  std::uint64_t count = 0;
  if (db_) db_->GetIntProperty(handle(family), rocksdb::DB::Properties::kEstimateNumKeys, &count);
  return count;
}

std::uint64_t GraphDb::disk_bytes(Family family) const {
  const std::shared_lock lock(mutex_);
  return bytes_of(family);
}

std::uint64_t GraphDb::bytes_of(Family family) const {
  std::uint64_t bytes = 0;
  if (db_) db_->GetIntProperty(handle(family), rocksdb::DB::Properties::kTotalSstFilesSize, &bytes);
  return bytes;
}

std::uint64_t GraphDb::disk_bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t each = 0; each < kFamilies; ++each) bytes += disk_bytes(static_cast<Family>(each));
  return bytes;
}

}  // namespace outrider::graph
