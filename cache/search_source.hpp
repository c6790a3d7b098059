// The memory as the source of the full-text index: its queue, its pages, its texts.
#pragma once

#include "cache/graph.hpp"
#include "cache/search_indexer.hpp"

#include <functional>
#include <optional>

namespace outrider {

// What the index is to know of something that was there once (what was queued has been): a later error does not count,
// nor does noindex, because the person read it, and it is the person's own index. What has no words, a picture or a
// PDF, is found by its address and those of links; unless nobody visited it and nobody has words for it, because then
// it is but a part of pages. Then: nothing.
std::optional<SearchDocument> search_document_of(const Graph& graph, const IndexItem& item, const Node& node);

// Pages that nobody visited wait while there is something that has not even been read: the index takes most of a core,
// and what is read is in the memory and can be followed. They do not wait for ever.
class GraphIndexSource final : public IndexSource {
 public:
  // `is_reading`: answers wait to be read. From the indexer's thread.
  explicit GraphIndexSource(Graph& graph, std::function<bool()> is_reading = {}, const Clock& clock = Clock::system())
      : graph_(graph), is_reading_(std::move(is_reading)), clock_(clock) {}

  Result<std::vector<IndexEntry>> next(std::size_t limit) override;
  Result<void> done(std::span<const std::string> tickets) override { return graph_.indexed(tickets); }
  Result<std::vector<IndexRemoval>> removals(std::size_t limit) override;
  Result<void> removed(std::span<const std::string> tickets) override { return graph_.unindexed(tickets); }
  Result<void> queue_everything() override { return graph_.queue_everything_for_index(); }

 private:
  bool gives_way();

  Graph& graph_;
  const std::function<bool()> is_reading_;
  const Clock& clock_;
  std::optional<SteadyTime> gives_way_since_;
};

// For snippets: SearchIndexOptions::text_of.
SearchTextOf texts_of(const Graph& graph);

}  // namespace outrider
