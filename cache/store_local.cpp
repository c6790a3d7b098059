#include "cache/store_local.hpp"

#include "base/log.hpp"
#include "cache/store_disk_space.hpp"
#include "cache/store_purge.hpp"
#include "cache/store_writer_local.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace outrider {
namespace {

// Not to be met again after a restart.
VariantId random_start() {
  VariantId id = 0;
  if (::getrandom(&id, sizeof id, 0) != sizeof id)
    id = static_cast<VariantId>(Clock::system().now().time_since_epoch().count());
  return id;
}

Result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder.parent_path(), failed);
  ::mkdir(folder.c_str(), 0700);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  if (failed)
    return Error(ErrorKind::io, Side::self,
                 fmt::format("cannot use {} for the cache: {}", folder.string(), failed.message()));
  return {};
}

// The parts of the store are made for what can ever be there, not for a budget that the disk does not have.
std::uint64_t most_on_disk(const std::filesystem::path& folder) {
  const auto space = DiskSpace::of(folder);
  return space ? space->total - space->kept_free() : UINT64_MAX;
}

constexpr std::size_t kMostWaitingReads = 4096;

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return in ? (std::ostringstream() << in.rdbuf()).str() : std::string{};
}

}  // namespace

PurgeScope PurgeScope::prefix(std::string_view bytes) {
  PurgeScope scope;
  scope.first = bytes;
  std::string end(bytes);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (!end.empty()) {
    end.back() = static_cast<char>(end.back() + 1);
    scope.past_last = std::move(end);
  }
  return scope;
}

Result<std::unique_ptr<Store>> Store::open(StoreOptions options, Metrics& metrics, const Clock& clock) {
  auto fault = std::move(options.write_fault);
  auto store = std::make_unique<LocalStore>(std::move(options), metrics, clock);
  if (const Result<void> opened = store->open_disk(std::move(fault)); !opened) return opened.error();
  return std::unique_ptr<Store>(std::move(store));
}

LocalStore::LocalStore(StoreOptions options, Metrics& metrics, const Clock& clock)
    : folder_(std::move(options.folder)),
      budgets_(options.settings, most_on_disk(folder_)),
      read_threads_(static_cast<std::size_t>(options.settings.read_threads)),
      clock_(clock),
      prepare_(std::move(options.prepare)),
      secret_(folder_ / "secret"),
      counters_(metrics),
      sketch_(budgets_.sketch_items),
      memory_(budgets_.tier, [this](std::uint64_t hash) { sketch_.add(hash); }),
      next_variant_(random_start()) {
  register_gauges(metrics);
}

LocalStore::~LocalStore() {
  close();
}

void LocalStore::FolderLock::release() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

// False: see errno.
bool LocalStore::FolderLock::take(const std::filesystem::path& path) {
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
}

LocalStore::Disk::Disk(LocalStore& store, std::unique_ptr<StoreIndex> index, std::unique_ptr<SegmentSet> segments,
                       StoreStateFile state_file)
    : parts(store.budgets_, store.clock_, store.memory_, store.counters_, store.sketch_, store.prepare_,
            std::move(index), std::move(segments), std::move(state_file)),
      writer(parts, on_off, store.folder_, store.secret_),
      loader(parts),
      readers(store.read_threads_, kMostWaitingReads) {}

