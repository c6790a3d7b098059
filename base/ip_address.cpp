#include "base/ip_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace outrider {
namespace {

using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;

struct V4Range {
  std::uint32_t network;
  unsigned length;
  AddressClass address_class;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c, unsigned d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// IANA special-purpose registry; the first match counts.
constexpr std::array kV4Ranges = {
    V4Range{v4(169, 254, 169, 254), 32, AddressClass::metadata},  // AWS, Azure, GCP, OpenStack
    V4Range{v4(169, 254, 170, 2), 32, AddressClass::metadata},    // AWS ECS task credentials
    V4Range{v4(169, 254, 170, 23), 32, AddressClass::metadata},   // AWS EKS pod credentials
    V4Range{v4(169, 254, 0, 23), 32, AddressClass::metadata},     // Tencent
    V4Range{v4(169, 254, 42, 42), 32, AddressClass::metadata},    // Scaleway
    V4Range{v4(100, 100, 100, 200), 32, AddressClass::metadata},  // Alibaba
    V4Range{v4(168, 63, 129, 16), 32, AddressClass::metadata},    // Azure wire server
    V4Range{v4(192, 0, 0, 192), 32, AddressClass::metadata},      // Oracle
    V4Range{v4(0, 0, 0, 0), 8, AddressClass::reserved},
    V4Range{v4(10, 0, 0, 0), 8, AddressClass::private_net},
    V4Range{v4(100, 64, 0, 0), 10, AddressClass::shared_net},
    V4Range{v4(127, 0, 0, 0), 8, AddressClass::loopback},
    V4Range{v4(169, 254, 0, 0), 16, AddressClass::link_local},
    V4Range{v4(172, 16, 0, 0), 12, AddressClass::private_net},
    V4Range{v4(192, 0, 0, 0), 24, AddressClass::reserved},
    V4Range{v4(192, 0, 2, 0), 24, AddressClass::reserved},
    V4Range{v4(192, 88, 99, 0), 24, AddressClass::reserved},
    V4Range{v4(192, 168, 0, 0), 16, AddressClass::private_net},
    V4Range{v4(198, 18, 0, 0), 15, AddressClass::reserved},
    V4Range{v4(198, 51, 100, 0), 24, AddressClass::reserved},
    V4Range{v4(203, 0, 113, 0), 24, AddressClass::reserved},
    V4Range{v4(224, 0, 0, 0), 4, AddressClass::multicast},
    V4Range{v4(240, 0, 0, 0), 4, AddressClass::reserved},
};

AddressClass classify_v4(std::uint32_t address) {
  for (const V4Range& range : kV4Ranges)
    if ((address ^ range.network) >> (32 - range.length) == 0) return range.address_class;
  return AddressClass::public_internet;
}

using Bytes16 = address_v6::bytes_type;

bool has_prefix(const Bytes16& bytes, std::initializer_list<unsigned> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

std::uint32_t embedded(const Bytes16& bytes, std::size_t at) {
  return v4(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

bool is_metadata_v6(const Bytes16& b) {
  return has_prefix(b, {0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}) ||        // AWS
         has_prefix(b, {0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x23}) ||        // AWS EKS
         has_prefix(b, {0xfd, 0x20, 0x00, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}) ||        // GCP
         has_prefix(b, {0xfd, 0x00, 0x00, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe}) ||  // Oracle
         has_prefix(b, {0xfd, 0x00, 0x00, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x42});          // Scaleway
}

AddressClass classify_v6(const address_v6& address) {
  const Bytes16 b = address.to_bytes();
  if (address.is_loopback()) return AddressClass::loopback;
  if (address.is_unspecified()) return AddressClass::reserved;
  if (const auto v4 = embedded_v4(address)) return classify_v4(v4->to_uint());
  if (has_prefix(b, {0x00, 0x64, 0xff, 0x9b, 0x00, 0x01})) return AddressClass::private_net;  // local-use NAT64
  if (is_metadata_v6(b)) return AddressClass::metadata;
  if ((b[0] & 0xfeU) == 0xfcU) return AddressClass::private_net;
  if (b[0] == 0xfeU && (b[1] & 0xc0U) == 0x80U) return AddressClass::link_local;
  if (b[0] == 0xfeU && (b[1] & 0xc0U) == 0xc0U) return AddressClass::private_net;  // deprecated site-local
  if (address.is_multicast()) return AddressClass::multicast;
  if (has_prefix(b, {0x20, 0x01, 0x0d, 0xb8}) || has_prefix(b, {0x3f, 0xff}))
    return AddressClass::reserved;                                    // documentation
  if ((b[0] & 0xe0U) == 0x20U) return AddressClass::public_internet;  // 2000::/3, all that is allocated
  return AddressClass::reserved;
}

constexpr std::array<std::string_view, kAddressClasses> kClassNames = {
    "public", "loopback", "private", "shared", "link-local", "metadata", "multicast", "reserved"};

}  // namespace

std::optional<address_v4> embedded_v4(const IpAddress& address) {
  if (!address.is_v6()) return std::nullopt;
  const address_v6 v6 = address.to_v6();
  if (v6.is_loopback() || v6.is_unspecified()) return std::nullopt;  // not the "compatible" 0.0.0.1 and 0.0.0.0
  const Bytes16 b = v6.to_bytes();
  if (v6.is_v4_mapped() || has_prefix(b, {0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0}))
    return address_v4{embedded(b, 12)};
  if (has_prefix(b, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
    return address_v4{embedded(b, 12)};  // deprecated "compatible"
  if (has_prefix(b, {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) return address_v4{embedded(b, 12)};  // NAT64
  if (has_prefix(b, {0x20, 0x02})) return address_v4{embedded(b, 2)};                                       // 6to4
  if (has_prefix(b, {0x20, 0x01, 0, 0})) return address_v4{~embedded(b, 12)};  // Teredo, inverted
  return std::nullopt;
}

IpAddress unmapped(const IpAddress& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
}

IpAddress allotment_of(const IpAddress& address) {
  const IpAddress meant = unmapped(address);
  if (meant.is_v4()) return meant;
  auto bytes = meant.to_v6().to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return boost::asio::ip::address_v6{bytes};
}

bool is_loopback(const IpAddress& address) {
  const IpAddress meant = unmapped(address);
  return meant.is_v4() ? meant.to_v4().is_loopback() : meant.to_v6().is_loopback();
}

AddressClass classify(const IpAddress& address) {
  return address.is_v4() ? classify_v4(address.to_v4().to_uint()) : classify_v6(address.to_v6());
}

std::string_view to_string(AddressClass address_class) {
  return kClassNames[static_cast<std::size_t>(address_class)];
}

Result<AddressClass> address_class_from(std::string_view name) {
  const auto found = std::find(kClassNames.begin(), kClassNames.end(), name);
  if (found != kClassNames.end()) return static_cast<AddressClass>(found - kClassNames.begin());
  return Error{ErrorKind::invalid_argument, Side::self,
               fmt::format("\"{}\" is not an address class; use one of {}", name, fmt::join(kClassNames, ", "))};
}

Result<IpPrefix> IpPrefix::parse(std::string_view text) {
  const auto bad = [text](std::string_view why) {
    return Error{ErrorKind::invalid_argument, Side::self,
                 fmt::format("\"{}\" is not an address or prefix: {}", text, why)};
  };
  if (text.find('%') != std::string_view::npos) return bad("zones (%eth0) have no meaning here");
  if (text.find('\0') != std::string_view::npos)
    return bad("it contains a NUL byte");  // the system would stop reading there
  const std::size_t slash = text.find('/');
  boost::system::error_code code;
  const IpAddress network = boost::asio::ip::make_address(std::string{text.substr(0, slash)}, code);
  if (code) return bad("the address does not parse");
  if (network.is_v6() && network.to_v6().is_v4_mapped()) return bad("write it as IPv4");
  const unsigned width = network.is_v4() ? 32 : 128;
  unsigned length = width;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (error != std::errc{} || end != digits.data() + digits.size() || length > width)
      return bad(fmt::format("the length must be 0 to {}", width));
  }
  IpPrefix prefix{network, length};
  const auto masked = [length](auto bytes) {
    for (unsigned bit = length; bit < bytes.size() * 8; ++bit)
      if (bytes[bit / 8] >> (7 - bit % 8) & 1U) return false;
    return true;
  };
  const bool clean = network.is_v4() ? masked(network.to_v4().to_bytes()) : masked(network.to_v6().to_bytes());
  if (!clean) return bad("bits are set behind the prefix length");
  return prefix;
}

bool IpPrefix::contains(const IpAddress& address) const {
  const auto matches = [this](const auto& network, const auto& candidate) {
    const std::size_t whole = length_ / 8;
    if (!std::equal(network.begin(), network.begin() + static_cast<std::ptrdiff_t>(whole), candidate.begin()))
      return false;
    const unsigned rest = length_ % 8;
    return rest == 0 || (network[whole] ^ candidate[whole]) >> (8 - rest) == 0;
  };
  if (network_.is_v4()) {
    if (address.is_v4()) return matches(network_.to_v4().to_bytes(), address.to_v4().to_bytes());
    const address_v6 v6 = address.to_v6();  // a dual-stack socket shows IPv4 peers as ::ffff:a.b.c.d
    return v6.is_v4_mapped() &&
           matches(network_.to_v4().to_bytes(), make_address_v4(boost::asio::ip::v4_mapped, v6).to_bytes());
  }
  return address.is_v6() && matches(network_.to_v6().to_bytes(), address.to_v6().to_bytes());
}

std::string IpPrefix::to_string() const {
  return fmt::format("{}/{}", network_.to_string(), length_);
}

bool contains(const std::vector<IpPrefix>& prefixes, const IpAddress& address) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const IpPrefix& prefix) { return prefix.contains(address); });
}

}  // namespace outrider
