#include "base/address_policy.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>

namespace outrider {
namespace {

std::size_t index(AddressClass address_class) {
  return static_cast<std::size_t>(address_class);
}

Error denied(const IpAddress& address, std::string_view why, ErrorKind kind = ErrorKind::address_denied) {
  return Error{kind, Side::self, fmt::format("{} is {}", address.to_string(), why), true};
}

// No class is wider than /7, so a wider prefix was written with something else in mind.
bool speaks_of(const IpPrefix& prefix, AddressClass address_class) {
  return prefix.length() >= 7 && classify(prefix.network()) == address_class;
}

bool same_address(const sockaddr& interface, const IpAddress& address) {
  if (interface.sa_family == AF_INET && address.is_v4()) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(interface);
    return ntohl(v4.sin_addr.s_addr) == address.to_v4().to_uint();
  }
  if (interface.sa_family == AF_INET6 && address.is_v6()) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(interface);
    const auto bytes = address.to_v6().to_bytes();
    return std::equal(bytes.begin(), bytes.end(), std::begin(v6.sin6_addr.s6_addr));
  }
  return false;
}

}  // namespace

AddressPolicy AddressPolicy::public_only() {
  AddressPolicy policy;
  policy.allowed_classes.set(index(AddressClass::public_internet));
  return policy;
}

AddressPolicy AddressPolicy::personal() {
  AddressPolicy policy = public_only();
  for (const AddressClass c :
       {AddressClass::loopback, AddressClass::private_net, AddressClass::shared_net, AddressClass::link_local})
    policy.allowed_classes.set(index(c));
  return policy;
}

Result<void> AddressPolicy::check(const IpAddress& address, std::uint16_t port) const {
  if (contains(deny, address)) return denied(address, "on the list of denied addresses", ErrorKind::rule_denied);
  if (std::find(own_ports.begin(), own_ports.end(), port) != own_ports.end() && is_own_address(address))
    return denied(address, "this proxy itself: the request would loop");
  const AddressClass address_class = classify(address);
  if (const AddressRules::Rule* rule = rules ? rules->find(address, port) : nullptr) {
    if (rule->value == kDeny)
      return denied(address, fmt::format("blocked by rule \"{}\"", rule->to_string()), ErrorKind::rule_denied);
    if (speaks_of(rule->prefix, address_class)) return {};
  }
  if (contains(allow, address)) return {};
  if (allowed_classes.test(index(address_class))) return {};
  const std::string setting = opened_by.empty() ? "" : fmt::format(" ({})", opened_by);
  return denied(address,
                fmt::format("a {} address, and those are not allowed here{}", to_string(address_class), setting));
}

bool is_own_address(const IpAddress& given) {
  const IpAddress address = unmapped(given);
  if (address.is_unspecified() || classify(address) == AddressClass::loopback) return true;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  bool own = false;
  for (const ifaddrs* entry = list; entry != nullptr && !own; entry = entry->ifa_next)
    own = entry->ifa_addr != nullptr && same_address(*entry->ifa_addr, address);
  freeifaddrs(list);
  return own;
}

}  // namespace outrider
