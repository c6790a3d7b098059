// Answers that the robot brought and that nobody has read closely yet, on disk in the order in which they came. A crawl
// is faster than anybody can read: what it brings is put down here, its links are followed at once, and threads with
// the lowest priority read it when there is time, after a restart, too.
//
// An answer that was put down survives the end of the process; the end of the power may take the last seconds. Segment
// files (segment_file.hpp) of records, each with a checksum; a file goes when all of it has been read. An answer can be
// handed out twice after a crash: whoever records it must not mind (Sighting::waited). Any number of threads.
#pragma once

#include "base/error.hpp"
#include "cache/ingest.hpp"
#include "cache/segment_file.hpp"

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace outrider {

class IngestSpool {
 public:
  struct Options {
    std::filesystem::path folder;  // made if it is missing, for its owner alone
    std::uint64_t most_bytes = 1ull << 30;
    std::uint64_t segment_bytes = 8 << 20;
  };
  // `doomed` says of an answer whether it must go.
  using Doomed = std::function<bool(std::string_view url, WallTime at)>;

  static Result<std::unique_ptr<IngestSpool>> open(Options options);
  ~IngestSpool();

  // Answers alone, no failures to get one; `on_scanned` and the visit are not kept. False: there is no room, or the
  // disk refuses.
  bool put(const Arrival& arrival);

  struct Taken {
    Arrival arrival;
    std::uint32_t segment = 0;
  };
  // The oldest. Without done() it comes again after a restart.
  std::optional<Taken> take();
  void done(const Taken& taken);

  std::size_t waiting() const;  // not taken yet
  std::uint64_t disk_bytes() const { return *usage_; }
  // When it returns, no file contains them.
  Result<void> forget(const Doomed& doomed);
  // So that what was read is not handed out again by the next process.
  void close();

 private:
  struct Segment {
    std::shared_ptr<SegmentFile> file;
    std::size_t taken = 0;   // and not done
    bool inherited = false;  // of a former process: it may have ended while reading this
  };
  struct Place {
    std::uint32_t segment = 0;
    std::uint64_t offset = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct Header;

  explicit IngestSpool(Options options);
  Result<void> load();
  Result<void> load_segment(const std::filesystem::path& path, std::uint32_t id);
  Result<SegmentFile*> segment_to_write();
  bool write(std::uint32_t kind, std::string_view head, std::string_view body);
  void note(std::uint32_t kind, Place place);
  void apply_note(std::uint32_t kind, std::string_view payload);
  std::optional<Header> next_header(Place& place, Segment*& segment);
  Segment* find(std::uint32_t id);
  void drop_read_segments();
  static std::optional<Header> read_header(const SegmentFile& file, std::uint64_t offset);
  static std::optional<std::string> read_payload(const SegmentFile& file, std::uint64_t offset, const Header& header);

  const Options options_;
  const DiskUsage usage_;
  mutable std::mutex mutex_;
  std::deque<Segment> segments_;  // oldest first; the last one is written
  Place cursor_;                  // what is before has been taken
  std::set<Place> tried_, tried_twice_;
  std::size_t waiting_ = 0;
};

}  // namespace outrider
