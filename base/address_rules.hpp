// Rules by address prefix and port ("10.0.0.0/8", "[2001:db8::/32]:443"). The most specific one that fits decides: the
// longest prefix first, then the narrower range of ports, then whichever was added first. Any number of rules costs one
// hash look-up per prefix length in use. What a value means is the owner's business.
#pragma once

#include "base/ip_address.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace outrider {

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 65535;

  bool contains(std::uint16_t port) const { return first <= port && port <= last; }
  bool is_all() const { return first == 0 && last == 65535; }
  int width() const { return last - first; }
  bool operator==(const PortRange&) const = default;

  static Result<PortRange> parse(std::string_view text);  // "443", "8000-8999"
  std::string to_string() const;
};

class AddressRules {
 public:
  struct Rule {
    IpPrefix prefix;
    PortRange ports;
    std::uint32_t value;
    std::uint32_t next;  // the next less specific rule of the same prefix

    std::string to_string() const;
  };

  void add(const IpPrefix& prefix, PortRange ports, std::uint32_t value);
  // nullptr = none fits. An IPv6 address that no IPv6 rule speaks about is judged by the IPv4 address it embeds, if
  // any.
  const Rule* find(const IpAddress& address, std::uint16_t port) const;
  // Without looking at embedded addresses: for peers, who are free to send from 2002:7f00:1::1.
  const Rule* find_peer(const IpAddress& address) const { return find_exactly(unmapped(address), 0); }
  const Rule& at(std::uint32_t index) const { return rules_[index]; }
  std::uint32_t index_of(const Rule& rule) const { return static_cast<std::uint32_t>(&rule - rules_.data()); }
  bool empty() const { return rules_.empty(); }
  std::size_t size() const { return rules_.size(); }

 private:
  struct Key {
    std::uint64_t high;
    std::uint64_t low;
    std::uint32_t length_and_family;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t mixed = (key.high ^ key.low * 0x9e3779b97f4a7c15U ^ key.length_and_family) * 0xff51afd7ed558ccdU;
      return static_cast<std::size_t>(mixed ^ mixed >> 32);
    }
  };
  static Key key_of(const IpAddress& address, unsigned length);
  const Rule* find_exactly(const IpAddress& address, std::uint16_t port) const;

  static constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<Rule> rules_;
  std::unordered_map<Key, std::uint32_t, Hash> first_;  // the most specific rule of a prefix
  std::vector<unsigned> v4_lengths_;                    // those in use, longest first
  std::vector<unsigned> v6_lengths_;
};

}  // namespace outrider
