#include "proxy/destination_rules.hpp"

#include "base/config_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace outrider {
namespace {

constexpr std::array<std::uint16_t, 83> kBadPorts = {
    0,    1,    7,    9,    11,   13,   15,   17,   19,   20,   21,   22,   23,   25,   37,   42,   43,
    53,   69,   77,   79,   87,   95,   101,  102,  103,  104,  109,  110,  111,  113,  115,  117,  119,
    123,  135,  137,  139,  143,  161,  179,  389,  427,  465,  512,  513,  514,  515,  526,  530,  531,
    532,  540,  548,  554,  556,  563,  587,  601,  636,  989,  990,  993,  995,  1719, 1720, 1723, 2049,
    3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080};

Error refused(std::string why) {
  return Error{ErrorKind::rule_denied, Side::self, std::move(why), true};
}

// True: a rule allows it and names the port on purpose. False: nothing forbids it so far.
Result<bool> opened_by_rule(const HostPatterns& rules, std::string_view host, std::uint16_t port) {
  const HostPatterns::Match match = rules.find(host, port);
  if (match.kind == HostPatterns::Match::Kind::not_a_host)
    return Error{ErrorKind::bad_message, Side::client, "the request names no valid host", true};
  if (match && match.value == AddressPolicy::kDeny)
    return refused(fmt::format("blocked by rule \"{}\"", rules.text(match)));
  return match && !match.ports.is_all();
}

// Everything but tunnels.
Result<void> check_request(const HostPatterns& rules, std::string_view host, std::uint16_t port) {
  const Result<bool> opened = opened_by_rule(rules, host, port);
  if (!opened) return opened.error();
  if (!*opened && is_bad_port(port)) return refused(fmt::format("port {} is not one for web pages", port));
  return {};
}

// A port that was opened for people is not open for the robot.
Result<void> check_robot(const HostPatterns& rules, std::string_view host, std::uint16_t port) {
  if (is_bad_port(port)) return refused(fmt::format("port {} is not one for web pages", port));
  return check_request(rules, host, port);
}

Error at_key(std::string_view key, const Error& error) {
  return Error{error.kind, error.side, fmt::format("destinations.{}: {}", key, error.detail)};
}

}  // namespace

bool is_bad_port(std::uint16_t port) {
  static const auto table = [] {
    std::bitset<65536> ports;
    for (const std::uint16_t bad : kBadPorts) ports.set(bad);
    return ports;
  }();
  return table.test(port);
}

void DestinationSettings::describe(SectionSchema<DestinationSettings>& s) {
  using Self = DestinationSettings;
  s.key("block", &Self::block, "Patterns of hosts that nobody may go to. \"*\" blocks all that is not allowed.",
        Change::live);
  s.key("allow", &Self::allow,
        "Patterns of hosts that may be gone to although a wider pattern blocks them. An address or prefix of a private "
        "network "
        "opens that network where private addresses are denied; a pattern with a port opens that port for CONNECT.",
        Change::live);
  s.key("connect_ports", &Self::connect_ports,
        "Ports and ranges that CONNECT may go to, \"*\" for all. Empty: all for a person's own browser (every listener "
        "on "
        "loopback); 80, 443 and 8443 for a shared installation.",
        Change::live);
  s.key("private", &Self::private_addresses,
        "Whether clients may go to private, loopback and link-local addresses. auto: yes if every listener is on "
        "loopback. The "
        "addresses of cloud metadata services are never open unless listed in allow.",
        Change::live);
  s.key("robot_allow", &Self::robot_allow,
        "Addresses and prefixes that the robot may visit although they are not on the public internet.", Change::live);
}

