// How often the cache answered, and how.
#pragma once

#include "base/metrics.hpp"
#include "cache/exchange_response.hpp"

#include <array>

namespace outrider {

class CacheCounters {
 public:
  explicit CacheCounters(Metrics& metrics);
  void answered(CacheVerdict verdict) { answers_[static_cast<std::size_t>(verdict)]->add(); }
  void served(std::uint64_t bytes) { bytes_served_->add(bytes); }
  void validated_in_background() { background_->add(); }
  void invalidated() { invalidations_->add(); }
  std::uint64_t answers(CacheVerdict verdict) const { return answers_[static_cast<std::size_t>(verdict)]->value(); }

 private:
  std::array<Counter*, 6> answers_{};
  Counter* bytes_served_;
  Counter* background_;
  Counter* invalidations_;
};

}  // namespace outrider
