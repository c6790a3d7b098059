#include "cache/cache_counters.hpp"

namespace outrider {

CacheCounters::CacheCounters(Metrics& metrics)
    : bytes_served_(&metrics.counter("outrider_cache_served_bytes_total",
                                     "Bytes of bodies that came from the store and not from an origin.")),
      background_(&metrics.counter("outrider_cache_background_validations_total",
                                   "Stored answers that were validated behind a client's back.")),
      invalidations_(&metrics.counter("outrider_cache_invalidations_total",
                                      "Stored answers made doubtful by an unsafe request.")) {
  for (const CacheVerdict verdict : {CacheVerdict::bypass, CacheVerdict::miss, CacheVerdict::collapsed,
                                     CacheVerdict::hit, CacheVerdict::stale, CacheVerdict::revalidated})
    answers_[static_cast<std::size_t>(verdict)] =
        &metrics.counter("outrider_cache_answers_total", "Answers by what the cache had to do with them.",
                         {{"verdict", std::string{to_string(verdict)}}});
}

}  // namespace outrider
