#include "cache/store_disk_writer.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>

namespace outrider {
namespace {

constexpr auto kPatience = std::chrono::milliseconds{1000};
constexpr auto kPatienceWhenOff = std::chrono::milliseconds{100};
constexpr std::size_t kMostRemovals = 100'000;

NewExtent new_extent(const ChunkJob& job) {
  NewExtent extent;
  extent.key = job.body->key.bytes;
  for (const BodyPiece& piece : job.pieces) {
    extent.body.push_back(piece.bytes);
    extent.header.length += static_cast<std::uint32_t>(piece.bytes.size());
  }
  extent.header.key_hash = job.body->key.hash;
  extent.header.variant = job.body->variant;
  extent.header.chunk = job.chunk;
  extent.header.key_length = static_cast<std::uint32_t>(extent.key.size());
  return extent;
}

ChunkJob* chunk_of(Job& job) {
  if (auto* chunk = std::get_if<ChunkJob>(&job)) return chunk;
  auto* commit = std::get_if<CommitJob>(&job);
  return commit != nullptr && commit->last ? &*commit->last : nullptr;
}

}  // namespace

DiskWriter::DiskWriter(DiskParts& parts, DiskSwitch& disk_switch, std::filesystem::path folder, StoreSecret& secret)
    : parts_(parts), switch_(disk_switch), folder_(std::move(folder)), secret_(secret) {}

void DiskWriter::start() {
  note_segments();
  thread_ = std::thread([this] { run(); });
  ::pthread_setname_np(thread_.native_handle(), "store-writer");
}

void DiskWriter::stop() {
  if (thread_.joinable()) thread_.join();
}

void DiskWriter::run() {
  while (!parts_.queue.finished()) {
    Jobs jobs = parts_.queue.take(switch_.on() ? kPatience : kPatienceWhenOff);
    tick();
    if (!jobs.empty()) apply(jobs);
    std::string why;
    if (switch_.on() && eviction_.step(why) == Eviction::Step::failed) fail(why);
  }
  graveyard_.bury_all_now();
  for (const auto& body : arriving_) abandon(*body);
  disown_outdated_files();
  parts_.segments->seal();  // from now on there is nothing in it that was evicted
  if (switch_.on() && flush() && parts_.index->flush()) parts_.state_file.closed();
}

void DiskWriter::tick() {
  disown_outdated_files();
  graveyard_.sweep();
  adapt_to_disk();
  if (parts_.distrusted && switch_.on()) fail("too many removals are waiting", true);
  if (!switch_.on() && parts_.clock.steady() >= probe_at_) probe();
}

void DiskWriter::apply(Jobs& jobs) {
  if (auto* call = std::get_if<CallJob>(&jobs.front())) return call->call();
  const bool written = switch_.on() && write_bodies(jobs) && write_records(jobs);
  for (Job& job : jobs) {
    if (written) {
      done(job);
    } else {
      refuse(job);
    }
  }
  note_segments();
}

// --- bodies

bool DiskWriter::write_bodies(Jobs& jobs) {
  std::vector<NewExtent> extents;
  std::vector<ChunkJob*> chunks;
  std::uint64_t bytes = 0;
  for (Job& job : jobs) {
    ChunkJob* chunk = chunk_of(job);
    if (chunk == nullptr || chunk->body->failed) continue;
    extents.push_back(new_extent(*chunk));
    chunks.push_back(chunk);
    bytes += extent_size(extents.back().header.key_length, extents.back().header.length);
  }
  if (extents.empty()) return true;
  std::string why;
  if (!eviction_.make_room(bytes, why)) {
    for (ChunkJob* chunk : chunks) chunk->body->failed = true;
    if (!why.empty()) fail(why);
    return switch_.on();
  }
  if (const int code = parts_.segments->append(extents)) {
    fail(fmt::format("writing a body: {}", std::strerror(code)));
    return false;
  }
  for (Job& job : jobs)
    if (const auto* chunk = std::get_if<ChunkJob>(&job)) arriving_.insert(chunk->body);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    PendingBody& body = *chunks[i]->body;
    if (body.extents.size() <= chunks[i]->chunk) body.extents.resize(chunks[i]->chunk + 1);
    body.extents[chunks[i]->chunk] = extents[i].placed;
    parts_.notes.written(extents[i].placed.extent, extents[i].header);
    body.body->place(chunks[i]->chunk, std::move(extents[i].placed));
  }
  return true;
}

