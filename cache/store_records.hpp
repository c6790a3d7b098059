// Changing records on disk: read, change, write, many keys in one go. What becomes superfluous by it is removed from
// the segments once the index has been written (burial_at_once(): before it). Writer thread only.
#pragma once

#include "cache/store_codec.hpp"
#include "cache/store_disk.hpp"

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace outrider {

// A body that no record knows of any more.
struct DeadBody {
  VariantId variant = 0;
  std::uint32_t key_length = 0;
  std::vector<Extent> extents;
};

// Takes the bytes of dead bodies out of their files, as soon as nobody reads them any more.
class Graveyard {
 public:
  explicit Graveyard(DiskParts& parts) : parts_(parts) {}
  void bury(DeadBody body);
  // Even if somebody is reading. False: something could not be removed, and its segment is a suspect now.
  bool bury_now(const DeadBody& body);
  void sweep();  // those whose readers have gone meanwhile
  bool bury_all_now();

 private:
  DiskParts& parts_;
  std::deque<DeadBody> waiting_;
};

class RecordBatch {
 public:
  RecordBatch(DiskParts& parts, Graveyard& graveyard) : parts_(parts), graveyard_(graveyard) {}

  // These records will be asked for: read together they cost less.
  void expect(std::span<const CacheKey* const> keys);
  void know(const std::string& key, const StoreIndex::Got& got);  // read just now, with this result
  // The record as the batch knows it; without variants if there is none. To be changed in place, if touch() is called.
  StoreRecord& record(const std::string& key);
  void touch(const std::string& key) { records_.at(key).touched = true; }
  // Takes the variants out for which `match` is true, and buries them after write(). Their number.
  template <class Match>
  std::size_t remove(const std::string& key, Match&& match);

  // A record without variants is removed. On failure the index has not changed.
  StoreIndex::Outcome write(std::string& why);
  // Bodies go first, whoever reads them, and then their records: should we end in between, the records are still there
  // for whoever asks for it again, and what they promise is found damaged.
  void burial_at_once() { at_once_ = true; }

 private:
  struct Edited {
    StoreRecord record;
    bool touched = false;
  };
  void fill(Edited& edited, const StoreIndex::Got& got);
  bool bury_first();
  DiskParts& parts_;
  Graveyard& graveyard_;
  std::unordered_map<std::string, Edited> records_;
  std::vector<DeadBody> dead_;
  bool at_once_ = false;
};

template <class Match>
std::size_t RecordBatch::remove(const std::string& key, Match&& match) {
  StoreRecord& edited = record(key);
  const std::size_t removed = std::erase_if(edited.variants, [&](VariantRecord& variant) {
    if (!match(variant)) return false;
    dead_.push_back({variant.id, static_cast<std::uint32_t>(key.size()), std::move(variant.extents)});
    return true;
  });
  if (removed > 0) touch(key);
  return removed;
}

}  // namespace outrider