Result<void> LocalStore::open_disk(std::function<int()> write_fault) {
  if (budgets_.disk == 0) return {};
  if (const Result<void> made = make_folder(folder_); !made) return made;
  if (!lock_.take(folder_ / "lock")) {
    if (errno == EWOULDBLOCK)
      return Error(ErrorKind::io, Side::self, fmt::format("another program uses the cache in {}", folder_.string()));
    return Error(ErrorKind::io, Side::self,
                 fmt::format("cannot use the cache in {}: {}", folder_.string(), std::strerror(errno)));
  }
  StoreStateFile state(folder_ / "state");
  const auto read = state.read();
  const StoreSecret::Read secret = secret_.read();
  if (secret == StoreSecret::Read::failed)  // not now; that is no reason to throw everything away
    return Error(ErrorKind::io, Side::self, fmt::format("cannot read {}: {}", secret_.path(), std::strerror(errno)));
  const bool known = secret == StoreSecret::Read::fine;
  if (read == StoreStateFile::Read::other_version || !known) {
    // What is there, if anything, was written with another layout, or cannot be found without its secret: it may have
    // been taken away because what is there is out of date (store_secret.hpp).
    std::error_code ignored;
    const bool any = std::filesystem::exists(folder_ / "index", ignored);
    for (const char* name : {"index", "bodies", kSketch, kPresence})
      std::filesystem::remove_all(folder_ / name, ignored);
    if (any && known) log::warn(Room::cache, "cache_of_other_version", {{"folder", folder_.string()}});
    if (any && !known) log::warn(Room::cache, "cache_outdated_and_emptied", {{"folder", folder_.string()}});
    if (!known) secret_.write();
  }
  const auto oldest = std::make_shared<std::atomic<std::uint32_t>>(0);
  auto index =
      std::make_unique<StoreIndex>(folder_ / "index", StoreIndex::Budget{budgets_.block_cache, budgets_.write_buffer},
                                   [oldest](std::string_view record) {
                                     const std::uint32_t last = last_segment_of(record);
                                     return last != 0 && last < oldest->load(std::memory_order_acquire);
                                   });
  std::string why;
  const StoreIndex::Outcome opened = index->open(why);
  if (opened == StoreIndex::Outcome::damaged) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_ / "bodies", ignored);
    index->wipe();
    log::warn(Room::cache, "cache_damaged_and_emptied", {{"folder", folder_.string()}, {"reason", why}});
  }
  auto segments =
      SegmentSet::open(folder_ / "bodies", budgets_.segment, state.next_segment(), std::move(write_fault), oldest);
  if (!segments) return segments.error();
  std::set<std::uint32_t> existing;
  for (const auto& file : (*segments)->all()) existing.insert(file->id());
  state.existing(existing);

  sketch_.restore(contents_of(folder_ / kSketch));

  const std::uint32_t next_segment = (*segments)->next_id();
  disk_ = std::make_unique<Disk>(*this, std::move(index), std::move(*segments), std::move(state));
  // After a crash it would not know everything: whoever cannot remove it must not believe it the next time.
  const std::string known_present = contents_of(folder_ / kPresence);
  std::error_code failed;
  std::filesystem::remove(folder_ / kPresence, failed);
  if (!failed) disk_->parts.presence.restore(known_present);
  disk_->parts.presence.begin(next_segment);
  if (opened == StoreIndex::Outcome::failed) disk_->on_off.turn_off(why);
  if (!secret_.kept()) disk_->on_off.turn_off(fmt::format("cannot write to {}", folder_.string()));
  disk_->writer.start();
  return {};
}

// --- reading

StoreLookup LocalStore::find_now(const CacheKey& key, BodyWish wish) {
  const MemoryTier::Epoch before = memory_.epoch(key);
  if (MemoryTier::Found found = memory_.find(key); found.known) {
    (found.entry ? counters_.found_in_memory : counters_.not_found).add();
    return {found.entry ? StoreLookup::State::found : StoreLookup::State::absent, std::move(found.entry)};
  }
  if (!disk_) {
    counters_.not_found.add();
    return {};
  }
  StoreLookup loaded = disk_->loader.load(key, Patience::none, wish);
  if (wish == BodyWish::along) return remember(std::move(loaded), key, before);
  if (loaded.state != StoreLookup::State::must_wait)
    (loaded.entry ? counters_.found_on_disk : counters_.not_found).add();
  return loaded;
}

StoreLookup LocalStore::remember(StoreLookup loaded, const CacheKey& key, MemoryTier::Epoch before) {
  if (loaded.state == StoreLookup::State::must_wait) return loaded;
  if (loaded.entry) {
    sketch_.add(key.hash);
    // Somebody may have changed or erased it while we were reading: memory knows better.
    if (!memory_.add_loaded(loaded.entry, before))
      if (MemoryTier::Found now = memory_.find(key); now.known)
        loaded = {now.entry ? StoreLookup::State::found : StoreLookup::State::absent, std::move(now.entry)};
  }
  (loaded.entry ? counters_.found_on_disk : counters_.not_found).add();
  return loaded;
}

Task<EntryPtr> LocalStore::find(const CacheKey& key) {
  StoreLookup found = find_now(key);
  if (found.state != StoreLookup::State::must_wait) co_return std::move(found.entry);
  const MemoryTier::Epoch before = memory_.epoch(key);
  auto work = [this, &key] { return disk_->loader.load(key, Patience::wait, BodyWish::along); };
  Result<StoreLookup> loaded = co_await disk_->readers.run(std::move(work));
  if (!loaded) co_return nullptr;  // too many are waiting for the disk: the origin may be faster
  found = remember(std::move(*loaded), key, before);
  co_return std::move(found.entry);
}

