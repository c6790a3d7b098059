// A small file that says which version wrote the store, which numbers of segments have been used (a number is used
// once: somebody may still have it in mind), and in which segments bytes may lie that no record knows of: after a crash
// those that were being written then, and those where replaced bodies were still being read. Whoever has to make sure
// that something is in no file any more (purge with forget) searches these, and only these.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <vector>

namespace outrider {

class StoreStateFile {
 public:
  explicit StoreStateFile(std::filesystem::path path) : path_(std::move(path)) {}

  enum class Read : std::uint8_t { fine, missing, other_version };
  Read read();
  // Segments from `segment` on are being written. After a crash they are suspects. Numbers below `next` have been used.
  void writing_from(std::uint32_t segment, std::uint32_t next);
  void suspect(std::uint32_t segment);
  void gone(std::uint32_t segment);
  void closed();  // nothing is being written

  std::uint32_t next_segment() const { return next_; }
  bool is_suspect(std::uint32_t segment) const { return suspects_.contains(segment) || segment >= crashed_from_; }
  // What read() found is only about segments that existed then. If it found no file, all of them are suspects; and if
  // the power went: then a segment may still hold what it was written over (segment_set.hpp).
  void crashed_until(std::uint32_t next_segment, bool all);

 private:
  void write() const;

  static constexpr std::uint32_t kNone = UINT32_MAX;
  const std::filesystem::path path_;
  std::set<std::uint32_t> suspects_;
  std::uint32_t next_ = 1;
  std::uint32_t writing_from_ = kNone;
  std::uint32_t crashed_from_ = kNone;
  std::uint32_t boot_ = 0;  // when the file was written; 0 = not known
};

}  // namespace outrider
