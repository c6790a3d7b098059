// Walks over a segment file from extent to extent, in the order in which they were written. What is damaged or has been
// punched out is stepped over. For the writer thread: reads block. Neighbours: store_eviction.hpp, store_purge.hpp.
#pragma once

#include "cache/segment_file.hpp"
#include "cache/segment_format.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace outrider {

struct ScannedExtent {
  Extent extent;
  ExtentHeader header;
  std::string key;
};

class SegmentScan {
 public:
  explicit SegmentScan(std::shared_ptr<SegmentFile> file) : file_(std::move(file)), buffer_(kWindow) {}

  std::optional<ScannedExtent> next();  // nothing = the end
  std::uint64_t position() const { return at_; }
  void go_to(std::uint64_t position) {
    at_ = position;
    hops_ = true;
  }
  const std::shared_ptr<SegmentFile>& file() const { return file_; }

 private:
  static constexpr std::size_t kWindow = 1 << 20;
  static constexpr std::size_t kHop = 1024;  // a header and nearly every key
  // What the file has from at_ on: at least `wanted` bytes, unless it ends before, and at most `most`.
  std::string_view look(std::size_t wanted, std::size_t most = kWindow);
  void skip_to_plausible();

  const std::shared_ptr<SegmentFile> file_;
  std::vector<char> buffer_;
  std::uint64_t buffer_at_ = 0;
  std::size_t buffered_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t advised_ = 0;  // up to here the system knows what will be read
  bool hops_ = false;          // from header to header: what lies between them is large
};

}  // namespace outrider
