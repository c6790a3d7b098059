// RocksDB as the memory uses it: column families by name, ranges, atomic batches, and erasing that leaves no trace.
// Knows nothing of what the records mean. Any thread.
#pragma once

#include "base/error.hpp"
#include "cache/graph_types.hpp"

#include <rocksdb/write_batch.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace rocksdb {
class ColumnFamilyHandle;
class DB;
class Env;
class Status;
struct ColumnFamilyOptions;
struct DBOptions;
}  // namespace rocksdb

namespace outrider::graph {

// Their names on disk are in graph_db_open.cpp. `meta` is RocksDB's "default".
enum class Family : std::uint8_t { meta, nodes, texts, bodies, links_out, links_in, visits, events, queue };
inline constexpr std::size_t kFamilies = 9;

// first <= key < end; no end = to the last key.
struct KeyRange {
  std::string first;
  std::optional<std::string> end;
  static KeyRange of_prefix(std::string_view prefix);
  static KeyRange of_key(std::string_view key);
  static KeyRange all() { return {}; }
};

class GraphDb {
 public:
  static Result<std::unique_ptr<GraphDb>> open(const GraphOptions& options);
  // Closed, as after a failed write: recover() opens it when that has become possible.
  static std::unique_ptr<GraphDb> open_later(const GraphOptions& options);
  ~GraphDb();
  GraphDb(const GraphDb&) = delete;
  GraphDb& operator=(const GraphDb&) = delete;

  // --- reading
  Result<std::optional<std::string>> get(Family family, std::string_view key) const;
  enum class Order : std::uint8_t { rising, falling };
  // Until `visit` says false. Keys and values are views that end with the call.
  using Visit = std::function<bool(std::string_view key, std::string_view value)>;
  Result<void> each(Family family, const KeyRange& range, const Visit& visit, Order order = Order::rising) const;
  std::uint64_t approximate_bytes(Family family, const KeyRange& range) const;

  // --- writing: everything in the batch or nothing. Not while recover() or close() runs: GraphCore::forgetting sees to
  // it.
  void put(rocksdb::WriteBatch& batch, Family family, std::string_view key, std::string_view value) const;
  void erase(rocksdb::WriteBatch& batch, Family family, std::string_view key) const;
  void erase(rocksdb::WriteBatch& batch, Family family, const KeyRange& range) const;
  Result<void> write(rocksdb::WriteBatch& batch);
  bool sync();
  // Afterwards no file contains anything that was removed from these ranges or changed in them.
  struct Touched {
    Family family;
    KeyRange range;
  };
  Result<void> scrub(const std::vector<Touched>& touched);
  void compact(Family family);  // gives the space of removed things back to the disk
  // After a write failed: tries again, from what is on disk if there is no other way. True: it can be written to.
  bool recover();
  bool failed() const { return failed_; }
  bool was_open() const { return was_open_; }  // at some time since the program began
  void give_up();                              // until the next recover()
  bool read_only() const { return options_.read_only; }
  void close();

  std::uint64_t keys_estimate(Family family) const;
  std::uint64_t disk_bytes() const;  // of all files but the log
  std::uint64_t disk_bytes(Family family) const;

 private:
  explicit GraphDb(const GraphOptions& options);
  rocksdb::Status open_now();
  Result<void> noted(const rocksdb::Status& status);
  rocksdb::ColumnFamilyHandle* handle(Family family) const { return handles_[static_cast<std::size_t>(family)]; }
  void close_locked();
  rocksdb::Status rewrite(const Touched& place);
  rocksdb::Status rewrite_whole(Family which);
  rocksdb::Status rewrite_range(const Touched& place);
  std::uint64_t bytes_of(Family family) const;  // the lock is held

  const GraphOptions options_;
  struct Tuning;
  std::unique_ptr<Tuning> tuning_;
  mutable std::shared_mutex mutex_;  // db_ and handles_: exchanged by recover() and close()
  std::mutex merging_;               // one at a time of those that we ask for: they would be in each other's way
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilies> handles_{};
  std::atomic<bool> was_open_{false};
  std::atomic<bool> failed_{false};    // writing did, and recover() has not helped yet
  std::atomic<bool> unsynced_{false};  // something was written since the last sync()
};

}  // namespace outrider::graph
