#include "base/address_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace outrider {
namespace {

bool parse_port(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size();
}

std::uint64_t big_endian(const unsigned char* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

// The upper `bits` bits set; 0 to 64.
std::uint64_t mask(unsigned bits) {
  return bits == 0 ? 0 : ~std::uint64_t{0} << (64 - bits);
}

}  // namespace

Result<PortRange> PortRange::parse(std::string_view text) {
  PortRange range;
  const std::size_t dash = text.find('-');
  bool good = parse_port(text.substr(0, dash), range.first);
  range.last = range.first;
  if (dash != std::string_view::npos) good = good && parse_port(text.substr(dash + 1), range.last);
  if (good && range.first > 0 && range.first <= range.last) return range;
  return Error{ErrorKind::invalid_argument, Side::self,
               fmt::format("\"{}\" is not a port or a range of ports such as 443 or 8000-8999", text)};
}

std::string PortRange::to_string() const {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

std::string AddressRules::Rule::to_string() const {
  const IpAddress& network = prefix.network();
  const bool single = prefix.length() == (network.is_v4() ? 32 : 128);
  const std::string text = single ? network.to_string() : prefix.to_string();
  if (ports.is_all()) return text;
  return network.is_v6() ? fmt::format("[{}]:{}", text, ports.to_string())
                         : fmt::format("{}:{}", text, ports.to_string());
}

AddressRules::Key AddressRules::key_of(const IpAddress& address, unsigned length) {
  if (address.is_v4()) return {(std::uint64_t{address.to_v4().to_uint()} << 32) & mask(length), 0, length};
  const auto bytes = address.to_v6().to_bytes();
  return {big_endian(bytes.data()) & mask(std::min(length, 64U)),
          big_endian(bytes.data() + 8) & mask(length > 64 ? length - 64 : 0), length | 0x100U};
}

void AddressRules::add(const IpPrefix& prefix, PortRange ports, std::uint32_t value) {
  std::vector<unsigned>& lengths = prefix.network().is_v4() ? v4_lengths_ : v6_lengths_;
  if (std::find(lengths.begin(), lengths.end(), prefix.length()) == lengths.end()) {
    lengths.push_back(prefix.length());
    std::sort(lengths.begin(), lengths.end(), std::greater<>{});
  }
  const auto index = static_cast<std::uint32_t>(rules_.size());
  std::uint32_t* place = &first_.try_emplace(key_of(prefix.network(), prefix.length()), kNone).first->second;
  while (*place != kNone && rules_[*place].ports.width() <= ports.width()) {
    if (rules_[*place].ports == ports) return;  // said before: the first one counts
    place = &rules_[*place].next;
  }
  const std::uint32_t next = *place;
  *place = index;  // before the vector may move what `place` points into
  rules_.push_back({prefix, ports, value, next});
}

const AddressRules::Rule* AddressRules::find_exactly(const IpAddress& address, std::uint16_t port) const {
  for (const unsigned length : address.is_v4() ? v4_lengths_ : v6_lengths_) {
    const auto found = first_.find(key_of(address, length));
    if (found == first_.end()) continue;
    for (std::uint32_t at = found->second; at != kNone; at = rules_[at].next)
      if (rules_[at].ports.contains(port)) return &rules_[at];
  }
  return nullptr;
}

const AddressRules::Rule* AddressRules::find(const IpAddress& address, std::uint16_t port) const {
  if (rules_.empty()) return nullptr;
  const IpAddress meant = unmapped(address);
  if (const Rule* rule = find_exactly(meant, port)) return rule;
  if (v4_lengths_.empty()) return nullptr;
  const auto inner = embedded_v4(meant);
  return inner ? find_exactly(*inner, port) : nullptr;
}

}  // namespace outrider
