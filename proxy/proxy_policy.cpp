#include "proxy/proxy_policy.hpp"

#include "proxy/settings.hpp"

namespace outrider {

Result<std::shared_ptr<const ProxyPolicy>> ProxyPolicy::create(const Config& config,
                                                               std::vector<std::uint16_t> own_ports, bool shared) {
  auto policy = std::make_shared<ProxyPolicy>();
  const auto& limits = config.get<LimitSettings>();
  policy->limits.header_bytes = limits.header_bytes.bytes;
  policy->limits.header_count = static_cast<std::size_t>(limits.header_count);
  policy->limits.target_bytes = limits.target_bytes.bytes;
  policy->max_request_body = limits.request_body.bytes;
  policy->connections.total = static_cast<std::size_t>(limits.connections);
  policy->connections.per_client = static_cast<std::size_t>(limits.connections_per_client);
  policy->pool.total = static_cast<std::size_t>(limits.origin_connections);
  policy->pool.per_origin = static_cast<std::size_t>(limits.connections_per_origin);

  const auto& timeouts = config.get<TimeoutSettings>();
  policy->timeouts.request_head = timeouts.request_head;
  policy->timeouts.keep_alive = timeouts.keep_alive;
  policy->timeouts.tls_handshake = timeouts.tls_handshake;
  policy->timeouts.body_idle = timeouts.body_idle;
  policy->timeouts.tunnel_idle = timeouts.tunnel_idle;
  policy->timeouts.total = timeouts.total;
  policy->timeouts.origin.connect = timeouts.connect;
  policy->timeouts.origin.head = timeouts.response_head;
  policy->timeouts.origin.body_idle = timeouts.body_idle;
  policy->pool.idle = timeouts.origin_keep_alive;

  policy->forwarded_for = config.get<ProxySettings>().forwarded_for;
  Result<std::shared_ptr<const Access>> access = Access::create(config.get<AccessSettings>());
  if (!access) return access.error();
  policy->access = std::move(*access);
  Installation installation;
  installation.personal = !shared;
  installation.own_ports = std::move(own_ports);
  auto destinations = DestinationRules::create(config.get<DestinationSettings>(), installation);
  if (!destinations) return destinations.error();
  policy->destinations = std::move(*destinations);
  auto parents = ParentRules::create(config.get<ParentSettings>());
  if (!parents) return parents.error();
  policy->parents = std::move(*parents);
  auto cache = SiteCacheRules::create(config.get<CacheSettings>(), config.get<MemorySettings>().never_keep);
  if (!cache) return cache.error();
  policy->cache = std::move(*cache);
  auto intercept = InterceptRules::create(config.get<TlsSettings>());
  if (!intercept) return intercept.error();
  policy->intercept = std::move(*intercept);
  auto memory = MemoryRules::create(config.get<MemorySettings>());
  if (!memory) return memory.error();
  policy->memory = std::move(*memory);
  return std::shared_ptr<const ProxyPolicy>{std::move(policy)};
}

}  // namespace outrider
