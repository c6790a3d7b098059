// The part of the writer thread that deals with a disk that fails and comes back, and its calls: purge, flush.
#include "base/log.hpp"
#include "cache/store_disk_space.hpp"
#include "cache/store_disk_writer.hpp"
#include "cache/store_purge.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace outrider {
namespace {

constexpr auto kProbeEvery = std::chrono::seconds{5};
constexpr auto kWaitForRoom = std::chrono::minutes{1};

// Can something be written, now, to the end?
bool can_write(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  static constexpr std::array<char, 64 * 1024> kSome{};
  bool fine = true;
  for (int i = 0; i < 16 && fine; ++i) fine = ::write(fd, kSome.data(), kSome.size()) == std::ssize(kSome);
  fine = fine && ::fdatasync(fd) == 0;
  ::close(fd);
  ::unlink(path.c_str());
  return fine;
}

}  // namespace

void DiskWriter::fail(std::string why, bool damaged) {
  damaged_ = damaged_ || damaged;
  if (damaged) parts_.distrusted = true;
  eviction_.stop();
  probe_at_ = parts_.clock.steady() + kProbeEvery;
  if (switch_.on()) parts_.counters.disk_failures.add();
  switch_.turn_off(std::move(why));
}

// Gives way when others fill the disk, and takes the space back when they leave.
void DiskWriter::adapt_to_disk() {
  if (const auto space = DiskSpace::of(folder_))
    parts_.limit = std::min(parts_.budgets.disk, space->room_for(parts_.disk_bytes()));
}

// More than to be turned off again by the next page.
bool DiskWriter::has_room() const {
  const auto space = DiskSpace::of(folder_);
  if (!space) return true;
  const bool to_evict = space->available >= space->kept_free() / 2;
  return to_evict && space->room_for(parts_.disk_bytes()) >= parts_.index->disk_bytes() + 2 * parts_.budgets.reserve;
}

void DiskWriter::probe() {
  probe_at_ = parts_.clock.steady() + kProbeEvery;
  if (has_room()) {
    no_room_since_ = {};
  } else {
    make_room_for_others();
    if (!has_room()) return;
  }
  if (!can_write(folder_ / "probe")) return;
  if (damaged_ || parts_.distrusted) {
    if (!empty()) return;
  } else if (!parts_.index->resume() || !redo_removals()) {
    return;
  }
  if (!secret_.kept() && !secret_.write()) return;
  switch_.turn_on();
}

// The files say something that is not true any more. Should we end before that can be put right, nobody must believe
// them.
void DiskWriter::disown_outdated_files() {
  if (secret_.kept() && (damaged_ || parts_.distrusted || !removals_.empty())) secret_.remove();
}

// A disk that stays full gets what the cache has: to evict in good order takes some space, too.
void DiskWriter::make_room_for_others() {
  const SteadyTime now = parts_.clock.steady();
  if (no_room_since_ == SteadyTime{}) no_room_since_ = now;
  constexpr std::uint64_t kHardlyAnything = 1 << 20;
  if (now - no_room_since_ < kWaitForRoom || parts_.disk_bytes() < kHardlyAnything) return;
  log::warn(Room::cache, "cache_emptied_for_space", {{"bytes", parts_.disk_bytes()}});
  damaged_ = true;
  empty();
}

// A cache can be lost. What it must not do is to tell what is not true.
bool DiskWriter::empty() {
  parts_.memory.drop_disk_bodies();
  parts_.segments->remove_all();
  parts_.notes.clear();
  if (!parts_.index->wipe()) return false;
  settle_removals();
  damaged_ = false;
  parts_.distrusted = false;
  return true;
}

bool DiskWriter::redo_removals() {
  RecordBatch batch(parts_, graveyard_);
  for (EraseJob& removal : removals_) edit(batch, removal);
  std::string why;
  if (batch.write(why) != StoreIndex::Outcome::done) return false;
  settle_removals();
  return true;
}

// From where on would we find bytes without records after a crash? From the youngest segment, or from the beginning of
// the longest download.
void DiskWriter::note_segments() {
  const auto youngest = parts_.segments->youngest();
  std::uint32_t from = youngest != 0 ? youngest : parts_.segments->next_id();
  for (const auto& body : arriving_)
    for (const PlacedExtent& placed : body->extents)
      if (placed.file) from = std::min(from, placed.extent.segment);
  if (from != noted_from_) parts_.index->sync();  // the records of what lies before are safe
  parts_.state_file.writing_from(from, parts_.segments->next_id());
  noted_from_ = from;
}

Result<PurgeReport> DiskWriter::purge(const PurgeScope& scope) {
  if (!switch_.on()) return Error(ErrorKind::io, Side::self, "the disk of the cache is off: " + switch_.reason());
  eviction_.stop();
  const Result<PurgeReport> report = Purge(parts_, graveyard_, scope).run({arriving_.begin(), arriving_.end()});
  if (!report) fail(report.error().detail);
  note_segments();
  return report;
}

Result<void> DiskWriter::flush() {
  if (!switch_.on()) return Error(ErrorKind::io, Side::self, "the disk of the cache is off: " + switch_.reason());
  bool synced = parts_.index->sync();
  for (const auto& file : parts_.segments->all()) synced = file->sync() && synced;
  if (!synced) return Error(ErrorKind::io, Side::self, "writing to the disk failed");
  return {};
}

}  // namespace outrider
