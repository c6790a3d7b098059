// Certificates for the hosts of intercepted tunnels, signed by our authority and kept in memory: the most recently used
// of them, all with one key that lives as long as the process. How many are made in a second is limited, because the
// names come from outside. Thread safe; mint() computes and belongs on a worker thread.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "proxy/authority.hpp"

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace outrider {

// What a certificate can be made for: an address, or a name of letters, digits, hyphens and underscores in labels of at
// most 63 bytes, at most 253 in all. No wildcards, no dot at the end.
bool is_certifiable(std::string_view host);

struct LeafLimits {
  std::size_t kept = 2000;
  double per_second = 1000;  // and as many at once
};

class LeafMint {
 public:
  using Leaf = std::shared_ptr<X509>;
  // Browsers accept nothing longer than 200 days (CA/Browser Forum, from March 2026).
  static constexpr auto kLife = std::chrono::hours{24} * 199;

  static Result<std::unique_ptr<LeafMint>> create(std::shared_ptr<const Authority> authority, const LeafLimits& limits);
  ~LeafMint();

  // The certificate for `host` if there is one that is still good for a day; nullptr otherwise.
  Leaf find(std::string_view host, WallTime now);
  // The same, made if need be. Two that want the same at the same time get the same. Failures: bad_message (no name for
  // a certificate), busy (too many in this second).
  Result<Leaf> mint(std::string_view host, WallTime now, SteadyTime steady);

  EVP_PKEY* key() const { return key_.get(); }
  std::size_t kept() const;
  std::uint64_t minted() const;

 private:
  struct Entry {
    std::string host;
    Leaf leaf;
    WallTime good_until;
  };
  struct Extensions;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  LeafMint(std::shared_ptr<const Authority> authority, const LeafLimits& limits);
  bool may_mint(SteadyTime now);
  Result<Leaf> make(std::string_view host, WallTime now, WallTime end) const;
  void keep(std::string_view host, Leaf leaf, WallTime good_until);

  const std::shared_ptr<const Authority> authority_;
  const LeafLimits limits_;
  PrivateKeyPtr key_;
  std::unique_ptr<const Extensions> extensions_;  // those that are the same in every certificate

  mutable std::mutex mutex_;
  std::list<Entry> by_use_;  // most recent first
  std::unordered_map<std::string, std::list<Entry>::iterator, Hash, std::equal_to<>> by_host_;
  double tokens_;
  SteadyTime refilled_{};
  std::uint64_t minted_ = 0;
  // Who wants a certificate waits here for the one who is making it. A stripe serves many hosts.
  std::array<std::mutex, 64> making_;
};

}  // namespace outrider
