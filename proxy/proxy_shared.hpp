// What all I/O threads of the proxy share. Everything here is immutable or thread safe.
#pragma once

#include "base/metrics.hpp"
#include "base/tls_client.hpp"
#include "base/worker_pool.hpp"
#include "cache/exchange.hpp"
#include "cache/ingest.hpp"
#include "plugins/api/browser_witness.hpp"
#include "proxy/access_log.hpp"
#include "proxy/authority.hpp"
#include "proxy/client_slots.hpp"
#include "proxy/exchange_counters.hpp"
#include "proxy/exchange_feed.hpp"
#include "proxy/exchange_id.hpp"
#include "proxy/interception.hpp"
#include "proxy/onboarding_state.hpp"
#include "proxy/own_site.hpp"
#include "proxy/plugin_host.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace outrider {

struct ProxyShared {
  WorkerPool& workers;  // password hashes
  WorkerPool& lookups;  // name resolution: blocks for long, so it has threads of its own
  TlsClient& tls;
  Metrics& metrics;
  CacheShared& cache;
  AccessLog& access_log;
  ExchangeFeed& feed;
  ExchangeCounters counters;
  ExchangeIds ids;
  ClientSlots slots;
  std::string pseudonym;  // our name in Via
  std::string version;
  std::shared_ptr<const Authority> authority;
  std::shared_ptr<OnboardingState> onboarding;
  std::unique_ptr<Interception> interception;
  Ingest* ingest = nullptr;                // nullptr: nothing is remembered
  std::shared_ptr<WebSite> web{};          // the API and the monitor; set before the first connection is accepted
  std::unique_ptr<PluginHost> plugins{};   // nullptr: there are none
  BrowserWitness* witness = nullptr;       // the robot; set before the first connection is accepted
  Http2Homes homes{};                      // which worker has the HTTP/2 connection to an origin
  std::vector<tcp::endpoint> endpoints{};  // where we listen; filled before the first connection is accepted

  bool is_own_port(std::uint16_t port) const {
    return std::any_of(endpoints.begin(), endpoints.end(), [port](const tcp::endpoint& e) { return e.port() == port; });
  }
};

}  // namespace outrider
