// Pages that wait for the full-text index, in the memory's database: queued in the batch that wrote the page, removed
// when the index has them for good. So nothing is lost by a crash between the two.
#pragma once

#include "cache/graph_db.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::graph {

class IndexQueue {
 public:
  enum class Lane : char { visited = '0', others = '1', links = '2', removal = '9' };

  explicit IndexQueue(GraphDb& db) : db_(db) {}
  Result<void> open();

  // Puts the page at the end of a lane; `ticket` is its former place ("" = none), which it gives up, and becomes its
  // new one.
  void add(rocksdb::WriteBatch& batch, Lane lane, std::string_view page_key, std::string& ticket);
  void drop(rocksdb::WriteBatch& batch, std::string& ticket) const;

  Result<std::vector<IndexItem>> next(std::size_t limit, bool only_visited) const;
  Result<std::vector<IndexItem>> next_removals(std::size_t limit) const;  // of pages that are still gone
  // Pages with new links: what these say belongs into the entries of other pages (graph_link_news).
  Result<std::vector<IndexItem>> next_with_links(std::size_t limit) const;
  bool has(std::string_view ticket) const;
  Result<void> done(std::span<const std::string> tickets) const;
  std::uint64_t size() const;  // estimated

  // Called, from some thread, when a page was queued and its batch is written.
  void set_wake(std::function<void()> wake);
  void wake() const;

 private:
  Result<void> collect(Lane lane, std::size_t limit, std::vector<IndexItem>& items) const;

  GraphDb& db_;
  std::atomic<std::uint64_t> next_{1};
  mutable std::mutex wake_mutex_;
  std::function<void()> wake_;
};

}  // namespace outrider::graph
