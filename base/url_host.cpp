#include "base/url_host.hpp"

#include "base/url_idna.hpp"
#include "base/url_ip.hpp"
#include "base/url_percent.hpp"
#include "base/utf8.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace outrider {
namespace {

constexpr std::uint8_t kForbiddenInHost = 1;
constexpr std::uint8_t kForbiddenInDomain = 2;
constexpr std::uint8_t kNeedsDecoding = 4;  // '%' or not ASCII

constexpr std::array<std::uint8_t, 256> make_host_table() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    if (c < 0x20 || c == 0x7F) table[c] |= kForbiddenInDomain;
    if (c >= 0x80) table[c] |= kNeedsDecoding;
  }
  table['%'] |= kForbiddenInDomain | kNeedsDecoding;
  constexpr char kForbidden[] = "\0\t\n\r #/:<>?@[\\]^|";
  for (char c : std::string_view(kForbidden, sizeof kForbidden - 1))
    table[static_cast<unsigned char>(c)] |= kForbiddenInHost | kForbiddenInDomain;
  return table;
}
constexpr std::array<std::uint8_t, 256> kHostTable = make_host_table();

constexpr UrlProblem kForbiddenProblem = "the host contains a forbidden character";

std::uint8_t classes_in(std::string_view text) {
  std::uint8_t found = 0;
  for (char c : text) found |= kHostTable[static_cast<unsigned char>(c)];
  return found;
}

UrlProblem append_opaque_host(std::string& out, HostKind& kind, std::string_view input) {
  if (classes_in(input) & kForbiddenInHost) return kForbiddenProblem;
  append_percent_encoded(out, input, EncodeSet::c0_control);
  kind = input.empty() ? HostKind::none : HostKind::opaque;
  return nullptr;
}

// `ascii` holds no '%'. Lower-cases it; that is all the domain parser does to ASCII, "xn--" labels included.
UrlProblem append_ascii_domain(std::string& out, HostKind& kind, std::string_view ascii) {
  if (ascii.empty()) return "the host is empty";
  if (classes_in(ascii) & kForbiddenInDomain) return kForbiddenProblem;
  if (ends_in_number(ascii)) {
    const std::optional<std::uint32_t> address = parse_ipv4(ascii);
    if (!address) return "the host ends in a number but is no IPv4 address";
    append_ipv4(out, *address);
    kind = HostKind::ipv4;
    return nullptr;
  }
  for (char c : ascii) out.push_back(to_ascii_lower(c));
  kind = HostKind::domain;
  return nullptr;
}

}  // namespace

UrlProblem append_host(std::string& out, HostKind& kind, std::string_view input, bool special) {
  if (!input.empty() && input.front() == '[') {
    if (input.back() != ']') return "the IPv6 address is not closed by ]";
    const std::optional<Ipv6Pieces> address = parse_ipv6(input.substr(1, input.size() - 2));
    if (!address) return "the host in brackets is no IPv6 address";
    append_ipv6(out, *address);
    kind = HostKind::ipv6;
    return nullptr;
  }
  if (!special) return append_opaque_host(out, kind, input);
  if (!(classes_in(input) & kNeedsDecoding)) return append_ascii_domain(out, kind, input);

  const std::string domain = percent_decode(input);
  if (is_ascii(domain)) return append_ascii_domain(out, kind, domain);
  // The standard decodes with replacement; U+FFFD is disallowed in domains, so ill-formed bytes fail either way.
  if (!is_valid_utf8(domain)) return "the host is not valid UTF-8";
  const std::optional<std::string> ascii = domain_to_ascii(domain);
  if (!ascii) return "the host is not a valid internationalised domain name";
  return append_ascii_domain(out, kind, *ascii);
}

Result<std::string> parse_host(std::string_view input, bool special) {
  if (input.size() > Url::kMaxBytes) return Error(ErrorKind::invalid_argument, Side::self, "the host is too long");
  std::string repaired;
  if (!is_ascii(input) && !is_valid_utf8(input)) input = repaired = replace_invalid_utf8(input);
  std::string out;
  HostKind kind = HostKind::none;
  if (special && input.empty()) return Error(ErrorKind::invalid_argument, Side::self, "the host is empty");
  if (UrlProblem problem = append_host(out, kind, input, special))
    return Error(ErrorKind::invalid_argument, Side::self, problem);
  return out;
}

}  // namespace outrider
