// The one way out. Every connection that Outrider opens, for a browser or the robot, to an origin or a parent proxy, is
// made by this function: resolve → check the address policy → pin the address → connect (RFC 8305) → parent's CONNECT →
// TLS. Nothing is resolved twice, so what was checked is what is connected to. One per reactor.
#pragma once

#include "base/address_policy.hpp"
#include "base/early_connections.hpp"
#include "base/parent_proxy.hpp"
#include "base/resolver.hpp"
#include "base/stream.hpp"
#include "base/task_group.hpp"
#include "base/tls_client.hpp"

#include <memory>
#include <string>
#include <vector>

namespace outrider {

struct EgressTarget {
  std::string host;  // ASCII name in lower case, or an address without brackets
  std::uint16_t port = 0;
  bool tls = false;
  bool tunnel = false;            // with a parent: CONNECT even without TLS (WebSocket, client's own CONNECT)
  std::vector<std::string> alpn;  // with TLS
  std::shared_ptr<const AddressPolicy> policy;  // required
  std::shared_ptr<const ParentProxy> parent;    // nullptr = direct
  // Connections and TLS sessions are shared only among those with the same word: an origin recognises who comes back.
  std::string apart;
};

// Does the parent only carry our bytes? Otherwise (plain requests, an HTTP parent) it reads the request itself.
inline bool through_tunnel(const EgressTarget& target) {
  return target.parent && (target.tls || target.tunnel || target.parent->kind == ParentProxy::Kind::socks5);
}

struct EgressConnection {
  std::shared_ptr<Stream> stream;
  std::string protocol;  // what ALPN chose; "" = none
  Duration dns{};        // how long each step took
  Duration connect{};
  Duration tls{};
};

class Egress {
 public:
  // RFC 8305 section 5: how long an attempt has before the next address is tried beside it.
  static constexpr Duration kAttemptDelay = std::chrono::milliseconds{250};

  Egress(Reactor& reactor, Resolver& resolver, TlsClient& tls);

  // No byte of a request has been sent when this fails. A dns_failure is retry_safe only if no name server answered:
  // a name that does not exist will not exist a moment later.
  Task<Result<EgressConnection>> connect(EgressTarget target, Deadline deadline);
  // Is there an address of that name at all?
  Task<Result<void>> look_up(std::string host, Deadline deadline);
  // Begins a TLS connection that connect() will probably be asked for in a moment, and then gets.
  void prepare(EgressTarget target, Deadline deadline);

 private:
  struct Race;
  Task<Result<std::shared_ptr<Stream>>> connect_one(tcp::endpoint endpoint, Deadline deadline);
  Task<Result<std::shared_ptr<Stream>>> connect_any(Addresses addresses, std::uint16_t port, Deadline deadline);
  Task<Result<EgressConnection>> connect_afresh(EgressTarget target, Deadline deadline);
  Task<> fill(std::shared_ptr<EarlyConnections::Attempt> attempt, EgressTarget target, Deadline deadline);
  Task<> attempt(std::shared_ptr<Race> race, tcp::endpoint endpoint, Deadline deadline);

  Reactor& reactor_;
  Resolver& resolver_;
  TlsClient& tls_;
  EarlyConnections early_;
  TaskGroup attempts_;
};

// RFC 8305 section 4: alternate the families, beginning with that of the first address.
Addresses interleave_families(const Addresses& addresses);

}  // namespace outrider
