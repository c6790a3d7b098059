// All segment files of a store, numbered in the order of their age. New extents go to the end of the youngest one; the
// oldest one is the next to be evicted, and the next to be written: once it is gone, its bytes are spare, and the next
// file takes their place (docs/decisions/0116-what-goes-with-its-segment.md). Finding a file is for any thread,
// everything else for the writer thread.
// Neighbours: segment_file.hpp, segment_scan.hpp, store_eviction.hpp.
#pragma once

#include "base/error.hpp"
#include "cache/segment_file.hpp"
#include "cache/segment_format.hpp"
#include "cache/store_body.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string_view>
#include <vector>

namespace outrider {

// An extent to be written; the views must live until append() returns.
struct NewExtent {
  ExtentHeader header;
  std::string_view key;
  std::vector<std::string_view> body;
  PlacedExtent placed;  // filled in by append()
};

// The number of the oldest segment that there is: what lies in an older one is gone.
using OldestSegment = std::shared_ptr<std::atomic<std::uint32_t>>;

class SegmentSet {
 public:
  // `fault`, for tests: an errno that the next write fails with, 0 = none.
  static Result<std::unique_ptr<SegmentSet>> open(
      const std::filesystem::path& folder, std::uint64_t segment_size, std::uint32_t next_id,
      std::function<int()> fault, OldestSegment oldest = std::make_shared<std::atomic<std::uint32_t>>(0));

  std::shared_ptr<SegmentFile> find(std::uint32_t id) const;

  // Writes all of them or none; returns 0 or the errno. Files that are full are sealed, new ones begun.
  int append(std::span<NewExtent> extents);
  void seal();                                                              // no more is written to the youngest file
  std::uint32_t next_id() const { return next_id_; }                        // of the file that will be created next
  std::uint32_t youngest() const { return current_ ? current_->id() : 0; }  // that is being written; 0 = none
  std::shared_ptr<SegmentFile> oldest() const;  // nullptr if there is none besides the one being written
  std::vector<std::shared_ptr<SegmentFile>> all() const;
  void remove(std::uint32_t id);
  void remove_all();
  bool drop_spare();  // what has been removed is in no file any more
  std::uint32_t oldest_id() const { return oldest_->load(std::memory_order_acquire); }
  bool sync_names() const;  // what has been removed does not come back, not even after a loss of power

  std::uint64_t linked_bytes() const;  // of the files that have a name
  std::uint64_t used_bytes() const { return usage_->load(std::memory_order_relaxed); }
  std::size_t count() const;
  ~SegmentSet() { seal(); }

 private:
  SegmentSet(std::filesystem::path folder, std::uint64_t segment_size, std::function<int()> fault, OldestSegment oldest)
      : folder_(std::move(folder)), segment_size_(segment_size), fault_(std::move(fault)), oldest_(std::move(oldest)) {}
  void note_oldest();
  int append_run(std::span<NewExtent> run);
  int begin_file();
  std::shared_ptr<SegmentFile> reuse_spare();
  bool make_spare(const SegmentFile& file);
  std::filesystem::path path_of(std::uint32_t id) const;
  std::filesystem::path spare_path() const { return folder_ / "spare"; }

  const std::filesystem::path folder_;
  const std::uint64_t segment_size_;
  const std::function<int()> fault_;
  const OldestSegment oldest_;
  const DiskUsage usage_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  mutable std::shared_mutex mutex_;  // files_
  std::map<std::uint32_t, std::shared_ptr<SegmentFile>> files_;
  std::shared_ptr<SegmentFile> current_;  // nullptr = the next append begins one
  std::uint32_t next_id_ = 1;
  std::uint64_t spare_bytes_ = 0;  // 0 = there is no spare file
};

}  // namespace outrider
