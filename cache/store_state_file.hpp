// A small file that says which version wrote the store, which numbers of segments have been used (a number is used
// once: somebody may still have it in mind), and in which segments bytes may lie that no record knows of: after a crash
// all of them, and those where replaced bodies were still being read or could not be removed. Whoever has to make sure
// that something is in no file any more (purge with forget) searches these, and only these.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>

namespace outrider {

class StoreStateFile {
 public:
  explicit StoreStateFile(std::filesystem::path path) : path_(std::move(path)) {}

  enum class Read : std::uint8_t { fine, missing, other_version };
  Read read();
  // Segments from `segment` on are being written. After a crash they are suspects. Numbers below `next` have been used.
  void writing_from(std::uint32_t segment, std::uint32_t next);
  void suspect(std::uint32_t segment);
  void cleared(std::uint32_t segment);  // is no suspect any more: gone, or searched
  void closed();                        // nothing is being written

  std::uint32_t next_segment() const { return next_; }
  bool is_suspect(std::uint32_t segment) const { return suspects_.contains(segment); }
  // After read(): these are there. If it found traces of a crash, or no file, all of them are suspects: a body that had
  // been replaced may lie anywhere, and a segment may still hold what it was written over (segment_set.hpp).
  void existing(const std::set<std::uint32_t>& segments);

 private:
  void write() const;

  static constexpr std::uint32_t kNone = UINT32_MAX;
  const std::filesystem::path path_;
  std::set<std::uint32_t> suspects_;
  std::uint32_t next_ = 1;
  std::uint32_t writing_from_ = kNone;
  bool crashed_ = false;
};

}  // namespace outrider
