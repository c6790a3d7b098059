#include "cache/store_state_file.hpp"

#include <fstream>
#include <string>
#include <utility>

namespace outrider {
namespace {

constexpr const char* kTitle = "outrider-store";
constexpr int kVersion = 1;

}  // namespace

StoreStateFile::Read StoreStateFile::read() {
  std::ifstream in(path_);
  std::string title;
  int version = 0;
  if (!in) {
    crashed_ = true;  // or something worse
    return Read::missing;
  }
  if (!(in >> title >> version) || title != kTitle || version != kVersion) return Read::other_version;
  std::string word;
  std::uint32_t segment = 0;
  while (in >> word >> segment) {
    if (word == "writing") crashed_ = true;
    if (word == "next") next_ = segment;
    if (word == "suspect") suspects_.insert(segment);
  }
  return Read::fine;
}

void StoreStateFile::existing(const std::set<std::uint32_t>& segments) {
  if (std::exchange(crashed_, false)) {
    suspects_ = segments;
  } else {
    std::erase_if(suspects_, [&](std::uint32_t segment) { return !segments.contains(segment); });
  }
}

void StoreStateFile::writing_from(std::uint32_t segment, std::uint32_t next) {
  if (segment == writing_from_ && next == next_) return;
  writing_from_ = segment;
  next_ = next;
  write();
}

void StoreStateFile::suspect(std::uint32_t segment) {
  if (suspects_.insert(segment).second) write();
}

void StoreStateFile::cleared(std::uint32_t segment) {
  if (suspects_.erase(segment) > 0) write();
}

void StoreStateFile::closed() {
  writing_from_ = kNone;
  write();
}

// Replaced as a whole. Not synced: after a loss of power an older state suspects more, not less.
void StoreStateFile::write() const {
  const std::filesystem::path draft = path_.string() + ".new";
  {
    std::ofstream out(draft, std::ios::trunc);
    out << kTitle << ' ' << kVersion << '\n';
    out << "next " << next_ << '\n';
    if (writing_from_ != kNone) out << "writing " << writing_from_ << '\n';
    for (const std::uint32_t segment : suspects_) out << "suspect " << segment << '\n';
    if (!out.flush()) return;
  }
  std::error_code ignored;
  std::filesystem::rename(draft, path_, ignored);
}

}  // namespace outrider
