#include "proxy/host_patterns.hpp"

#include "base/http_header_id.hpp"
#include "base/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace outrider {
namespace {

constexpr std::size_t kMaxName = 255;  // DNS allows 253

// Lower-case letters, 0 for what can be in no host name (the URL Standard's forbidden domain code points, and
// non-ASCII).
consteval std::array<char, 256> make_fold() {
  std::array<char, 256> fold{};
  for (unsigned c = 0x21; c < 0x7f; ++c) fold[c] = static_cast<char>(c);
  for (unsigned c = 'A'; c <= 'Z'; ++c) fold[c] = static_cast<char>(c | 0x20U);
  for (const char c : std::string_view{"#%/:<>?@[\\]^|"}) fold[static_cast<unsigned char>(c)] = 0;
  return fold;
}
constexpr std::array<char, 256> kFold = make_fold();
char fold(char c) {
  return kFold[static_cast<unsigned char>(c)];
}

// Taken from the end of a name to its beginning, so that every suffix has been hashed on the way to the whole.
struct SuffixHash {
  std::uint64_t value = 0xcbf29ce484222325;
  void add(char c) { value = (value ^ static_cast<unsigned char>(c)) * 0x9fb21c651e98df25; }
  std::uint64_t finished() const { return value ^ value >> 29; }
};

std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
}

Error bad(std::string_view pattern, std::string_view why) {
  return Error{ErrorKind::invalid_argument, Side::self, fmt::format("\"{}\" is not a host pattern: {}", pattern, why)};
}

// "example.com." is "example.com", fully qualified.
std::string_view without_last_dot(std::string_view name) {
  if (name.size() > 1 && name.back() == '.') name.remove_suffix(1);
  return name;
}

// WHATWG: a name whose last label is a number is an IPv4 address or nothing.
bool ends_in_digits(std::string_view name) {
  const std::string_view label = name.substr(name.rfind('.') + 1);
  return !label.empty() && std::all_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct Split {
  std::string_view host;
  std::string_view ports;
  bool has_ports = false;
  bool bracketed = false;
};

bool split_ports(std::string_view pattern, Split& split) {
  std::size_t end = pattern.size();
  if (pattern.starts_with('[')) {
    const std::size_t close = pattern.find(']');
    if (close == std::string_view::npos) return false;
    split.bracketed = true;
    split.host = pattern.substr(1, close - 1);
    end = close + 1;
    if (end < pattern.size() && pattern[end] != ':') return false;
  } else {
    const std::size_t colon = pattern.find(':');
    // More than one colon is an IPv6 address, which has no ports without brackets.
    if (colon != std::string_view::npos && pattern.find(':', colon + 1) == std::string_view::npos) end = colon;
    split.host = pattern.substr(0, end);
  }
  split.has_ports = end < pattern.size();
  if (split.has_ports) split.ports = pattern.substr(end + 1);
  return true;
}

// In the spelling that comes out of a parsed URL.
Result<std::string> canonical_name(std::string_view name) {
  name = without_last_dot(name);
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
  if (plain && name.find("xn--") == std::string_view::npos) return std::string{name};
  return parse_host(name, true);
}

}  // namespace

Result<void> HostPatterns::add(std::string_view pattern, std::uint32_t value) {
  if (pattern.empty()) return bad(pattern, "it is empty");
  if (std::any_of(pattern.begin(), pattern.end(),
                  [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }))
    return bad(pattern, "it contains white space or control characters");
  if (pattern.find("://") != std::string_view::npos)
    return bad(pattern, "give the host alone, without http:// or https://");
  Split split;
  if (!split_ports(pattern, split)) return bad(pattern, "write [address]:port");
  PortRange ports;
  if (split.has_ports) {
    const Result<PortRange> range = PortRange::parse(split.ports);
    if (!range) return bad(pattern, range.error().detail);
    ports = *range;
  }
  std::string_view host = split.host;
  if (host == "*") {
    add_name(Scope::both, {}, ports, value);
    return {};
  }
  const bool is_prefix = host.find_first_of("/:") != std::string_view::npos;
  if (split.bracketed || is_prefix || ends_in_digits(host)) {
    const Result<IpPrefix> prefix = IpPrefix::parse(host);
    if (!prefix) {
      const bool path =
          is_prefix && !ends_in_digits(host.substr(0, host.find('/'))) && host.find(':') == std::string_view::npos;
      return bad(pattern, path ? "a pattern has a host and ports, no path" : prefix.error().detail);
    }
    addresses_.add(*prefix, ports, value);
    return {};
  }
  Scope scope = Scope::exact;
  if (host.starts_with("*.")) {
    scope = Scope::subdomains;
    host.remove_prefix(2);
  } else if (host.starts_with('.')) {
    scope = Scope::both;
    host.remove_prefix(1);
  }
  if (host.find('*') != std::string_view::npos)
    return bad(pattern, "a * stands for all subdomains, in front: *.example.com");
  const Result<std::string> name = canonical_name(host);
  if (!name) return bad(pattern, name.error().detail);
  const bool empty_label = name->starts_with('.') || name->ends_with('.') || name->find("..") != std::string::npos;
  if (name->empty() || empty_label || name->size() > kMaxName || ends_in_digits(*name))
    return bad(pattern, "that is no host name");
  add_name(scope, *name, ports, value);
  return {};
}

