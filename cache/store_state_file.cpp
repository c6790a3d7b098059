#include "cache/store_state_file.hpp"

#include <fstream>
#include <functional>
#include <string>

namespace outrider {
namespace {

constexpr const char* kTitle = "outrider-store";
constexpr int kVersion = 1;

// A number of this start of the machine.
std::uint32_t this_boot() {
  static const std::uint32_t boot = [] {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return static_cast<std::uint32_t>(std::hash<std::string>{}(id));
  }();
  return boot;
}

}  // namespace

StoreStateFile::Read StoreStateFile::read() {
  std::ifstream in(path_);
  std::string title;
  int version = 0;
  if (!in) return Read::missing;
  if (!(in >> title >> version) || title != kTitle || version != kVersion) return Read::other_version;
  std::string word;
  std::uint32_t segment = 0;
  while (in >> word >> segment) {
    if (word == "writing") crashed_from_ = segment;
    if (word == "next") next_ = segment;
    if (word == "boot") boot_ = segment;
    if (word == "suspect") suspects_.insert(segment);
  }
  return Read::fine;
}

void StoreStateFile::crashed_until(std::uint32_t next_segment, bool all) {
  const bool lost_power = crashed_from_ != kNone && boot_ != this_boot();
  if (all || lost_power) crashed_from_ = 1;
  for (; crashed_from_ < next_segment; ++crashed_from_) suspects_.insert(crashed_from_);
  crashed_from_ = kNone;
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

void StoreStateFile::gone(std::uint32_t segment) {
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
    out << "boot " << this_boot() << '\n';
    if (writing_from_ != kNone) out << "writing " << writing_from_ << '\n';
    for (const std::uint32_t segment : suspects_) out << "suspect " << segment << '\n';
    if (!out.flush()) return;
  }
  std::error_code ignored;
  std::filesystem::rename(draft, path_, ignored);
}

}  // namespace outrider
