// One segment file: written at its end by one thread, read by any. Whoever holds it can read it, even after it has been
// unlinked. Neighbours: segment_format.hpp (what is inside), segment_set.hpp (all of them).
#pragma once

#include "base/error.hpp"

#include <sys/uio.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace outrider {

// Bytes that segment files take on the disk, including files that are unlinked but still read by somebody.
using DiskUsage = std::shared_ptr<std::atomic<std::uint64_t>>;

class SegmentFile {
 public:
  enum class Read : std::uint8_t { done, would_wait, failed };

  static Result<std::shared_ptr<SegmentFile>> create(const std::filesystem::path& path, std::uint32_t id,
                                                     DiskUsage usage);
  static Result<std::shared_ptr<SegmentFile>> open(const std::filesystem::path& path, std::uint32_t id,
                                                   DiskUsage usage);
  ~SegmentFile();
  SegmentFile(const SegmentFile&) = delete;
  SegmentFile& operator=(const SegmentFile&) = delete;

  std::uint32_t id() const { return id_; }
  std::uint64_t size() const { return size_.load(std::memory_order_acquire); }  // the end, holes included
  std::uint64_t disk_bytes() const { return disk_bytes_.load(std::memory_order_relaxed); }

  // All of `pieces` (changed on the way) at the end of the file, or nothing: 0 or the errno. What `pieces` has beyond
  // `total` is written, too, and then written over by the next one.
  int append(std::span<iovec> pieces, std::uint64_t total);
  // Writes over what is in it, from the front: the system has memory and disk space for that already. For who knows
  // that nobody else holds this file.
  void begin_again();
  // How many bytes to write beyond the end so that no block is left half old, which would have to be read for that.
  std::size_t rest_of_block(std::uint64_t end) const;
  bool cut_rest();  // what has not been written over
  Read read(std::uint64_t offset, std::span<char> into) const;
  Read read_now(std::uint64_t offset, std::span<char> into) const;  // only what the system has in memory
  void will_read(std::uint64_t offset, std::uint64_t length) const;
  // The bytes are zero afterwards and, block by block, no longer on the disk.
  bool punch(std::uint64_t offset, std::uint64_t length);
  bool sync();  // a no-op if nothing has been written since the last one
  void unlink();

 private:
  SegmentFile(int fd, std::filesystem::path path, std::uint32_t id, std::uint64_t size, std::uint64_t disk_bytes,
              DiskUsage usage);

  const int fd_;
  const int without_waiting_;  // how to read so
  const std::filesystem::path path_;
  const std::uint32_t id_;
  std::atomic<std::uint64_t> size_;
  std::atomic<std::uint64_t> disk_bytes_;
  const DiskUsage usage_;
  std::uint64_t reserved_ = 0;  // up to here the file is of before
  bool written_ = false;        // since the last sync()
};

}  // namespace outrider
