// Everything a robot needs that works without a server: configuration, cache, memory, a way out. Opened like `serve`
// opens it, in the same data directory, so what is crawled is there for the browser.
#pragma once

#include "base/config.hpp"
#include "base/metrics.hpp"
#include "base/worker_pool.hpp"
#include "cache/cache.hpp"
#include "cache/memory_keeper.hpp"
#include "proxy/cli/data_directory.hpp"
#include "robot/robot.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace outrider::cli {

struct CrawlHouseOptions {
  std::filesystem::path data_directory;
  std::vector<std::string> lab_hosts;  // empty: no laboratory
  bool is_lab = false;
};

class CrawlHouse {
 public:
  static Result<std::unique_ptr<CrawlHouse>> open(const Config& config, const CrawlHouseOptions& options);
  ~CrawlHouse();

  RobotEngine& robot() { return *robot_; }
  std::size_t unread() const { return memory_ ? memory_->unread() : 0; }  // loaded, but not yet in the memory

 private:
  CrawlHouse();
  std::optional<DataDirectory> directory_;
  Metrics metrics_;
  WorkerPool lookups_;
  std::unique_ptr<TlsClient> tls_;
  std::unique_ptr<Cache> cache_;
  std::unique_ptr<MemoryKeeper> memory_;
  std::unique_ptr<Ingest> plain_ingest_;  // where nothing is to be remembered
  std::unique_ptr<RobotEngine> robot_;
};

}  // namespace outrider::cli