// --- records

void DiskWriter::edit(RecordBatch& batch, CommitJob& job) {
  PendingBody& body = *job.body;
  VariantRecord added{body.variant, job.variant->head, {}, 0};
  for (const PlacedExtent& placed : body.extents) {
    // Eviction may have been faster than a very slow download, or is about to be: it has passed it over.
    if (!placed.file || placed.extent.segment == parts_.doomed ||
        parts_.segments->find(placed.extent.segment) == nullptr)
      body.failed = true;
    added.extents.push_back(placed.extent);
  }
  if (added.extents.empty()) body.failed = true;
  const std::string& key = body.key.bytes;
  StoreRecord& record = batch.record(key);
  // Also without the new one the old ones must go: they have been replaced.
  batch.remove(key, [&](const VariantRecord& old) {
    return std::find(job.supersedes.begin(), job.supersedes.end(), old.id) != job.supersedes.end() ||
           same_kind(old.head, added.head);
  });
  if (body.failed) return;
  parts_.presence.stored(body.key.hash, parts_.segments->next_id() - 1);
  record.variants.insert(record.variants.begin(), std::move(added));
  record.visited = record.visited || job.visited;
  if (record.visited) eviction_.visited(body.key.hash);
  batch.touch(key);
  std::size_t kept = 0;
  batch.remove(key, [&](const VariantRecord&) { return ++kept > kMaxVariants; });
  job.has_others = record.variants.size() > 1;
}

void DiskWriter::edit(RecordBatch& batch, HeadJob& job) {
  for (VariantRecord& variant : batch.record(job.key.bytes).variants) {
    if (variant.id != job.variant->id) continue;
    const std::uint64_t length = variant.head.body_length;
    variant.head = job.variant->head;
    variant.head.body_length = length;
    batch.touch(job.key.bytes);
  }
}

void DiskWriter::edit(RecordBatch& batch, EraseJob& job) {
  batch.remove(job.key.bytes, [&](const VariantRecord& old) { return !job.variant || old.id == *job.variant; });
  if (!job.variant) batch.touch(job.key.bytes);  // also what cannot be read
}

void DiskWriter::edit(RecordBatch& batch, VisitJob& job) {
  StoreRecord& record = batch.record(job.key.bytes);
  if (record.variants.empty() || record.visited) return;
  record.visited = true;
  eviction_.visited(job.key.hash);
  batch.touch(job.key.bytes);
}

bool DiskWriter::write_records(Jobs& jobs) {
  RecordBatch batch(parts_, graveyard_);
  std::vector<const CacheKey*> keys;
  for (const Job& job : jobs)
    if (const CacheKey* key = changed_by(job)) keys.push_back(key);
  batch.expect(keys);
  for (Job& job : jobs) {
    std::visit(
        [&](auto& one) {
          if constexpr (requires { edit(batch, one); }) edit(batch, one);
        },
        job);
  }
  std::string why;
  const StoreIndex::Outcome outcome = batch.write(why);
  if (outcome == StoreIndex::Outcome::done) return true;
  fail("writing to the index: " + why, outcome == StoreIndex::Outcome::damaged);
  return false;
}

// --- afterwards

void DiskWriter::done(Job& job) {
  if (auto* commit = std::get_if<CommitJob>(&job)) {
    if (!arriving_.empty()) arriving_.erase(commit->body);
    if (commit->body->failed) return refuse(job);
    committed(*commit);
  } else if (auto* abandoned = std::get_if<AbandonJob>(&job)) {
    abandon(*abandoned->body);
    arriving_.erase(abandoned->body);
  } else if (const CacheKey* key = pinned_by(job)) {
    parts_.memory.settle(*key);
  }
}

