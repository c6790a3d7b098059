// The one thread that writes to disk. It takes jobs from the queue, many at a time: first their bodies go to the
// segments in one write, then their records to the index in another one, so that a record never speaks of a body that
// is not there. In between it evicts. When the disk fails it refuses everything, tries again every few seconds, and
// comes back; removals are remembered meanwhile, and the files are disowned in case we end before that.
#pragma once

#include "base/error.hpp"
#include "cache/store.hpp"
#include "cache/store_eviction.hpp"
#include "cache/store_load.hpp"
#include "cache/store_records.hpp"
#include "cache/store_secret.hpp"

#include <deque>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace outrider {

class DiskWriter {
 public:
  DiskWriter(DiskParts& parts, DiskSwitch& disk_switch, std::filesystem::path folder, StoreSecret& secret);

  void start();
  void stop();  // after the queue has been closed: waits until everything in it is done

  // Only from CallJobs, that is, on the thread itself.
  Result<PurgeReport> purge(const PurgeScope& scope);
  Result<void> flush();

 private:
  using Jobs = std::vector<Job>;
  void run();
  void tick();
  void apply(Jobs& jobs);

  bool write_bodies(Jobs& jobs);
  void edit(RecordBatch& batch, CommitJob& job);
  void edit(RecordBatch& batch, HeadJob& job);
  void edit(RecordBatch& batch, EraseJob& job);
  void edit(RecordBatch& batch, VisitJob& job);
  bool write_records(Jobs& jobs);
  void done(Job& job);
  void refuse(Job& job);
  void committed(CommitJob& job);
  void refuse_commit(CommitJob& job);
  void refuse_body(PendingBody& body);
  void remove_later(EraseJob job);
  void settle_removals();
  void complete_in_memory(const CacheKey& key);
  void abandon(PendingBody& body);

  void fail(std::string why, bool damaged = false);
  void probe();
  void disown_outdated_files();
  void make_room_for_others();
  bool empty();
  bool redo_removals();
  void note_segments();
  void adapt_to_disk();
  bool has_room() const;

  DiskParts& parts_;
  DiskSwitch& switch_;
  const std::filesystem::path folder_;
  StoreSecret& secret_;
  Graveyard graveyard_{parts_};
  Eviction eviction_{parts_, graveyard_};
  std::set<std::shared_ptr<PendingBody>> arriving_;  // some of it is on disk, not yet committed
  std::deque<EraseJob> removals_;                    // that could not be written
  bool damaged_ = false;                             // the index has to be wiped
  SteadyTime probe_at_{};
  SteadyTime no_room_since_{};
  std::uint32_t noted_from_ = 0;
  std::thread thread_;
};

}  // namespace outrider
