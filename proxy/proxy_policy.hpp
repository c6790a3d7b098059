// The rules in force, as one immutable value made from the configuration. A reload makes a new one.
#pragma once

#include "base/config.hpp"
#include "base/http_client.hpp"
#include "base/http_codec.hpp"
#include "proxy/access.hpp"
#include "proxy/cache_rules.hpp"
#include "proxy/client_slots.hpp"
#include "proxy/destination_rules.hpp"
#include "proxy/intercept_rules.hpp"
#include "proxy/memory_rules.hpp"
#include "proxy/parent_rules.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace outrider {

struct ProxyTimeouts {
  Duration request_head{};
  Duration keep_alive{};
  Duration tls_handshake{};
  Duration body_idle{};
  Duration tunnel_idle{};
  Duration total{};  // zero = no limit
  ClientTimeouts origin;
};

struct ProxyPolicy {
  HttpLimits limits;
  ProxyTimeouts timeouts;
  PoolLimits pool;
  ClientSlots::Limits connections{};
  std::uint64_t max_request_body = 0;  // 0 = no limit
  bool forwarded_for = false;
  std::shared_ptr<const Access> access;
  std::shared_ptr<const DestinationRules> destinations;
  std::shared_ptr<const ParentRules> parents;
  std::shared_ptr<const SiteCacheRules> cache;
  std::shared_ptr<const InterceptRules> intercept;
  std::shared_ptr<const MemoryRules> memory;

  // `own_ports` are the ports we listen on; `shared` says that others than this machine can reach them.
  static Result<std::shared_ptr<const ProxyPolicy>> create(const Config& config, std::vector<std::uint16_t> own_ports,
                                                           bool shared);
};

}  // namespace outrider
