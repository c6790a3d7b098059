#include "cache/store_writer_local.hpp"

#include <algorithm>

namespace outrider {

LocalWriter::LocalWriter(LocalStore& store, const CacheKey& key, StoredHead head, Store::BeginOptions options)
    : store_(store), head_(std::move(head)), options_(std::move(options)), purges_before_(store.purges_.now()) {
  pending_ = std::make_shared<PendingBody>();
  pending_->key = key;
  pending_->variant = store.next_variant_.fetch_add(1, std::memory_order_relaxed);
  body_ = std::make_shared<StoredBody>(
      BodyIdentity{key.hash, pending_->variant, static_cast<std::uint32_t>(key.bytes.size())});
  pending_->body = body_;
  if (!store_.disk_on()) to_disk_ = false;
  const std::uint64_t expected = options_.expected_length.value_or(0);
  if (key.bytes.size() > kMaxKeyLength || expected > store_.budgets_.max_object) {
    stop_storing();
  } else if (expected > store_.budgets_.max_memory_object) {
    leave_memory();
  }
}

LocalWriter::~LocalWriter() {
  account(0);
  if (chunks_queued_ > 0) store_.disk_->parts.queue.push_small(AbandonJob{pending_});
}

// Bodies that are being received have a budget of their own: beyond it they are kept on disk only, far beyond it not at
// all.
void LocalWriter::account(std::uint64_t held) {
  const std::uint64_t change = held - held_;  // modulo 2^64: may well be "negative"
  held_ = held;
  const std::size_t all = store_.arriving_.fetch_add(change, std::memory_order_relaxed) + change;
  if (held == 0 || !storing_) return;
  if (all > store_.budgets_.arriving && to_memory_ && body_->length() > kChunk) leave_memory();
  if (all > 4 * store_.budgets_.arriving) stop_storing();
}

void LocalWriter::append(std::string_view bytes) {
  body_->append(bytes, options_.expected_length);
  if (!storing_) return;
  const std::uint64_t length = body_->length();
  if (length > store_.budgets_.max_object) return stop_storing();
  if (to_memory_ && length > store_.budgets_.max_memory_object) leave_memory();
  if (to_disk_ && pending_->failed) leave_disk();
  if (storing_ && to_disk_) queue_full_chunks();
  if (storing_) account(to_memory_ ? length : length - std::uint64_t{chunks_queued_} * kChunk);
}

void LocalWriter::queue_full_chunks() {
  while ((std::uint64_t{chunks_queued_} + 1) * kChunk <= body_->length()) {
    const std::uint64_t from = std::uint64_t{chunks_queued_} * kChunk;
    if (!store_.disk_->parts.queue.push(ChunkJob{pending_, chunks_queued_, body_->pieces(from, from + kChunk)}, kChunk))
      return leave_disk();
    ++chunks_queued_;
  }
}

void LocalWriter::leave_memory() {
  to_memory_ = false;
  if (!to_disk_) return stop_storing();
  body_->release_placed(store_.disk_->parts.leases->lease(pending_->key, pending_->variant));
}

void LocalWriter::leave_disk() {
  to_disk_ = false;
  if (!to_memory_) return stop_storing();
  if (chunks_queued_ > 0) store_.disk_->parts.queue.push_small(AbandonJob{pending_});
  chunks_queued_ = 0;
}

void LocalWriter::stop_storing() {
  storing_ = false;
  account(0);  // from now on it is up to whoever appends
  store_.counters_.not_kept.add();
}

void LocalWriter::release(std::uint64_t offset) {
  if (!storing_) body_->release_before(offset);
}

EntryPtr LocalWriter::merged(const EntryPtr& now, const VariantPtr& added) const {
  auto after = std::make_shared<StoredEntry>();
  after->key = pending_->key;
  after->visited = options_.visited || (now && now->visited);
  after->variants.push_back(added);
  if (!now) return after;
  for (const VariantPtr& old : now->variants) {
    const bool replaced =
        std::find(options_.supersedes.begin(), options_.supersedes.end(), old->id) != options_.supersedes.end() ||
        same_kind(old->head, added->head);
    if (!replaced && after->variants.size() < kMaxVariants) after->variants.push_back(old);
  }
  return after;
}

VariantPtr LocalWriter::commit() {
  if (!storing_) return nullptr;
  if (store_.purges_.hit(purges_before_, pending_->key, head_)) {
    stop_storing();
    return nullptr;
  }
  if (to_disk_ && (pending_->failed || !store_.disk_on())) leave_disk();
  if (!storing_) return nullptr;
  account(0);

  const std::uint64_t length = body_->length();
  body_->finish(to_memory_);
  if (to_memory_) body_->settle();
  auto variant = std::make_shared<StoredVariant>();
  variant->id = pending_->variant;
  head_.body_length = length;
  variant->head = head_;  // a copy, which spends no more memory than it needs
  variant->body = body_;
  if (store_.prepare_) variant->prepared = store_.prepare_(variant->head);

  // In memory first: the writer thread may be done with it before we are.
  const bool has_disk = store_.disk_ != nullptr;
  bool replaces = !options_.supersedes.empty();
  store_.memory_.change(pending_->key, has_disk, [&](const MemoryTier::Found& now) {
    replaces = replaces || now.known;
    return merged(now.entry, variant);
  });
  if (!has_disk) {
    store_.counters_.kept_in_memory.add();
    return variant;
  }

  CommitJob job{std::nullopt, pending_, variant, options_.supersedes, options_.visited, replaces, false};
  const std::uint64_t written = std::uint64_t{chunks_queued_} * kChunk;
  if (length == 0 || length > written) job.last = ChunkJob{pending_, chunks_queued_, body_->pieces(written, length)};
  if (to_disk_ && store_.disk_->parts.queue.push(std::move(job), length - std::min(length, written))) {
    chunks_queued_ = 0;  // committed: nothing to abandon
    if (!store_.purges_.hit(purges_before_, pending_->key, head_)) return variant;
    store_.erase_variant(pending_->key, variant->id);  // a purge in this very moment
    return nullptr;
  }
  if (!to_memory_) {  // neither here nor there
    store_.erase_variant(pending_->key, variant->id);
    store_.memory_.settle(pending_->key);
    stop_storing();
    return nullptr;
  }
  store_.counters_.kept_in_memory.add();
  if (replaces) {
    store_.disk_->parts.enqueue_small(EraseJob{pending_->key, std::nullopt, true});
  } else {
    store_.memory_.settle(pending_->key);
  }
  return variant;
}

}  // namespace outrider
