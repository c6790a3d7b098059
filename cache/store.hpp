// Where answers are kept: a memory tier in front of bodies in segment files with their heads in RocksDB. Knows nothing
// of RFC 9111: what may be kept and what may be reused is decided by its users (policy, exchange).
//
// All functions may be called from any thread. Functions named …_now and those that are no coroutines never wait for a
// disk. The coroutines may be awaited on any reactor; what blocks hops to threads of the store's own.
//
// Write classes: a body and its head are on their way to the disk when commit() returns, and survive the end of the
// process once the writer thread has handed them to the system (milliseconds); power loss may take the last seconds.
// What is damaged or half-written is never served: every read from disk verifies its checksum. purge() has been synced
// to the disk when it returns.
//
// Neighbours: store_entry.hpp (what is found), store_writer.hpp (how something gets in), settings.hpp (budgets).
#pragma once

#include "base/async.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/metrics.hpp"
#include "base/siphash.hpp"
#include "cache/settings.hpp"
#include "cache/store_entry.hpp"
#include "cache/store_writer.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace outrider {

struct StoreOptions {
  std::filesystem::path folder;  // created if missing; owned by one store at a time
  CacheSettings settings;
  // For tests: an errno that the next write of bodies fails with, 0 = none.
  std::function<int()> write_fault;
  // Called once for every variant that is stored or loaded; the result travels with it. Any thread; must not throw.
  std::function<std::shared_ptr<const void>(const StoredHead&)> prepare;
};

// Which of the entries: a range of keys, because everything of a site or below a path has keys with the same beginning.
struct PurgeScope {
  std::string first;                         // smallest key
  std::optional<std::string> past_last;      // first key that is spared; nothing = to the end
  std::optional<WallTime> received_before;   // only variants whose response_time is earlier
  bool forget = false;                       // also make the bytes unrecoverable: in no file any more when it returns
  std::optional<WallTime> received_since{};  // only variants whose response_time is not earlier
  // Only entries that are kept for this person (docs/decisions/0030); named as in the memory.
  std::optional<std::string> person{};

  bool means(const StoredHead& head) const {
    return (!received_before || head.response_time < *received_before) &&
           (!received_since || head.response_time >= *received_since);
  }

  static PurgeScope all() { return {}; }
  static PurgeScope key(const CacheKey& key) {
    return {key.bytes, key.bytes + '\0', std::nullopt, false, std::nullopt, std::nullopt};
  }
  static PurgeScope prefix(std::string_view bytes);
  static PurgeScope of_person(std::string name) {
    PurgeScope scope;
    scope.person = std::move(name);
    return scope;
  }
};

struct PurgeReport {
  std::uint64_t entries = 0;  // entries of which something was removed
  std::uint64_t bytes = 0;    // of bodies
};

struct StoreStats {
  std::uint64_t memory_entries = 0, memory_bytes = 0;
  std::uint64_t disk_bytes = 0, index_bytes = 0, segments = 0;  // disk_bytes: all files, index_bytes: RocksDB's part
  std::uint64_t entries_estimate = 0;                           // on disk
  std::uint64_t queued_bytes = 0;                               // waiting to be written
  bool disk_on = false;
  std::string disk_off_reason;  // "" while it is on
};

class Store {
 public:
  struct BeginOptions {
    std::optional<std::uint64_t> expected_length;  // from Content-Length; only saves memory traffic
    std::vector<VariantId> supersedes;  // these go when it is committed (as do variants of exactly the same kind:
                                        // equal vary_request and range)
    bool visited = false;               // a person asked for it
  };

  // Never fails because of damaged contents: what cannot be read is thrown away. Fails if the folder cannot be used.
  static Result<std::unique_ptr<Store>> open(StoreOptions options, Metrics& metrics,
                                             const Clock& clock = Clock::system());
  virtual ~Store() = default;  // close() first

  // With this the keys are hashed (CacheKey::of): the hashes are in the files, and strangers must not be able to make
  // them collide. The same as long as the folder lives.
  virtual const SipKey& secret() const = 0;

  // --- reading
  // Memory, then as much of the disk tier as can be asked without waiting.
  virtual StoreLookup find_now(const CacheKey& key, BodyWish wish) = 0;
  StoreLookup find_now(const CacheKey& key) { return find_now(key, BodyWish::along); }
  // nullptr = nothing there. Small bodies come along.
  virtual Task<EntryPtr> find(const CacheKey& key) = 0;

  // The bytes of a body from `offset` on, at most `limit`: as many as lie in one piece (of up to 256 KiB).
  // Nothing: it has to be waited for: co_await read().
  virtual std::optional<BodyPiece> read_now(const BodyPtr& body, std::uint64_t offset, std::uint64_t limit) = 0;
  // Fails when the bytes are damaged, forgotten or not there (yet): then the entry has been dropped, and the next
  // find() will not give it. Read the first piece before you promise the body to anybody.
  virtual Task<Result<BodyPiece>> read(BodyPtr body, std::uint64_t offset, std::uint64_t limit) = 0;

  // --- writing (at once for every find(), a moment later on disk)
  // Never nullptr; see StoreWriter::storing().
  virtual std::unique_ptr<StoreWriter> begin(const CacheKey& key, StoredHead head, BeginOptions options) = 0;
  // After a 304: the same body under a new head. The variant with the new head; nullptr if it is not there any more.
  virtual VariantPtr update_head(const EntryPtr& entry, VariantId variant, StoredHead head, HeadChange change) = 0;
  VariantPtr update_head(const EntryPtr& entry, VariantId variant, StoredHead head) {
    return update_head(entry, variant, std::move(head), HeadChange::kept);
  }
  virtual void mark_visited(const EntryPtr& entry) = 0;  // cheap if it is marked already
  virtual void erase(const CacheKey& key) = 0;
  virtual void outdate(const CacheKey& key) = 0;  // what is being received for it now will not be kept
  virtual void erase_variant(const CacheKey& key, VariantId variant) = 0;

  // --- upkeep
  virtual Task<Result<PurgeReport>> purge(PurgeScope scope) = 0;
  virtual StoreStats stats() const = 0;
  // Calls back, from some thread, when what was changed before survives the end of the process (or, if the disk is off,
  // when what it has will not be believed after that); at once if the disk does not keep up.
  virtual void when_written(std::function<void()> then) = 0;
  virtual Task<Result<void>> flush() = 0;  // everything committed so far is in the files, synced
  // Writes what is queued, flushes, stops the threads. Blocks. Nothing may be called afterwards.
  virtual void close() = 0;
};

}  // namespace outrider
