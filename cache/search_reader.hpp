// Answers queries from the index, on any number of threads, while somebody else writes it: each query takes a handle
// of its own from a small pool and brings it up to date, which costs microseconds if nothing changed.
#pragma once

#include "plugins/api/memory.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace Xapian {
class Database;
}

namespace outrider {

struct SearchQuery;

// The text of a page, for the snippet; "" if it is no longer there. Only asked for pages that the viewer may see.
struct SearchTextRef {
  std::string url, owner;
  bool personal = false;
};
using SearchTextOf = std::function<std::string(const SearchTextRef&)>;

class SearchReader {
 public:
  static constexpr std::size_t kMaxLimit = 100, kMaxOffset = 1000;

  explicit SearchReader(SearchTextOf text_of, const Clock& clock = Clock::system());
  ~SearchReader();

  // From now on queries go to this database; those that run finish on the one before.
  void use(const std::filesystem::path& database);

  // Never throws. `damaged()` is true after a query met a broken file.
  Result<SearchAnswer> query(const Viewer& viewer, const SearchRequest& request, WallTime now) const;
  bool damaged() const { return damaged_.load(std::memory_order_relaxed); }

 private:
  class Lease;
  SearchAnswer answer(const Xapian::Database& database, const Viewer& viewer, const SearchRequest& request,
                      const SearchQuery& query, WallTime now) const;

  SearchTextOf text_of_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Xapian::Database>> idle_;  // handles of `database_`
  std::filesystem::path database_;
  std::uint64_t generation_ = 0;  // of `database_`
  mutable std::atomic<bool> damaged_{false};
};

}  // namespace outrider