Result<std::shared_ptr<const DestinationRules>> DestinationRules::create(const DestinationSettings& settings,
                                                                         const Installation& installation) {
  std::shared_ptr<DestinationRules> rules{new DestinationRules};
  if (Result<void> read = rules->read_rules(settings); !read) return read.error();
  if (Result<void> read = rules->read_ports(settings, installation.personal); !read) return read.error();
  if (Result<void> made = rules->make_policies(settings, installation); !made) return made.error();
  return std::shared_ptr<const DestinationRules>{std::move(rules)};
}

Result<void> DestinationRules::read_rules(const DestinationSettings& settings) {
  // Of two equal patterns the first one added counts: block.
  for (const std::string& pattern : settings.block)
    if (Result<void> added = rules_->add(pattern, AddressPolicy::kDeny); !added) return at_key("block", added.error());
  for (const std::string& pattern : settings.allow)
    if (Result<void> added = rules_->add(pattern, AddressPolicy::kAllow); !added) return at_key("allow", added.error());
  return {};
}

Result<void> DestinationRules::read_ports(const DestinationSettings& settings, bool personal) {
  if (settings.connect_ports.empty()) {
    if (personal) {
      connect_ports_ = {PortRange{}};
    } else {
      connect_ports_ = {PortRange{443, 443}, PortRange{80, 80}, PortRange{8443, 8443}};
    }
  }
  for (const std::string& text : settings.connect_ports) {
    const Result<PortRange> range = text == "*" ? Result<PortRange>{PortRange{}} : PortRange::parse(text);
    if (!range) return at_key("connect_ports", range.error());
    connect_ports_.push_back(*range);
  }
  return {};
}

Result<void> DestinationRules::make_policies(const DestinationSettings& settings, const Installation& installation) {
  const bool open = settings.private_addresses == PrivateAddresses::allow ||
                    (settings.private_addresses == PrivateAddresses::automatic && installation.personal);
  AddressPolicy browser = open ? AddressPolicy::personal() : AddressPolicy::public_only();
  browser.opened_by = "destinations.private, destinations.allow";
  browser.own_ports = installation.own_ports;
  browser.rules = std::make_shared<const AddressRules>(rules_->addresses());

  // What is blocked is blocked for the robot as well; what was opened for people is not.
  auto robot_rules = std::make_shared<AddressRules>();
  AddressPolicy robot = AddressPolicy::public_only();
  robot.opened_by = "destinations.robot_allow";
  robot.own_ports = installation.own_ports;
  for (std::uint32_t i = 0; i < rules_->addresses().size(); ++i) {
    const AddressRules::Rule& rule = rules_->addresses().at(i);
    if (rule.value == AddressPolicy::kDeny || classify(rule.prefix.network()) == AddressClass::public_internet)
      robot_rules->add(rule.prefix, rule.ports, rule.value);
  }
  robot.rules = std::move(robot_rules);
  for (const std::string& text : settings.robot_allow) {
    const Result<IpPrefix> prefix = IpPrefix::parse(text);
    if (!prefix) return at_key("robot_allow", prefix.error());
    robot.allow.push_back(*prefix);
  }
  const std::shared_ptr<const HostPatterns> rules = rules_;
  browser.host_rules = [rules](std::string_view host, std::uint16_t port) { return check_request(*rules, host, port); };
  robot.host_rules = [rules](std::string_view host, std::uint16_t port) { return check_robot(*rules, host, port); };
  browser_ = std::make_shared<const AddressPolicy>(std::move(browser));
  robot_ = std::make_shared<const AddressPolicy>(std::move(robot));
  return {};
}

Result<void> DestinationRules::check(std::string_view host, std::uint16_t port, bool is_connect) const {
  if (!is_connect) return check_request(*rules_, host, port);
  const Result<bool> opened = opened_by_rule(*rules_, host, port);
  if (!opened) return opened.error();
  if (*opened) return {};
  for (const PortRange& range : connect_ports_)
    if (range.contains(port) && port != 0) return {};
  return refused(fmt::format("tunnels to port {} are not allowed here (destinations.connect_ports)", port));
}

}  // namespace outrider
