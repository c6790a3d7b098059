// The frontier's database (RocksDB): its families, how they are tuned, and how what is gone from the records leaves the
// files. Of the frontier's sources alone.
#pragma once

#include "robot/frontier.hpp"

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string_view>

namespace outrider {

struct Frontier::Database {
  // What is looked up by point and what is read in order are tuned differently.
  // In the family of tasks: 't' task → record; 's' task → statistics; 'v' task, time, id → entry that is due then;
  // 'n' name → note; "secret".
  // In the family of links: id of a page → its links (known_links.hpp), whichever task found them. What is oldest goes
  // when it grows too large.
  enum Family : std::size_t { kTasks, kQueue, kSeen, kLinks, kFamilies };

  Database();
  ~Database();
  rocksdb::Status open(const std::filesystem::path& folder);
  rocksdb::ColumnFamilyHandle* of(Family family) const { return families[family]; }
  // Rewrites all files: afterwards none contains anything that was removed or replaced before. Any thread.
  rocksdb::Status rewrite(bool without_words);
  rocksdb::Status drop_links();  // on the robot's thread

  std::mutex rewriting;  // one at a time
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  std::unique_ptr<rocksdb::WriteBatch> spare;  // of the batch before: it has room already
  std::atomic<bool> broken = false;            // a write failed: its log must not be touched before it has recovered
  const std::shared_ptr<std::atomic<bool>> erases_words;  // whoever merges files leaves out the words of rejections
};

inline rocksdb::Slice slice(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string_view view(const rocksdb::Slice& text) {
  return {text.data(), text.size()};
}

Error frontier_failed(std::string_view doing, const rocksdb::Status& status);

}  // namespace outrider
