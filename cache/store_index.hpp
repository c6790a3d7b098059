// The index of the disk tier: key → record (store_codec.hpp), in RocksDB. Knows nothing of what the records mean.
// Reading is for any thread; changing for the writer thread alone. Written without fsync: what has been handed over
// survives the end of the process, not of the power; sync() is for those who promise more.
#pragma once

#include "base/error.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rocksdb {
class DB;
class Status;
}  // namespace rocksdb

namespace outrider {

class StoreIndex {
 public:
  struct Budget {
    std::size_t block_cache = 8 << 20;
    std::size_t write_buffer = 4 << 20;  // there are at most two; also bounds the log that is replayed after a crash
  };
  // Values of which `gone` is true are not there any more: they are not found, and vanish when their files are
  // rewritten. Once true, always true; asked by any thread.
  using Gone = std::function<bool(std::string_view value)>;
  StoreIndex(std::filesystem::path folder, Budget budget, Gone gone = nullptr);
  ~StoreIndex();
  enum class Outcome : std::uint8_t { done, failed, damaged };
  // Until it is open, reading and writing fail. When it is damaged, wipe() is the way out.
  Outcome open(std::string& why);

  struct Got {
    enum class State : std::uint8_t { found, absent, must_wait, failed };
    State state = State::absent;
    std::string value;
  };
  Got get_now(std::string_view key) const;  // only what is in memory, RocksDB's or the system's
  Got get(std::string_view key) const;
  std::vector<Got> get_all(std::span<const std::string_view> keys) const;  // costs less than one by one

  struct Change {
    std::string key;
    std::optional<std::string> value;  // nothing = the key goes
  };
  Outcome write(std::span<const Change> changes, std::string& why);  // all or none
  bool sync();

  // first <= key < past_last (nothing = to the end), in order; until `visit` says false. False: something could not be
  // read.
  using Visit = std::function<bool(std::string_view key, std::string_view value)>;
  bool each(std::string_view first, const std::optional<std::string>& past_last, const Visit& visit) const;

  bool flush();
  bool leave_out();  // what is gone, everywhere; takes its time
  // Afterwards no file contains anything of keys in this range that have been removed or changed.
  bool forget(std::string_view first, const std::optional<std::string>& past_last);
  // After open() or write() failed, when the disk may be well again.
  bool resume();
  bool wipe();  // everything away, ready for use
  void close();

  std::uint64_t disk_bytes() const;  // without the log, which is bounded by the write buffers
  std::uint64_t entries_estimate() const;
  // Read from disk by the calling thread since it began to count: for measurements.
  static void count_reads();
  static std::uint64_t reads();

 private:
  bool usable() const { return db_ && !failed_; }
  bool noted(const rocksdb::Status& status);
  bool is_gone(std::string_view value) const;

  const std::filesystem::path folder_;
  const Budget budget_;
  const Gone gone_;
  struct Tuning;
  std::unique_ptr<Tuning> tuning_;
  mutable std::shared_mutex mutex_;  // db_: exchanged by wipe() and close()
  std::unique_ptr<rocksdb::DB> db_;
  std::atomic<bool> failed_{false};  // writing did, and resume() has not helped yet
};

}  // namespace outrider
