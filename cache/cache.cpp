#include "cache/cache.hpp"

namespace outrider {

Result<std::unique_ptr<Cache>> Cache::open(const CacheSettings& settings, const std::filesystem::path& data_directory,
                                           Metrics& metrics) {
  std::unique_ptr<Cache> cache{new Cache{metrics}};
  if (!settings.enabled) return cache;
  StoreOptions options;
  options.folder = settings.folder.empty() ? data_directory / "cache" : std::filesystem::path{settings.folder};
  options.settings = settings;
  options.prepare = [](const StoredHead& head) -> std::shared_ptr<const void> {
    return std::make_shared<const FreshnessFacts>(read_facts(head.response, head.response_time));
  };
  Result<std::unique_ptr<Store>> store = Store::open(std::move(options), metrics);
  if (!store) return store.error();
  cache->store_ = std::move(*store);
  cache->shared_.key_secret = cache->store_->secret();
  cache->shared_.store = cache->store_.get();
  // Whatever is there may include some. Not by the number of entries: the estimate of a small index may be 0.
  const StoreStats stats = cache->store_->stats();
  cache->shared_.personal_kept = stats.segments > 0 || stats.index_bytes > 0;
  return cache;
}

Cache::~Cache() {
  if (store_) store_->close();
}

}  // namespace outrider
