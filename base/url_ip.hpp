// IPv4 and IPv6 addresses as hosts of URLs: https://url.spec.whatwg.org/#host-parsing. More liberal than inet_pton
// where browsers are ("0x7f.1" is 127.0.0.1), so an address policy must look at what comes out here, never at the text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

using Ipv6Pieces = std::array<std::uint16_t, 8>;

// Is the last label a number? Then the host is an IPv4 address or nothing. `ascii` must not be empty.
bool ends_in_number(std::string_view ascii);
std::optional<std::uint32_t> parse_ipv4(std::string_view ascii);
void append_ipv4(std::string& out, std::uint32_t address);

std::optional<Ipv6Pieces> parse_ipv6(std::string_view text);   // without the brackets
void append_ipv6(std::string& out, const Ipv6Pieces& pieces);  // with the brackets, RFC 5952 form

}  // namespace outrider
