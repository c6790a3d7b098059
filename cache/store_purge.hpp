// Removing entries on request, from memory and disk; with "forget" their bytes are in no file afterwards.
#pragma once

#include "cache/segment_scan.hpp"
#include "cache/store.hpp"
#include "cache/store_records.hpp"

#include <vector>

namespace outrider {

class Purge {
 public:
  Purge(DiskParts& parts, Graveyard& graveyard, PurgeScope scope)
      : parts_(parts), graveyard_(graveyard), scope_(std::move(scope)) {}

  // From the memory tier; any thread. To be called before and after run(), because what is found on disk in between
  // comes back to memory.
  static void from_memory(MemoryTier& memory, const PurgeScope& scope);
  static bool covers(const PurgeScope& scope, std::string_view key);

  using Bodies = std::vector<std::shared_ptr<PendingBody>>;
  // On disk. `arriving`: bodies that are being written right now. Writer thread.
  Result<PurgeReport> run(const Bodies& arriving);

 private:
  bool everything() const {
    return scope_.first.empty() && !scope_.past_last && !scope_.received_before && !scope_.received_since &&
           !scope_.person;
  }
  Result<PurgeReport> wipe();
  bool remove_records(PurgeReport& report, std::string& why);
  bool remove_strays(const Bodies& arriving);
  bool leave_only_known(const std::shared_ptr<SegmentFile>& file, const Bodies& arriving);
  bool is_known(const ScannedExtent& found, const Bodies& arriving);
  bool sync();

  DiskParts& parts_;
  Graveyard& graveyard_;
  const PurgeScope scope_;
};

}  // namespace outrider
