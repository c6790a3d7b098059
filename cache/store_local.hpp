// The Store of one process: memory tier in front of the disk tier. The interface and its promises: store.hpp.
#pragma once

#include "base/worker_pool.hpp"
#include "cache/store.hpp"
#include "cache/store_disk_writer.hpp"
#include "cache/store_purge_log.hpp"
#include "cache/store_secret.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

namespace outrider {

class LocalStore final : public Store {
 public:
  LocalStore(StoreOptions options, Metrics& metrics, const Clock& clock);
  ~LocalStore() override;
  Result<void> open_disk(std::function<int()> write_fault);

  const SipKey& secret() const override { return secret_.key(); }
  using Store::find_now;
  using Store::update_head;
  StoreLookup find_now(const CacheKey& key, BodyWish wish) override;
  Task<EntryPtr> find(const CacheKey& key) override;
  std::optional<BodyPiece> read_now(const BodyPtr& body, std::uint64_t offset, std::uint64_t limit) override;
  Task<Result<BodyPiece>> read(BodyPtr body, std::uint64_t offset, std::uint64_t limit) override;
  std::unique_ptr<StoreWriter> begin(const CacheKey& key, StoredHead head, BeginOptions options) override;
  VariantPtr update_head(const EntryPtr& entry, VariantId variant, StoredHead head, HeadChange change) override;
  void mark_visited(const EntryPtr& entry) override;
  void erase(const CacheKey& key) override;
  void outdate(const CacheKey& key) override { purges_.add(PurgeScope::key(key)); }
  void erase_variant(const CacheKey& key, VariantId variant) override;
  Task<Result<PurgeReport>> purge(PurgeScope scope) override;
  StoreStats stats() const override;
  void when_written(std::function<void()> then) override;
  Task<Result<void>> flush() override;
  void close() override;

 private:
  friend class LocalWriter;
  // Everything that exists only if something is kept on disk.
  struct Disk {
    Disk(LocalStore& store, std::unique_ptr<StoreIndex> index, std::unique_ptr<SegmentSet> segments,
         StoreStateFile state_file);
    DiskParts parts;
    DiskSwitch on_off;
    DiskWriter writer;
    StoreLoader loader;
    WorkerPool readers;
  };
  // A folder is used by one store at a time.
  class FolderLock {
   public:
    ~FolderLock() { release(); }
    bool take(const std::filesystem::path& path);
    void release();

   private:
    int fd_ = -1;
  };
  StoreLookup remember(StoreLookup loaded, const CacheKey& key, MemoryTier::Epoch before);
  bool disk_on() const { return disk_ && disk_->on_off.on(); }
  template <class T>
  Task<Result<T>> on_writer_thread(std::function<Result<T>()> work);
  void register_gauges(Metrics& metrics);
  static constexpr const char* kSketch = "sketch";  // files that are written at the end
  static constexpr const char* kPresence = "presence";

  const std::filesystem::path folder_;
  const StoreBudgets budgets_;
  const std::size_t read_threads_;
  const Clock& clock_;
  const PrepareHead prepare_;
  StoreSecret secret_;
  StoreCounters counters_;
  FrequencySketch sketch_;
  MemoryTier memory_;
  PurgeLog purges_;
  std::atomic<VariantId> next_variant_;
  std::atomic<std::size_t> arriving_{0};  // bytes of bodies being received that nobody else accounts for
  FolderLock lock_;
  std::unique_ptr<Disk> disk_;
  bool closed_ = false;
  std::vector<CallbackGauge> gauges_;
};

}  // namespace outrider
