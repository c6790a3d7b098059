// Where a request may go. Names are asked about by cache/exchange, through which every request of browsers and robot
// passes, before they are resolved. Addresses are checked by the egress after name resolution, on the very address that
// is then connected to, so that neither an odd spelling nor a changing DNS answer gets around it.
#pragma once

#include "base/address_rules.hpp"
#include "base/ip_address.hpp"

#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace outrider {

struct AddressPolicy {
  std::bitset<kAddressClasses> allowed_classes;
  // By prefix and port, with kDeny or kAllow as value. kAllow lifts the refusal of a class only where the prefix speaks
  // of that very class: 10.0.0.0/8 opens the private network, 0.0.0.0/0 does not.
  static constexpr std::uint32_t kDeny = 0;
  static constexpr std::uint32_t kAllow = 1;
  std::shared_ptr<const AddressRules> rules;
  std::vector<IpPrefix> allow;           // exceptions that are allowed whatever their class
  std::vector<IpPrefix> deny;            // never, before everything else
  std::string_view opened_by;            // the setting that adds exceptions, for people who are refused; "" = none
  std::vector<std::uint16_t> own_ports;  // ports we listen on: on our own addresses they would be a loop
  // Rules about the host of a request as it stands in its URL, and the port; nullptr = none. Any thread may ask.
  std::function<Result<void>(std::string_view host, std::uint16_t port)> host_rules;

  // The public internet only: the robot, shared installations.
  static AddressPolicy public_only();
  // Everything a person's own browser could reach without us.
  static AddressPolicy personal();

  // Success, or address_denied or rule_denied with the reason.
  Result<void> check(const IpAddress& address, std::uint16_t port) const;
  // Success, or what host_rules say: rule_denied, or bad_message if it is no host at all.
  Result<void> check_host(std::string_view host, std::uint16_t port) const {
    return host_rules ? host_rules(host, port) : Result<void>{};
  }
};

// Is this one of this machine's addresses? Loopback always is; others are looked up in the interface list.
bool is_own_address(const IpAddress& address);

}  // namespace outrider
