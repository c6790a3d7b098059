#include "proxy/login_throttle.hpp"

#include <algorithm>
#include <bit>

namespace outrider {

LoginThrottle::LoginThrottle(std::size_t capacity) : entries_(std::bit_ceil((capacity + kWays - 1) / kWays) * kWays) {}

Digest128 LoginThrottle::digest(const IpAddress& client) const {
  const IpAddress counted = allotment_of(client);
  const auto hash = [this](const auto& bytes) {
    return siphash128(key_, std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  return counted.is_v4() ? hash(counted.to_v4().to_bytes()) : hash(counted.to_v6().to_bytes());
}

Duration LoginThrottle::wait_for(const IpAddress& client, SteadyTime now) const {
  const Digest128 wanted = digest(client);
  const std::lock_guard lock{mutex_};
  for (std::size_t i = bucket(wanted), end = i + kWays; i < end; ++i) {
    const Entry& entry = entries_[i];
    if (entry.failures > 0 && entry.client == wanted) return std::max(entry.closed_until - now, Duration::zero());
  }
  return Duration::zero();
}

void LoginThrottle::failed(const IpAddress& client, SteadyTime now) {
  const Digest128 wanted = digest(client);
  const std::lock_guard lock{mutex_};
  const std::size_t first = bucket(wanted);
  const auto weight = [now](const Entry& entry) {
    return std::pair{now - entry.last < kForgetAfter ? entry.failures : 0, entry.last};
  };
  Entry* place = &entries_[first];
  for (std::size_t i = first; i < first + kWays; ++i) {
    Entry& entry = entries_[i];
    if (entry.failures > 0 && entry.client == wanted) {
      place = &entry;
      break;
    }
    // Else the one that matters least: free or forgotten, or with the fewest failures, or the oldest of those.
    if (weight(entry) < weight(*place)) place = &entry;
  }
  const bool known = place->failures > 0 && place->client == wanted && now - place->last < kForgetAfter;
  place->client = wanted;
  place->failures = known ? place->failures + 1 : 1;
  place->last = now;
  place->closed_until = now;
  if (place->failures < kFreeFailures) return;
  const unsigned doublings = std::min(place->failures - kFreeFailures, 16U);
  place->closed_until = now + std::min(kFirstWait * (std::int64_t{1} << doublings), kLongestWait);
}

}  // namespace outrider
