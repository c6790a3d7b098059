#include "cache/search.hpp"

namespace outrider {

Result<std::unique_ptr<Search>> Search::open(Graph& graph, const std::filesystem::path& folder, const Clock& clock,
                                             std::function<bool()> is_reading) {
  auto index = SearchIndex::open({folder, texts_of(graph)}, clock);
  if (!index) return index.error();
  return std::unique_ptr<Search>{new Search{graph, std::move(*index), clock, std::move(is_reading)}};
}

Search::Search(Graph& graph, std::unique_ptr<SearchIndex> index, const Clock& clock, std::function<bool()> is_reading)
    : graph_(graph),
      clock_(clock),
      index_(std::move(index)),
      source_(graph, std::move(is_reading), clock),
      indexer_(*index_, source_, clock) {}

Search::~Search() {
  stop();
}

void Search::start() {
  graph_.set_search([this](const Viewer& viewer, const SearchRequest& request) {
    return index_->query(viewer, request, clock_.now());
  });
  graph_.set_index_eraser([this](std::span<const std::string> keys) { return indexer_.erase(keys); });
  graph_.set_extra_stats([this](MemoryStats& stats) { stats.search_bytes = index_->disk_bytes(); });
  graph_.set_index_size([this] { return index_->disk_bytes(); }, [this] { indexer_.shrink_when_idle(); },
                        [this] { return indexer_.will_shrink(); });
  graph_.set_index_wake([this] { indexer_.wake(); });
  indexer_.start();
}

void Search::stop() {
  graph_.set_index_wake({});
  graph_.set_search({});
  graph_.set_index_eraser({});
  graph_.set_extra_stats({});
  graph_.set_index_size({}, {}, {});
  indexer_.stop();
}

}  // namespace outrider
