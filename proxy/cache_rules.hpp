// What the person who runs Outrider wants of the cache, site by site: the section [cache] of the configuration as
// CacheRules. Immutable; a reload makes a new one.
//
//   sites = ["*.bank.example never", ".docs.example at-least=1h", "news.example at-most=5m ignore-reload"]
#pragma once

#include "cache/policy_rules.hpp"
#include "cache/settings.hpp"
#include "proxy/host_patterns.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace outrider {

class SiteCacheRules {
 public:
  // `never_keep`: hosts of which nothing is to be kept anywhere (memory.never_keep), whatever `sites` says.
  static Result<std::shared_ptr<const SiteCacheRules>> create(const CacheSettings& settings,
                                                              const std::vector<std::string>& never_keep);
  // What is wrong with the key cache.sites, said when the configuration is read.
  static Refusal check(const std::vector<std::string>& sites);

  const std::shared_ptr<const CacheRules>& of(std::string_view host, std::uint16_t port) const;
  // Somebody's own answers need a name: whose they are.
  bool one_person() const { return one_person_; }

 private:
  HostPatterns patterns_, never_;
  std::vector<std::shared_ptr<const CacheRules>> rules_;  // [0]: where no pattern fits
  std::shared_ptr<const CacheRules> never_rules_;
  bool one_person_ = false;
};

}  // namespace outrider
