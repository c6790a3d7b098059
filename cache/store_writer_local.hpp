// The writer of the local store: cuts the body into chunks and sends them to the disk as they fill up; keeps it in
// memory as well while it is small enough.
#pragma once

#include "cache/store_local.hpp"

namespace outrider {

class LocalWriter final : public StoreWriter {
 public:
  LocalWriter(LocalStore& store, const CacheKey& key, StoredHead head, Store::BeginOptions options);
  ~LocalWriter() override;

  void append(std::string_view bytes) override;
  BodyPtr body() const override { return body_; }
  bool storing() const override { return storing_; }
  void release(std::uint64_t offset) override;
  void replace_head(StoredHead head) override { head_ = std::move(head); }
  VariantPtr commit() override;

 private:
  void queue_full_chunks();
  bool queue_chunk(std::uint64_t from, std::uint64_t to);
  void leave_memory();  // too large for the memory tier
  void leave_disk();    // the disk cannot take it
  void stop_storing();
  void account(std::uint64_t held);
  EntryPtr merged(const EntryPtr& now, const VariantPtr& added) const;

  LocalStore& store_;
  StoredHead head_;
  const Store::BeginOptions options_;
  const std::uint64_t purges_before_;
  std::shared_ptr<StoredBody> body_;
  std::shared_ptr<PendingBody> pending_;
  std::uint32_t chunks_queued_ = 0;
  std::uint64_t held_ = 0;  // what this one adds to LocalStore::arriving_
  bool storing_ = true;
  bool to_disk_ = true;
  bool to_memory_ = true;
};

}  // namespace outrider