void HostPatterns::add_name(Scope scope, std::string_view name, PortRange ports, std::uint32_t value) {
  NameRule rule{static_cast<std::uint32_t>(names_.size()), value, kNone, ports,
                static_cast<std::uint8_t>(name.size()),    scope};
  if (name.empty()) return insert(any_host_, rule);
  if ((distinct_names_ + 1) * 2 > slots_.size()) grow();
  std::uint32_t& head = head_of(name);
  if (head == kNone) {
    ++distinct_names_;
    names_.append(name);
  } else {
    rule.name_at = rules_[head].name_at;
  }
  insert(head, rule);
}

void HostPatterns::insert(std::uint32_t& head, const NameRule& rule) {
  const auto rank = [](const NameRule& r) { return std::pair{r.scope, r.ports.width()}; };
  std::uint32_t* place = &head;
  while (*place != kNone && rank(rules_[*place]) <= rank(rule)) {
    const NameRule& other = rules_[*place];
    if (other.scope == rule.scope && other.ports == rule.ports) return;  // said before: the first one counts
    place = &rules_[*place].next;
  }
  const std::uint32_t next = *place;
  *place = static_cast<std::uint32_t>(rules_.size());  // before the vector may move what `place` points into
  rules_.push_back(rule);
  rules_.back().next = next;
}

// The slot of `name`: with its rules, or the free one where they will be.
std::uint32_t& HostPatterns::head_of(std::string_view name) {
  SuffixHash hash;
  for (std::size_t i = name.size(); i-- > 0;) hash.add(name[i]);
  const std::uint64_t finished = hash.finished();
  for (std::size_t at = finished & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    Slot& slot = slots_[at];
    if (slot.first == kNone) {
      slot.tag = tag_of(finished);
      return slot.first;
    }
    if (slot.tag == tag_of(finished) && name_of(rules_[slot.first]) == name) return slot.first;
  }
}

void HostPatterns::grow() {
  std::vector<Slot> old(std::max<std::size_t>(16, slots_.size() * 2));
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.first != kNone) head_of(name_of(rules_[slot.first])) = slot.first;
}

std::uint32_t HostPatterns::probe(std::uint64_t hash, std::string_view name) const {
  for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[at];
    if (slot.first == kNone) return kNone;
    if (slot.tag == tag_of(hash) && equal_ignoring_case(name_of(rules_[slot.first]), name)) return slot.first;
  }
}

const HostPatterns::NameRule* HostPatterns::fitting(std::uint32_t head, bool whole, std::uint16_t port) const {
  const Scope other = whole ? Scope::subdomains : Scope::exact;  // the scope that does not fit
  for (std::uint32_t at = head; at != kNone; at = rules_[at].next)
    if (rules_[at].scope != other && rules_[at].ports.contains(port)) return &rules_[at];
  return nullptr;
}

HostPatterns::Match HostPatterns::found(const NameRule& rule) const {
  return {Match::Kind::found, false, rule.value, static_cast<std::uint32_t>(&rule - rules_.data()), rule.ports};
}

HostPatterns::Match HostPatterns::find(std::string_view host, std::uint16_t port) const {
  if (empty()) return {};
  if (host.empty() || host.size() > kMaxName) return {Match::Kind::not_a_host};
  if (host.front() == '[' && host.back() == ']') return find_address(host.substr(1, host.size() - 2), port);
  host = without_last_dot(host);
  if (host.find(':') != std::string_view::npos || ends_in_digits(host)) return find_address(host, port);
  return find_name(host, port);
}

HostPatterns::Match HostPatterns::find_address(std::string_view text, std::uint16_t port) const {
  // The system's parser stops at a NUL and takes a zone; neither has a place here.
  if (text.find_first_of(std::string_view{"\0%", 2}) != std::string_view::npos) return {Match::Kind::not_a_host};
  boost::system::error_code code;
  const IpAddress address = boost::asio::ip::make_address(text, code);
  if (code) return {Match::Kind::not_a_host};
  if (const AddressRules::Rule* rule = addresses_.find(address, port))
    return {Match::Kind::found, true, rule->value, addresses_.index_of(*rule), rule->ports};
  const NameRule* any = fitting(any_host_, false, port);
  return any != nullptr ? found(*any) : Match{};
}

HostPatterns::Match HostPatterns::find_name(std::string_view name, std::uint16_t port) const {
  const NameRule* best = fitting(any_host_, false, port);
  SuffixHash hash;
  std::size_t label_end = name.size();
  for (std::size_t i = name.size();; --i) {
    const bool whole = i == 0;
    if (whole || name[i - 1] == '.') {
      if (label_end == i) return {Match::Kind::not_a_host};  // an empty label
      label_end = whole ? 0 : i - 1;
      if (distinct_names_ > 0) {
        const std::uint32_t head = probe(hash.finished(), name.substr(i));
        if (const NameRule* rule = head == kNone ? nullptr : fitting(head, whole, port)) best = rule;
      }
      if (whole) break;
    }
    const char c = fold(name[i - 1]);
    if (c == 0) return {Match::Kind::not_a_host};
    hash.add(c);
  }
  return best != nullptr ? found(*best) : Match{};
}

std::string HostPatterns::text(const Match& match) const {
  if (!match) return {};
  if (match.by_address) return addresses_.at(match.rule).to_string();
  const NameRule& rule = rules_[match.rule];
  std::string text;
  if (rule.name_size == 0) {
    text = "*";
  } else {
    static constexpr std::array<std::string_view, 3> kFront = {"", "*.", "."};
    text = fmt::format("{}{}", kFront[static_cast<std::size_t>(rule.scope)], name_of(rule));
  }
  if (!rule.ports.is_all()) text += fmt::format(":{}", rule.ports.to_string());
  return text;
}

}  // namespace outrider
