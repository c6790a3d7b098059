#include "cache/memory_keeper.hpp"

#include "base/log.hpp"

namespace outrider {
namespace {

constexpr auto kAgain = std::chrono::seconds{5};

}  // namespace

Result<std::unique_ptr<MemoryKeeper>> MemoryKeeper::open(const MemorySettings& settings,
                                                         const std::filesystem::path& data_directory, Metrics& metrics,
                                                         const Clock& clock, bool patient, bool alone) {
  if (!settings.enabled) return std::unique_ptr<MemoryKeeper>{};
  std::unique_ptr<MemoryKeeper> keeper{new MemoryKeeper};
  GraphOptions options = settings.graph_options(data_directory);
  options.patient = patient;
  Result<std::unique_ptr<Graph>> graph = Graph::open(std::move(options), metrics, clock);
  if (!graph) return graph.error();
  keeper->graph_ = std::move(*graph);
  IngestOptions ingest;
  ingest.threads = static_cast<std::size_t>(settings.threads);
  if (alone) ingest.niceness = 0;
  if (Result<std::unique_ptr<IngestSpool>> spool =
          IngestSpool::open({data_directory / "unread", settings.unread.bytes})) {
    keeper->spool_ = std::move(*spool);
    ingest.spool = keeper->spool_.get();
    keeper->graph_->set_waiting_eraser(
        [spool = ingest.spool](const IngestSpool::Doomed& doomed) { return spool->forget(doomed); });
  } else {
    log::error(Room::cache, "spool_off",
               {{"reason", spool.error().detail}, {"what_to_do", "the robot is as slow as its pages are read"}});
  }
  keeper->ingest_ = std::make_unique<IngestPool>(*keeper->graph_, ingest, metrics);
  keeper->graph_->set_waiting_count([pool = keeper->ingest_.get()] { return pool->queued() + pool->unread(); });
  const std::filesystem::path folder = data_directory / "search";
  if (Result<std::unique_ptr<Search>> search = keeper->open_search(folder, clock)) {
    keeper->search_ = std::move(*search);
    keeper->search_->start();
  } else {
    log::error(Room::cache, "search_off",
               {{"reason", search.error().detail}, {"what_to_do", "pages are remembered, and found when it opens"}});
    keeper->keep_trying(folder, clock);
  }
  return keeper;
}

Result<std::unique_ptr<Search>> MemoryKeeper::open_search(const std::filesystem::path& folder, const Clock& clock) {
  return Search::open(*graph_, folder, clock, [pool = ingest_.get()] { return pool->unread() > 0; });
}

void MemoryKeeper::keep_trying(const std::filesystem::path& search_folder, const Clock& clock) {
  opener_ = std::thread{[this, search_folder, &clock] {
    std::unique_lock lock{mutex_};
    while (!wake_.wait_for(lock, kAgain, [this] { return closing_; })) {
      lock.unlock();
      Result<std::unique_ptr<Search>> search = open_search(search_folder, clock);
      lock.lock();
      if (!search) continue;
      search_ = std::move(*search);
      search_->start();
      log::info(Room::cache, "search_on_again");
      return;
    }
  }};
}

MemoryKeeper::~MemoryKeeper() {
  close();
}

void MemoryKeeper::close() {
  {
    const std::lock_guard lock{mutex_};
    closing_ = true;
  }
  wake_.notify_all();
  if (opener_.joinable()) opener_.join();
  if (graph_) graph_->set_waiting_count({});
  if (ingest_) ingest_->close();
  if (graph_) graph_->set_waiting_eraser({});
  if (spool_) spool_->close();
  if (search_) search_->stop();
  if (graph_) graph_->close();
}

}  // namespace outrider
