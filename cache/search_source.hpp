// The memory as the source of the full-text index: its queue, its pages, its texts.
#pragma once

#include "cache/graph.hpp"
#include "cache/search_indexer.hpp"

namespace outrider {

// What the index is to know of a page. Nothing: there is nothing to find in it (no text, an error, noindex does not
// count: the person read it, and it is the person's own index).
std::optional<SearchDocument> search_document_of(const Graph& graph, const IndexItem& item, const Node& node);

class GraphIndexSource final : public IndexSource {
 public:
  explicit GraphIndexSource(Graph& graph) : graph_(graph) {}

  Result<std::vector<IndexEntry>> next(std::size_t limit) override;
  Result<void> done(std::span<const std::string> tickets) override { return graph_.indexed(tickets); }
  Result<std::vector<IndexRemoval>> removals(std::size_t limit) override;
  Result<void> removed(std::span<const std::string> tickets) override { return graph_.unindexed(tickets); }
  Result<void> queue_everything() override { return graph_.queue_everything_for_index(); }

 private:
  Graph& graph_;
};

// For snippets: SearchIndexOptions::text_of.
SearchTextOf texts_of(const Graph& graph);

}  // namespace outrider
