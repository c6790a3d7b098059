#include "proxy/memory_rules.hpp"

namespace outrider {

Result<std::shared_ptr<const MemoryRules>> MemoryRules::create(const MemorySettings& settings) {
  auto rules = std::make_shared<MemoryRules>();
  rules->remember_ = settings.remember;
  for (const std::string& pattern : settings.never_keep)
    if (Result<void> added = rules->never_.add(pattern, 0); !added) return added.error();
  for (const std::string& pattern : settings.keep_anyway)
    if (Result<void> added = rules->anyway_.add(pattern, 0); !added) return added.error();
  return rules;
}

bool MemoryRules::never_keep(std::string_view host, std::uint16_t port) const {
  return !remember_ || static_cast<bool>(never_.find(host, port));
}

bool MemoryRules::keep_anyway(std::string_view host, std::uint16_t port) const {
  return static_cast<bool>(anyway_.find(host, port));
}

}  // namespace outrider
