// Makes guessing passwords slow for the guesser: after a few failures a client's address has to wait before its next
// guess is looked at, twice as long each time. A table of fixed size; IPv6 clients are counted by their /64, which one
// machine owns.
#pragma once

#include "base/clock.hpp"
#include "base/ip_address.hpp"
#include "base/siphash.hpp"

#include <cstdint>
#include <mutex>
#include <vector>

namespace outrider {

class LoginThrottle {
 public:
  static constexpr unsigned kFreeFailures = 5;  // people mistype
  static constexpr Duration kFirstWait = std::chrono::seconds{1};
  static constexpr Duration kLongestWait = std::chrono::minutes{5};
  static constexpr Duration kForgetAfter = std::chrono::minutes{15};  // without a failure

  explicit LoginThrottle(std::size_t capacity = 4096);

  // How long this client has to wait before its next attempt; 0 = not at all.
  Duration wait_for(const IpAddress& client, SteadyTime now) const;
  // A success in between changes nothing: otherwise whoever has one account could guess all others.
  void failed(const IpAddress& client, SteadyTime now);

 private:
  struct Entry {
    Digest128 client;
    unsigned failures = 0;
    SteadyTime last{};
    SteadyTime closed_until{};
  };
  static constexpr std::size_t kWays = 4;
  Digest128 digest(const IpAddress& client) const;
  std::size_t bucket(const Digest128& digest) const { return (digest.low & (entries_.size() / kWays - 1)) * kWays; }

  const SipKey key_ = SipKey::random();
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace outrider
