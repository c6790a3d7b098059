// Where clients and the robot may go: rules by host pattern, port and class of address. Asked twice for each
// destination: before the name is resolved (check() for tunnels; requests are asked about by cache/exchange, through
// the policies below), and by base/egress on the address that is then connected to, so that neither an odd spelling nor
// a changing DNS answer gets around the rules about addresses.
#pragma once

#include "base/address_policy.hpp"
#include "base/error.hpp"
#include "proxy/host_patterns.hpp"

#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

template <class S>
class SectionSchema;

enum class PrivateAddresses : std::uint8_t { automatic, allow, deny };
constexpr auto enum_names(PrivateAddresses) {
  return std::to_array<std::pair<PrivateAddresses, std::string_view>>(
      {{PrivateAddresses::automatic, "auto"}, {PrivateAddresses::allow, "allow"}, {PrivateAddresses::deny, "deny"}});
}

struct DestinationSettings {
  std::vector<std::string> block;
  std::vector<std::string> allow;
  std::vector<std::string> connect_ports;  // empty: see DestinationRules
  PrivateAddresses private_addresses = PrivateAddresses::automatic;
  std::vector<std::string> robot_allow;

  static constexpr std::string_view kSection = "destinations";
  static constexpr std::string_view kComment =
      "Where clients may go. Patterns: \"www.example.com\", \"*.example.com\" (subdomains), \".example.com\" (name and "
      "subdomains), \"10.0.0.0/8\", \"*\"; each may be followed by \":port\" or \":port-port\". The most specific "
      "pattern decides.";
  static void describe(SectionSchema<DestinationSettings>& s);
};

// How the installation is used, as far as the rules depend on it.
struct Installation {
  bool personal = true;                  // every listener is on a loopback address: a person's own browser
  std::vector<std::uint16_t> own_ports;  // that we listen on; never connected to on this machine
};

// Immutable; any thread may ask.
//
// Defaults: a personal installation may go wherever the browser could go without us. A shared one may go to the public
// internet, and CONNECT there to ports 80 (plain WebSocket), 443 and 8443: its clients are not to use it to reach mail
// servers or databases. Plain requests go to no port that browsers refuse too (the Fetch Standard's bad ports): they
// can be made to speak other protocols. A rule in `allow` that names the port lifts both.
class DestinationRules {
 public:
  static Result<std::shared_ptr<const DestinationRules>> create(const DestinationSettings& settings,
                                                                const Installation& installation);

  // `host` as in a URL (lower case or not, with or without brackets and final dot). Failure: rule_denied with the
  // reason for people, or bad_message if it is no host at all.
  Result<void> check(std::string_view host, std::uint16_t port, bool is_connect) const;

  // Complete: with the rules about names, so that whoever has a policy has all of them.
  const std::shared_ptr<const AddressPolicy>& policy_for_browser() const { return browser_; }
  const std::shared_ptr<const AddressPolicy>& policy_for_robot() const { return robot_; }

 private:
  DestinationRules() = default;
  Result<void> read_rules(const DestinationSettings& settings);
  Result<void> read_ports(const DestinationSettings& settings, bool personal);
  Result<void> make_policies(const DestinationSettings& settings, const Installation& installation);

  std::shared_ptr<HostPatterns> rules_ = std::make_shared<HostPatterns>();  // the policies hold it too
  std::vector<PortRange> connect_ports_;
  std::shared_ptr<const AddressPolicy> browser_;
  std::shared_ptr<const AddressPolicy> robot_;
};

// Ports that no browser sends a plain request to (https://fetch.spec.whatwg.org/#port-blocking).
bool is_bad_port(std::uint16_t port);

}  // namespace outrider
