// RocksDB's files, read with patience or without: while a thread holds a NoWaiting, its reads deliver only what the
// system has in memory, and fail with Busy where they would have to wait for the disk. So an I/O thread can ask the
// index itself whenever the answer is there, whether in RocksDB's cache or in the system's.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

namespace outrider {

class NoWaiting {
 public:
  NoWaiting() { active_ = true; }
  ~NoWaiting() { active_ = false; }
  NoWaiting(const NoWaiting&) = delete;
  NoWaiting& operator=(const NoWaiting&) = delete;
  static bool active() { return active_; }

 private:
  static inline thread_local bool active_ = false;
};

std::shared_ptr<rocksdb::FileSystem> make_index_files();

}  // namespace outrider
