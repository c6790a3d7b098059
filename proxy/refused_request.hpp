// A request that was refused before it became a Transaction: by the parser, or at the door. It is
// counted and told like any other exchange.
#pragma once

#include "base/clock.hpp"
#include "base/http_message.hpp"
#include "base/ip_address.hpp"
#include "proxy/exchange_id.hpp"

#include <cstdint>
#include <string_view>

namespace outrider {

struct ProxyShared;

struct RefusedRequest {
  ExchangeId id;
  IpAddress client;
  const RequestHead* head = nullptr;  // as far as it was read; nullptr = nothing is known
  std::string_view protocol;          // of the connection: "HTTP/1.1"
  int status = 0;
  std::uint64_t bytes_out = 0;  // of the body
  std::string_view error;       // RFC 9209 type, or the name of an ErrorKind
  Duration took{};
};

void record(ProxyShared& shared, const RefusedRequest& refused);

}  // namespace outrider