std::optional<BodyPiece> LocalStore::read_now(const BodyPtr& body, std::uint64_t offset, std::uint64_t limit) {
  auto piece = body->in_memory_at(offset);
  if (!piece) {
    if (!disk_) return std::nullopt;
    auto read = disk_->loader.read(*body, offset, Patience::none);
    if (read.state != StoreLoader::ReadPiece::State::done) return std::nullopt;
    piece = std::move(read.piece);
  }
  piece->bytes = piece->bytes.substr(0, limit);
  return piece;
}

Task<Result<BodyPiece>> LocalStore::read(BodyPtr body, std::uint64_t offset, std::uint64_t limit) {
  if (auto piece = read_now(body, offset, limit)) co_return std::move(*piece);
  const Error gone(ErrorKind::io, Side::self, "the stored body is damaged or gone");
  if (!disk_ || !body->extent_at(offset)) co_return gone;
  auto work = [this, body, offset] {
    if (const auto next = body->extent_at(offset + kChunk)) next->file->will_read(next->extent.offset, kChunk);
    return disk_->loader.read(*body, offset, Patience::wait);
  };
  Result<StoreLoader::ReadPiece> read = co_await disk_->readers.run(std::move(work));
  if (!read) co_return read.error();
  if (read->state != StoreLoader::ReadPiece::State::done) co_return gone;
  read->piece.bytes = read->piece.bytes.substr(0, limit);
  co_return std::move(read->piece);
}

// --- changing

std::unique_ptr<StoreWriter> LocalStore::begin(const CacheKey& key, StoredHead head, BeginOptions options) {
  return std::make_unique<LocalWriter>(*this, key, std::move(head), std::move(options));
}

VariantPtr LocalStore::update_head(const EntryPtr& entry, VariantId id, StoredHead head, HeadChange change) {
  const auto with_id = [id](const VariantPtr& variant) { return variant->id == id; };
  const auto old = std::find_if(entry->variants.begin(), entry->variants.end(), with_id);
  if (old == entry->variants.end()) return nullptr;
  auto made = std::make_shared<StoredVariant>();
  made->id = id;
  made->head = std::move(head);
  made->head.body_length = (*old)->head.body_length;
  made->body = (*old)->body;
  if (prepare_) made->prepared = prepare_(made->head);

  const bool writes = disk_ != nullptr && change == HeadChange::kept;
  bool gone = false;
  const bool changed = memory_.change(entry->key, writes, [&](const MemoryTier::Found& now) -> std::optional<EntryPtr> {
    if (!now.known) return std::nullopt;  // only the disk has it; whoever finds it there may find the old head
    gone = !now.entry || std::none_of(now.entry->variants.begin(), now.entry->variants.end(), with_id);
    if (gone) return std::nullopt;
    auto after = std::make_shared<StoredEntry>(*now.entry);
    *std::find_if(after->variants.begin(), after->variants.end(), with_id) = made;
    return after;
  });
  if (gone) return nullptr;
  if (writes) disk_->parts.enqueue_small(HeadJob{entry->key, made, changed});
  return made;
}

void LocalStore::mark_visited(const EntryPtr& entry) {
  if (entry->visited) return;
  bool known = false;
  const bool changed =
      memory_.change(entry->key, disk_ != nullptr, [&](const MemoryTier::Found& now) -> std::optional<EntryPtr> {
        known = now.known;
        if (!now.entry || now.entry->visited) return std::nullopt;
        auto after = std::make_shared<StoredEntry>(*now.entry);
        after->visited = true;
        return after;
      });
  if (disk_ && (changed || !known)) disk_->parts.enqueue_small(VisitJob{entry->key, changed});
}

void LocalStore::erase(const CacheKey& key) {
  memory_.change(key, disk_ != nullptr, [](const MemoryTier::Found&) -> std::optional<EntryPtr> { return nullptr; });
  if (disk_) disk_->parts.enqueue_small(EraseJob{key, std::nullopt, true});
}

void LocalStore::erase_variant(const CacheKey& key, VariantId id) {
  bool going = false;
  const bool changed =
      memory_.change(key, disk_ != nullptr, [&](const MemoryTier::Found& now) -> std::optional<EntryPtr> {
        going = now.known && !now.entry;  // everything is; but what has just been committed may come after that
        if (going) return std::nullopt;
        // If it is not in memory, nothing is found under this key for the moment.
        return without_variants(now.entry, [id](const StoredVariant& variant) { return variant.id == id; });
      });
  if (disk_ && (changed || going)) disk_->parts.enqueue_small(EraseJob{key, id, changed});
}

}  // namespace outrider
