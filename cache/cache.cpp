#include "cache/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace outrider {
namespace {

Error trouble(const std::filesystem::path& file, std::string_view what) {
  return Error{ErrorKind::io, Side::self, fmt::format("the cache in {}: {}", file.parent_path().string(), what)};
}

// The hashes of keys are in the files of the store, so their secret lives as long as these. Without it (or with a
// damaged one) a new one is made, and the store takes what is there for damaged, that is, for empty.
Result<SipKey> key_secret(const std::filesystem::path& file) {
  SipKey secret;
  if (const int old = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW); old >= 0) {
    const ssize_t got = ::read(old, &secret, sizeof secret);
    ::close(old);
    if (got == static_cast<ssize_t>(sizeof secret)) return secret;
  }
  secret = SipKey::random();
  const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made < 0) return trouble(file, "its secret cannot be written");
  const bool written = ::write(made, &secret, sizeof secret) == static_cast<ssize_t>(sizeof secret);
  ::close(made);
  if (!written) return trouble(file, "its secret cannot be written");
  return secret;
}

}  // namespace

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
  const std::filesystem::path folder = options.folder;
  Result<std::unique_ptr<Store>> store = Store::open(std::move(options), metrics);
  if (!store) return store.error();
  cache->store_ = std::move(*store);
  Result<SipKey> secret = key_secret(folder / "key-secret");
  if (!secret) return secret.error();
  cache->shared_.key_secret = *secret;
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
