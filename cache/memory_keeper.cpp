#include "cache/memory_keeper.hpp"

namespace outrider {

Result<std::unique_ptr<MemoryKeeper>> MemoryKeeper::open(const MemorySettings& settings,
                                                         const std::filesystem::path& data_directory, Metrics& metrics,
                                                         const Clock& clock) {
  if (!settings.enabled) return std::unique_ptr<MemoryKeeper>{};
  std::unique_ptr<MemoryKeeper> keeper{new MemoryKeeper};
  Result<std::unique_ptr<Graph>> graph = Graph::open(settings.graph_options(data_directory), metrics, clock);
  if (!graph) return graph.error();
  keeper->graph_ = std::move(*graph);
  Result<std::unique_ptr<Search>> search = Search::open(*keeper->graph_, data_directory / "search", clock);
  if (!search) return search.error();
  keeper->search_ = std::move(*search);
  IngestOptions ingest;
  ingest.threads = static_cast<std::size_t>(settings.threads);
  keeper->ingest_ = std::make_unique<IngestPool>(*keeper->graph_, ingest, metrics);
  keeper->search_->start();
  return keeper;
}

MemoryKeeper::~MemoryKeeper() {
  close();
}

void MemoryKeeper::close() {
  if (ingest_) ingest_->close();
  if (search_) search_->stop();
  if (graph_) graph_->close();
}

}  // namespace outrider
