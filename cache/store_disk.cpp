#include "cache/store_disk.hpp"

#include "base/log.hpp"

namespace outrider {

void DiskSwitch::turn_off(std::string reason) {
  {
    const std::lock_guard lock(mutex_);
    if (!on_.exchange(false, std::memory_order_acq_rel)) return;
    reason_ = reason;
  }
  log::error(Room::cache, "cache_disk_off", {{"reason", reason}});
}

void DiskSwitch::turn_on() {
  {
    const std::lock_guard lock(mutex_);
    if (on_.exchange(true, std::memory_order_acq_rel)) return;
    reason_.clear();
  }
  log::info(Room::cache, "cache_disk_on", {});
}

}  // namespace outrider
