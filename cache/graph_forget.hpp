// Forgetting: what a person wants gone is removed from every record that mentions it, and then from every file.
// While the records are changed nobody else writes; rewriting the files goes on beside the others' work.
#pragma once

#include "cache/graph_core.hpp"
#include "cache/graph_visits.hpp"
#include "cache/graph_writer.hpp"

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::graph {

class GraphForget {
 public:
  using IndexEraser = std::function<Result<void>(std::span<const std::string> keys)>;
  using WaitingEraser = std::function<Result<void>(const std::function<bool(std::string_view url, WallTime at)>&)>;

  GraphForget(GraphCore& core, GraphWriter& writer, GraphVisits& visits, IndexEraser eraser, WaitingEraser waiting)
      : core_(core),
        writer_(writer),
        visits_(visits),
        eraser_(std::move(eraser)),
        waiting_eraser_(std::move(waiting)) {}

  Result<ForgetReport> run(const ForgetScope& scope);

 private:
  Result<void> select(const ForgetScope& scope);
  Result<void> find_spaces(const ForgetScope& scope);

  // What is meant: pages whose resource begins so, in these spaces …
  Result<void> forget_resources(std::string_view prefix);
  Result<void> forget_addresses(std::string_view space, std::string_view prefix);
  Result<void> forget_links_to(std::string_view space, std::string_view prefix);
  Result<void> forget_mention(std::string_view page_key, std::string_view prefix);
  Result<void> forget_visits(const std::function<bool(const records::VisitRecord&)>& doomed,
                             const std::function<bool(records::VisitRecord&)>& edit);
  // … or by time …
  Result<void> forget_span(WallTime from, WallTime until);
  // … or all of a space.
  Result<void> forget_space(std::string_view space);

  Result<void> forget_events(const std::function<bool(const records::EventGroupRecord&, int)>& doomed);
  Result<void> forget_page(std::string_view page_key);
  Result<void> forget_queued(const std::function<bool(std::string_view page_key)>& doomed);
  void touch(Family family, KeyRange range) { touched_.push_back({family, std::move(range)}); }
  Result<void> index_again();
  Result<void> erase_from_index();
  Result<void> erase_from_waiting();
  Result<void> write();  // what is in the batch

  GraphCore& core_;
  GraphWriter& writer_;
  GraphVisits& visits_;
  const IndexEraser eraser_;
  const WaitingEraser waiting_eraser_;

  std::vector<std::string> spaces_;  // in which to look
  rocksdb::WriteBatch batch_;
  std::vector<GraphDb::Touched> touched_;  // which files to rewrite
  std::vector<std::string> gone_;          // pages
  std::vector<std::string> removals_;      // their tickets
  std::set<std::string> stale_;            // pages that stay, with something of the others in the index
  Forgotten what_;
  ForgetReport report_;
};

}  // namespace outrider::graph
