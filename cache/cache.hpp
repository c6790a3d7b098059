// The cache as a whole, as the program owns it: the store with its folder and secret, the flights, the counters. What
// exchanges of all reactors share.
#pragma once

#include "cache/exchange.hpp"
#include "cache/settings.hpp"

#include <filesystem>
#include <memory>

namespace outrider {

class Cache {
 public:
  // Without a store (settings.enabled is false) everything passes and nothing is kept.
  static Result<std::unique_ptr<Cache>> open(const CacheSettings& settings, const std::filesystem::path& data_directory,
                                             Metrics& metrics);
  ~Cache();  // writes what is queued; no exchange may use it any more

  CacheShared& shared() { return shared_; }
  Store* store() { return store_.get(); }

 private:
  explicit Cache(Metrics& metrics) : shared_(metrics) {}
  std::unique_ptr<Store> store_;
  CacheShared shared_;
};

}  // namespace outrider
