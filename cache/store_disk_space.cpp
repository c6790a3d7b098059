#include "cache/store_disk_space.hpp"

#include <sys/statvfs.h>

#include <algorithm>

namespace outrider {

std::optional<DiskSpace> DiskSpace::of(std::filesystem::path folder) {
  std::error_code ignored;
  while (folder.has_relative_path() && !std::filesystem::exists(folder, ignored)) folder = folder.parent_path();
  if (folder.empty()) folder = ".";
  struct statvfs facts {};
  if (::statvfs(folder.c_str(), &facts) != 0 || facts.f_blocks == 0) return std::nullopt;
  return DiskSpace{facts.f_blocks * facts.f_frsize, facts.f_bavail * facts.f_frsize};
}

std::uint64_t DiskSpace::kept_free() const {
  constexpr std::uint64_t kMost = 1 << 30;
  return std::min(total / 10, kMost);
}

std::uint64_t DiskSpace::room_for(std::uint64_t own) const {
  const std::uint64_t all = own + available;
  return all - std::min(all, kept_free());
}

}  // namespace outrider
