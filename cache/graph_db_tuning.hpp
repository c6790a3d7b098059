// RocksDB's options for the memory; graph_db*.cpp alone include this.
#pragma once

#include "cache/graph_db.hpp"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>

namespace outrider::graph {

struct GraphDb::Tuning {
  explicit Tuning(const GraphOptions& options);
  ~Tuning();
  std::unique_ptr<rocksdb::Env> env;
  rocksdb::DBOptions db;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
};

inline rocksdb::Slice slice(std::string_view text) {
  return {text.data(), text.size()};
}
inline Error trouble(const std::string& why) {
  return Error{ErrorKind::io, Side::self, "the memory: " + why};
}
inline Error is_closed() {
  return trouble("it is closed");
}

// Makes it, for its owner alone.
Result<void> prepare_folder(const std::filesystem::path& folder);
// Where a damaged memory is moved to.
std::filesystem::path damaged_folder(const std::filesystem::path& folder);

}  // namespace outrider::graph
