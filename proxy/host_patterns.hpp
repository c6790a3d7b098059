// Rules by host pattern and port, each with a value whose meaning is the owner's (DestinationRules, ParentRules):
//
//   www.example.com      that name alone             10.0.0.1  10.0.0.0/8  2001:db8::/32   addresses
//   *.example.com        its subdomains              *                                     every host
//   .example.com         the name and its subdomains
//
// Any of them may be followed by ports: ".example.com:443", "10.0.0.0/8:8000-8999", "[2001:db8::/32]:80", "*:25".
//
// The most specific rule that fits decides: the longest name or prefix, then the exact name, then the narrower ports,
// then the rule that was added first. Names are hashed suffix by suffix, so a look-up costs the same with ten rules and
// a million. Immutable once built; then any thread may ask.
#pragma once

#include "base/address_rules.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class HostPatterns {
 public:
  struct Match {
    enum class Kind : std::uint8_t {
      none,
      found,
      not_a_host,  // control characters, empty labels, over 255 bytes …: do not connect to it, whatever the rules say
    };
    Kind kind = Kind::none;
    bool by_address = false;
    std::uint32_t value = 0;
    std::uint32_t rule = 0;
    PortRange ports{};
    explicit operator bool() const { return kind == Kind::found; }
  };

  // Names may be written in any case and script ("Bücher.example"). Failure: invalid_argument with what is wrong.
  Result<void> add(std::string_view pattern, std::uint32_t value);

  // `host` as in a URL: a name in ASCII, with or without the dot at its end, or an address with or without brackets.
  Match find(std::string_view host, std::uint16_t port) const;
  std::string text(const Match& match) const;  // the rule behind a match, as it could be written

  bool empty() const { return rules_.empty() && addresses_.empty(); }
  std::size_t size() const { return rules_.size() + addresses_.size(); }
  const AddressRules& addresses() const { return addresses_; }

 private:
  enum class Scope : std::uint8_t { exact, subdomains, both };  // most specific first
  struct NameRule {
    std::uint32_t name_at;
    std::uint32_t value;
    std::uint32_t next;  // the next less specific rule of the same name
    PortRange ports{};
    std::uint8_t name_size;
    Scope scope;
  };
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t first = kNone;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  void add_name(Scope scope, std::string_view name, PortRange ports, std::uint32_t value);
  std::uint32_t& head_of(std::string_view name);
  void insert(std::uint32_t& head, const NameRule& rule);
  void grow();
  std::string_view name_of(const NameRule& rule) const {
    return std::string_view{names_}.substr(rule.name_at, rule.name_size);
  }
  std::uint32_t probe(std::uint64_t hash, std::string_view name) const;
  const NameRule* fitting(std::uint32_t head, bool whole, std::uint16_t port) const;
  Match found(const NameRule& rule) const;
  Match find_name(std::string_view name, std::uint16_t port) const;
  Match find_address(std::string_view text, std::uint16_t port) const;

  std::string names_;
  std::vector<NameRule> rules_;
  std::vector<Slot> slots_;  // open addressing, a power of two
  std::size_t distinct_names_ = 0;
  std::uint32_t any_host_ = kNone;  // the rules for "*"
  AddressRules addresses_;
};

}  // namespace outrider
