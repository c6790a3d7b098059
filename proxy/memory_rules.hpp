// What the person who runs Outrider wants remembered, site by site: the section [memory] of the configuration.
// Immutable; a reload makes a new one.
#pragma once

#include "cache/memory_settings.hpp"
#include "proxy/host_patterns.hpp"

#include <memory>
#include <string_view>

namespace outrider {

class MemoryRules {
 public:
  static Result<std::shared_ptr<const MemoryRules>> create(const MemorySettings& settings);

  // The site is on the list, or nothing is to be remembered at the moment.
  bool never_keep(std::string_view host, std::uint16_t port) const;
  // The site is remembered whatever its answers say.
  bool keep_anyway(std::string_view host, std::uint16_t port) const;

 private:
  HostPatterns never_, anyway_;
  bool remember_ = true;
};

}  // namespace outrider
