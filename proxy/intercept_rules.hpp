// What happens to a tunnel, as the configuration has it: intercepted, passed on unseen, or refused. Immutable; any
// thread may ask. What clients have refused (proxy/pinned_hosts) and whether somebody has accepted interception
// (proxy/onboarding_state) is not known here.
#pragma once

#include "base/address_rules.hpp"
#include "base/error.hpp"
#include "proxy/host_patterns.hpp"
#include "proxy/settings.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

enum class TunnelFate : std::uint8_t { intercept, pass, refuse };

class InterceptRules {
 public:
  static Result<std::shared_ptr<const InterceptRules>> create(const TlsSettings& settings);

  struct Verdict {
    TunnelFate fate = TunnelFate::pass;
    std::string rule;  // why it is refused
  };
  // `host` without brackets. `accepted`: somebody has said yes to interception.
  Verdict decide(std::string_view host, std::uint16_t port, const IpAddress& client, bool accepted) const;

  // The rule by which no encrypted connection to this host is made; "" = there is none.
  std::string refused_by(std::string_view host, std::uint16_t port) const;

  InterceptMode mode() const { return mode_; }
  Duration pinned_for() const { return pinned_for_; }
  Duration client_speaks_first() const { return client_speaks_first_; }

 private:
  InterceptRules() = default;
  Result<void> add(const std::vector<std::string>& patterns, TunnelFate fate, std::string_view key);
  Result<void> add_list(std::string_view text, std::string_view name);
  Result<void> read_presets(const TlsSettings& settings);
  Result<void> read_files(const TlsSettings& settings);
  Result<void> read_ports(const TlsSettings& settings);

  InterceptMode mode_ = InterceptMode::off;
  HostPatterns refused_;  // asked first
  HostPatterns hosts_;
  std::vector<PortRange> ports_;
  std::vector<IpPrefix> unseen_clients_;
  Duration pinned_for_{};
  Duration client_speaks_first_{};
};

}  // namespace outrider
