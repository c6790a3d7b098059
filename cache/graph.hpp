// The memory on disk: nodes, links in both directions, visits and events, in RocksDB. Implements the port Memory; the
// full-text search is somebody else's (set_search). Any number of threads; everything blocks on a disk for a moment.
//
// A record() that returned survives the end of the process; the end of the power may take the last second. Everything
// about one page is one atomic batch. Keys and column families: graph_keys.hpp and docs/memory.md.
#pragma once

#include "base/metrics.hpp"
#include "cache/graph_types.hpp"
#include "plugins/api/memory.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class Graph final : public Memory {
 public:
  // A damaged memory is moved aside ("memory.damaged") with a warning and a new one begun: never an abort.
  static Result<std::unique_ptr<Graph>> open(GraphOptions options, Metrics& metrics, const Clock& clock);
  ~Graph() override;  // close() first

  // --- writing
  // StorageClass::never writes nothing; nor does what was seen before it was forgotten.
  Result<Recorded> record(const Sighting& sighting);
  // Only with GraphOptions::keep_bodies; decoded, as it was parsed.
  Result<void> record_body(const PageRef& page, std::string_view body);
  // Finds `came_from` and `link_text`, and the title if it is known. StorageClass::never keeps URL and time alone.
  Result<VisitId> record_visit(Visit visit, StorageClass storage = StorageClass::open);
  // Physical: when it returns, no file contains anything of it. Minutes if the memory is large.
  Result<ForgetReport> forget(const ForgetScope& scope);

  // --- for the full-text index: nothing that was queued is lost by a crash
  // Visited first, then oldest first.
  Result<std::vector<IndexItem>> next_to_index(std::size_t limit, bool only_visited = false) const;
  // Pages whose entries lack new links that lead there: a bounded piece of work; true = there may be more.
  Result<bool> queue_targets_of_new_links();
  Result<void> links_indexed(const IndexItem& item, std::uint32_t in_degree);  // its entry has so many of them
  Result<void> indexed(std::span<const std::string> tickets);                  // also for those that were not worth it
  Result<std::vector<IndexItem>> next_to_unindex(std::size_t limit) const;     // evicted or forgotten
  Result<void> unindexed(std::span<const std::string> tickets);
  Result<void> queue_everything_for_index();  // the index was lost
  // Called, from some thread, when a page was queued for the index; must return at once.
  void set_index_wake(std::function<void()> wake);
  // The page whoever it belongs to, as its owner sees it: for the indexer alone.
  Result<std::optional<Node>> page(const PageRef& page, bool with_text) const;
  // Of everybody who can see it, each for himself: for the indexer alone.
  Result<std::vector<VisitsOfPage>> visits_of(const PageRef& page) const;
  // What other pages call it, most frequent first. Those of personal pages only for the index entry of their owner.
  Result<std::vector<std::string>> anchor_texts(const PageRef& page, std::size_t limit) const;
  // Called by forget() with IndexItem::key of pages that are gone: must erase them from the files of the index before
  // it returns. Without it, and until then, they go the way of next_to_unindex().
  void set_index_eraser(std::function<Result<void>(std::span<const std::string> keys)> eraser);
  // Called by forget(): answers that wait to be read must be erased from their files before it returns, if the question
  // is answered with true for them.
  using Doomed = std::function<bool(std::string_view url, WallTime at)>;
  void set_waiting_eraser(std::function<Result<void>(const Doomed&)> eraser);
  void set_search(std::function<Result<SearchAnswer>(const Viewer&, const SearchRequest&)> search);
  // The index shares the disk budget: how large it is; a request to give back what removed pages used; whether that is
  // still to come.
  void set_index_size(std::function<std::uint64_t()> bytes, std::function<void()> shrink,
                      std::function<bool()> shrinking);
  // How many answers wait to be read, for stats().
  void set_waiting_count(std::function<std::uint64_t()> count);
  // What others know: added to stats().
  void set_extra_stats(std::function<void(MemoryStats&)> add);

  // --- Memory
  Result<std::optional<Node>> node(const Viewer& viewer, std::string_view url, bool with_text = false,
                                   bool with_in_degree = true) const override;
  Result<LinkPage> links_from(const Viewer& viewer, std::string_view url, const LinkQuery& query) const override;
  Result<LinkPage> links_to(const Viewer& viewer, std::string_view url, const LinkQuery& query) const override;
  Result<std::vector<Visit>> visits(const Viewer& viewer, const VisitQuery& query) const override;
  Result<std::vector<Visit>> trail(const Viewer& viewer, VisitId visit, std::size_t limit) const override;
  Result<SearchAnswer> search(const Viewer& viewer, const SearchRequest& request) const override;
  Result<std::vector<MemoryEvent>> events(const Viewer& viewer, EventCursor after, std::size_t limit) const override;
  EventCursor newest_event() const override;
  MemoryStats stats() const override;
  std::uint64_t forgettings() const override;
  std::shared_ptr<void> on_events(std::function<void()> wake) override;
  Result<std::optional<std::string>> body(const Viewer& viewer, std::string_view url) const;
  // What happened to everybody, for the host of plugins. Not a part of Memory: nobody who acts for a person gets it.
  Result<std::vector<MemoryEvent>> everybodys_events(EventCursor after, std::size_t limit) const;

  // --- upkeep, where no background thread does it: a bounded piece of work each; true = there is more to do
  bool upkeep();
  bool sync();   // now on the disk itself
  void close();  // flushes, so that the next open() is quick; afterwards everything fails

 private:
  class Impl;
  explicit Graph(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace outrider