void DiskWriter::committed(CommitJob& job) {
  PendingBody& body = *job.body;
  eviction_.entered(job.visited, job.variant->head.body_length);
  body.body->settle();
  if (!body.body->in_memory())  // it has become lighter: weigh it again
    parts_.memory.change(body.key, false, [](const MemoryTier::Found& now) -> std::optional<EntryPtr> {
      if (!now.entry) return std::nullopt;
      return now.entry;
    });
  if (job.has_others) complete_in_memory(body.key);
  parts_.memory.settle(body.key);
  parts_.counters.kept_on_disk.add();
}

// The disk may know variants that were not in memory when this one was put in: now they are.
void DiskWriter::complete_in_memory(const CacheKey& key) {
  const EntryPtr now = parts_.memory.peek(key);
  if (!now) return;
  RecordBatch batch(parts_, graveyard_);
  const StoreLoader loader(parts_);
  std::vector<VariantPtr> missing;
  for (const VariantRecord& variant : batch.record(key.bytes).variants) {
    const bool known = std::any_of(now->variants.begin(), now->variants.end(),
                                   [&](const VariantPtr& other) { return other->id == variant.id; });
    const bool is_doomed = std::any_of(variant.extents.begin(), variant.extents.end(),
                                       [&](const Extent& extent) { return extent.segment == parts_.doomed; });
    if (known || is_doomed) continue;  // not to keep a file that is about to go
    if (auto made = loader.variant_on_disk(key, variant)) missing.push_back(std::move(made));
  }
  if (missing.empty()) return;
  parts_.memory.change(key, false, [&](const MemoryTier::Found& found) -> std::optional<EntryPtr> {
    if (found.entry != now) return std::nullopt;  // changed meanwhile: by another commit, which will see to it
    auto after = std::make_shared<StoredEntry>(*now);
    after->variants.insert(after->variants.end(), missing.begin(), missing.end());
    return after;
  });
}

void DiskWriter::refuse(Job& job) {
  if (auto* chunk = std::get_if<ChunkJob>(&job)) {
    refuse_body(*chunk->body);
  } else if (auto* commit = std::get_if<CommitJob>(&job)) {
    refuse_body(*commit->body);
    refuse_commit(*commit);
  } else if (auto* erase = std::get_if<EraseJob>(&job)) {
    remove_later(std::move(*erase));
  } else {
    done(job);  // heads and visits: the disk keeps what it knows
  }
}

void DiskWriter::refuse_commit(CommitJob& job) {
  const PendingBody& body = *job.body;
  const bool in_memory = body.body->in_memory();
  if (!in_memory) {
    parts_.memory.change(body.key, false, [&](const MemoryTier::Found& now) -> std::optional<EntryPtr> {
      if (!now.entry) return std::nullopt;
      return without_variants(now.entry, [&](const StoredVariant& variant) { return variant.id == body.variant; });
    });
  }
  (in_memory ? parts_.counters.kept_in_memory : parts_.counters.not_kept).add();
  if (job.replaces && !switch_.on()) {
    remove_later({body.key, std::nullopt, true});
  } else {
    parts_.memory.settle(body.key);
  }
  arriving_.erase(job.body);
}

// Until then memory holds the new state, bodies included. When that takes too much of it, the disk is not asked any
// more, and what waits in memory is free to go.
void DiskWriter::remove_later(EraseJob job) {
  removals_.push_back(std::move(job));
  if (removals_.size() > kMostRemovals || parts_.memory.pinned_bytes() > parts_.memory.budget() / 2)
    parts_.distrusted = true;
  if (parts_.distrusted) settle_removals();
}

void DiskWriter::settle_removals() {
  for (const EraseJob& removal : removals_)
    if (removal.pending) parts_.memory.settle(removal.key);
  removals_.clear();
}

void DiskWriter::refuse_body(PendingBody& body) {
  body.failed = true;
  abandon(body);
}

void DiskWriter::abandon(PendingBody& body) {
  DeadBody dead{body.variant, static_cast<std::uint32_t>(body.key.bytes.size()), {}};
  for (const PlacedExtent& placed : body.extents)
    if (placed.file) dead.extents.push_back(placed.extent);
  body.extents.clear();
  if (!dead.extents.empty()) graveyard_.bury(std::move(dead));
}

}  // namespace outrider
