// The memory as a whole, as a program owns it: the graph, the full-text index beside it, and the ingest that fills
// both. Opened by `outrider serve` and by `outrider crawl`.
#pragma once

#include "cache/graph.hpp"
#include "cache/ingest_pool.hpp"
#include "cache/memory_settings.hpp"
#include "cache/search.hpp"

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

namespace outrider {

class MemoryKeeper {
 public:
  // nullptr if nothing is to be remembered (settings.enabled is false). If the disk does not allow to open the search
  // index, everything else works, and it is tried again; `patient`: likewise the memory itself. `alone`: there is
  // nobody but the robot, to whom the ingest would have to give way.
  static Result<std::unique_ptr<MemoryKeeper>> open(const MemorySettings& settings,
                                                    const std::filesystem::path& data_directory, Metrics& metrics,
                                                    const Clock& clock = Clock::system(), bool patient = false,
                                                    bool alone = false);
  ~MemoryKeeper();  // closes

  Graph& graph() { return *graph_; }
  Ingest& ingest() { return *ingest_; }
  std::size_t unread() const { return ingest_->unread(); }  // answers of the robot that wait to be read
  // Takes in what waits and writes it down, but for what waits on disk already. Blocks. Nothing may be submitted or
  // asked afterwards.
  void close();

 private:
  MemoryKeeper() = default;
  Result<std::unique_ptr<Search>> open_search(const std::filesystem::path& folder, const Clock& clock);
  void keep_trying(const std::filesystem::path& search_folder, const Clock& clock);

  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Search> search_;      // while `opener_` runs: its own
  std::unique_ptr<IngestSpool> spool_;  // outlives the ingest
  std::unique_ptr<IngestPool> ingest_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool closing_ = false;
  std::thread opener_;  // of a search index that could not be opened
};

}  // namespace outrider
