// IP addresses, the classes they fall into, and prefixes ("10.0.0.0/8").
#pragma once

#include "base/error.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

using IpAddress = boost::asio::ip::address;

// Every address is in exactly one class. What an IPv6 address embeds (IPv4-mapped, 6to4, NAT64, Teredo) is judged as
// the embedded IPv4 address, so that no spelling of a private address looks public.
enum class AddressClass : std::uint8_t {
  public_internet,
  loopback,     // 127/8, ::1
  private_net,  // 10/8, 172.16/12, 192.168/16, fc00::/7
  shared_net,   // 100.64/10, carrier-grade NAT (RFC 6598)
  link_local,   // 169.254/16, fe80::/10
  metadata,     // the cloud's instance metadata services
  multicast,
  reserved,  // unspecified, broadcast, documentation, benchmarking, future use
};
inline constexpr std::size_t kAddressClasses = 8;

AddressClass classify(const IpAddress& address);
// The IPv4 address that a connection to this IPv6 address ends up at: IPv4-mapped and -compatible, NAT64, 6to4, Teredo.
std::optional<boost::asio::ip::address_v4> embedded_v4(const IpAddress& address);
// The address as it is meant: an IPv4-mapped one, which is how a dual-stack socket shows its IPv4 peers, as IPv4.
IpAddress unmapped(const IpAddress& address);
// What one machine is given, so that it counts as one whatever address of that it comes from: an IPv4 address, or in
// IPv6 a /64 (written as the first address in it).
IpAddress allotment_of(const IpAddress& address);
// 127/8, ::1 or ::ffff:127.x. Unlike classify() it takes no embedded address for loopback: anybody on the local network
// can send from 2002:7f00:1::1.
bool is_loopback(const IpAddress& address);
std::string_view to_string(AddressClass address_class);  // "loopback"
Result<AddressClass> address_class_from(std::string_view name);

class IpPrefix {
 public:
  // "10.0.0.0/8", "fe80::/10" or a single address. Host bits must be zero. Not ::ffff:10.0.0.0/104: that is 10.0.0.0/8.
  static Result<IpPrefix> parse(std::string_view text);
  bool contains(const IpAddress& address) const;
  const IpAddress& network() const { return network_; }
  unsigned length() const { return length_; }
  std::string to_string() const;

 private:
  IpPrefix(const IpAddress& network, unsigned length) : network_(network), length_(length) {}
  IpAddress network_;
  unsigned length_;
};

bool contains(const std::vector<IpPrefix>& prefixes, const IpAddress& address);

}  // namespace outrider
