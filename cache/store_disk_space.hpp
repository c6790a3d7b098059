// How much of its file system the cache may use. Others need room, too: a cache that fills the disk to the last byte
// breaks what is worth more than itself, and stops working as well.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace outrider {

struct DiskSpace {
  std::uint64_t total = 0;      // of the file system
  std::uint64_t available = 0;  // to us

  // Of the folder, or where it would be made; nothing: the system does not say.
  static std::optional<DiskSpace> of(std::filesystem::path folder);

  std::uint64_t kept_free() const;  // this much is left to others
  // The most that a cache that has `own` bytes there may have.
  std::uint64_t room_for(std::uint64_t own) const;
};

}  // namespace outrider
