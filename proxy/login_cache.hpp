// Credentials that were verified a while ago, so that a slow hash is computed once and not for every request. Holds
// keyed digests, never the credentials. Any thread may look; a look-up takes no lock and writes nothing.
#pragma once

#include "base/clock.hpp"
#include "base/siphash.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace outrider {

class LoginCache {
 public:
  explicit LoginCache(std::size_t capacity);  // rounded up to a power of two

  // The value stored with that key, unless its time is over.
  std::optional<std::uint32_t> find(const Digest128& key, SteadyTime now) const;
  void store(const Digest128& key, std::uint32_t value, SteadyTime until);

 private:
  static constexpr std::size_t kWays = 4;

  // A seqlock: the version is odd while a writer is inside, and different afterwards.
  struct Slot {
    std::atomic<std::uint32_t> version{0};
    std::atomic<std::uint32_t> value{0};
    std::atomic<std::uint64_t> low{0};
    std::atomic<std::uint64_t> high{0};
    std::atomic<std::int64_t> until{0};  // ticks of SteadyTime; 0 = free
  };
  using Bucket = std::array<Slot, kWays>;

  std::vector<Bucket> buckets_;
  std::mutex writing_;
};

}  // namespace outrider
