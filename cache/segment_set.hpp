// All segment files of a store, numbered in the order of their age. New extents go to the end of the youngest one; the
// oldest one is the next to be evicted. Finding a file is for any thread, everything else for the writer thread.
// Neighbours: segment_file.hpp, segment_scan.hpp, store_eviction.hpp.
#pragma once

#include "base/error.hpp"
#include "cache/segment_file.hpp"
#include "cache/segment_format.hpp"
#include "cache/store_body.hpp"

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

class SegmentSet {
 public:
  // `fault`, for tests: an errno that the next write fails with, 0 = none.
  static Result<std::unique_ptr<SegmentSet>> open(const std::filesystem::path& folder, std::uint64_t segment_size,
                                                  std::uint32_t next_id, std::function<int()> fault);

  std::shared_ptr<SegmentFile> find(std::uint32_t id) const;

  // Writes all of them or none; returns 0 or the errno. Files that are full are sealed, new ones begun.
  int append(std::span<NewExtent> extents);
  // No more is written to the youngest file.
  void seal() { current_.reset(); }
  std::uint32_t next_id() const { return next_id_; }                        // of the file that will be created next
  std::uint32_t youngest() const { return current_ ? current_->id() : 0; }  // that is being written; 0 = none
  std::shared_ptr<SegmentFile> oldest() const;  // nullptr if there is none besides the one being written
  std::vector<std::shared_ptr<SegmentFile>> all() const;
  void remove(std::uint32_t id);
  void remove_all();

  std::uint64_t linked_bytes() const;  // of the files that have a name
  std::uint64_t used_bytes() const { return usage_->load(std::memory_order_relaxed); }
  std::size_t count() const;

 private:
  SegmentSet(std::filesystem::path folder, std::uint64_t segment_size, std::function<int()> fault)
      : folder_(std::move(folder)), segment_size_(segment_size), fault_(std::move(fault)) {}
  int append_run(std::span<NewExtent> run);
  int begin_file();
  std::filesystem::path path_of(std::uint32_t id) const;

  const std::filesystem::path folder_;
  const std::uint64_t segment_size_;
  const std::function<int()> fault_;
  const DiskUsage usage_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  mutable std::shared_mutex mutex_;  // files_
  std::map<std::uint32_t, std::shared_ptr<SegmentFile>> files_;
  std::shared_ptr<SegmentFile> current_;  // nullptr = the next append begins one
  std::uint32_t next_id_ = 1;
};

}  // namespace outrider
