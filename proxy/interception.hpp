// Everything a process needs to open up tunnels: certificates, TLS toward clients, and what clients think of it. Thread
// safe.
#pragma once

#include "proxy/authority.hpp"
#include "proxy/leaf_mint.hpp"
#include "proxy/pinned_hosts.hpp"
#include "proxy/settings.hpp"
#include "proxy/tls_server.hpp"

#include <memory>

namespace outrider {

class Interception {
 public:
  static Result<std::unique_ptr<Interception>> create(std::shared_ptr<const Authority> authority,
                                                      const TlsSettings& settings, WorkerPool& workers);

  LeafMint& mint() { return *mint_; }
  TlsServer& server() { return *server_; }
  PinnedHosts& pinned() { return pinned_; }

 private:
  Interception() = default;

  std::unique_ptr<LeafMint> mint_;
  std::unique_ptr<TlsServer> server_;
  PinnedHosts pinned_;
};

}  // namespace outrider
