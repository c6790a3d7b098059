#include "base/forwarded.hpp"

#include <fmt/format.h>

namespace outrider {

void add_forwarded(HeaderMap& headers, const IpAddress& client) {
  const std::string address = client.to_string();
  // RFC 7239 section 6: an IPv6 address stands in brackets, and brackets need quotes.
  const std::string node = client.is_v6() ? fmt::format("for=\"[{}]\"", address) : fmt::format("for={}", address);
  const auto append = [&headers](HeaderId id, std::string value) {
    if (const std::string before = headers.joined(id); !before.empty()) value = fmt::format("{}, {}", before, value);
    headers.set(id, value);
  };
  append(HeaderId::forwarded, node);
  append(HeaderId::x_forwarded_for, address);
}

}  // namespace outrider
