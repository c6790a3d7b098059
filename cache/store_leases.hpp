// Which bodies may be read from disk right now. An entry that has been replaced or erased is gone at once, but its
// bytes are removed from the files only when nobody reads them any more. Any thread.
#pragma once

#include "cache/store_entry.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace outrider {

class BodyLeases : public std::enable_shared_from_this<BodyLeases> {
 public:
  std::shared_ptr<const BodyLease> lease(const CacheKey& key, VariantId variant);
  bool held(VariantId variant) const {
    const std::lock_guard lock(mutex_);
    return held_.contains(variant);
  }

 private:
  friend struct BodyLease;
  void end(VariantId variant) {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(variant);
    if (--found->second == 0) held_.erase(found);
  }
  mutable std::mutex mutex_;
  std::unordered_map<VariantId, unsigned> held_;
};

struct BodyLease {
  BodyLease(CacheKey k, VariantId v, std::shared_ptr<BodyLeases> o)
      : key(std::move(k)), variant(v), owner(std::move(o)) {}
  BodyLease(const BodyLease&) = delete;
  BodyLease& operator=(const BodyLease&) = delete;
  ~BodyLease() { owner->end(variant); }

  const CacheKey key;
  const VariantId variant;
  const std::shared_ptr<BodyLeases> owner;
};

inline std::shared_ptr<const BodyLease> BodyLeases::lease(const CacheKey& key, VariantId variant) {
  {
    const std::lock_guard lock(mutex_);
    ++held_[variant];
  }
  return std::make_shared<const BodyLease>(key, variant, shared_from_this());
}

}  // namespace outrider
