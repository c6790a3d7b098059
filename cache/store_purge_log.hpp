// What has been purged lately, so that a response that was already being received then is not put in afterwards.
#pragma once

#include "cache/store_purge.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

namespace outrider {

class PurgeLog {
 public:
  std::uint64_t now() const { return count_.load(std::memory_order_acquire); }

  void add(const PurgeScope& scope) {
    const std::lock_guard lock(mutex_);
    scopes_.push_back(scope);
    if (scopes_.size() > kKept) scopes_.pop_front();
    count_.fetch_add(1, std::memory_order_acq_rel);
  }

  // Something that began when now() was `since` would have been removed, had it been there. In doubt, yes.
  bool hit(std::uint64_t since, const CacheKey& key, const StoredHead& head) const {
    if (now() == since) return false;
    const std::lock_guard lock(mutex_);
    const std::uint64_t missed = count_.load(std::memory_order_relaxed) - since;
    if (missed > scopes_.size()) return true;
    return std::any_of(scopes_.end() - static_cast<std::ptrdiff_t>(missed), scopes_.end(),
                       [&](const PurgeScope& scope) { return Purge::covers(scope, key.bytes) && scope.means(head); });
  }

 private:
  static constexpr std::size_t kKept = 1024;
  std::atomic<std::uint64_t> count_{0};
  mutable std::mutex mutex_;
  std::deque<PurgeScope> scopes_;
};

}  // namespace outrider
