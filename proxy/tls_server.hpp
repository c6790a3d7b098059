// TLS toward the client of an intercepted tunnel: shows it a certificate of ours for exactly the host that CONNECT
// named. One object for the process; thread safe.
#pragma once

#include "base/stream.hpp"
#include "base/worker_pool.hpp"
#include "proxy/leaf_mint.hpp"
#include "proxy/ticket_keys.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace outrider {

class TlsServer {
 public:
  // `alpn` in order of preference. `authority`: that of `mint`, whose chain is sent with each certificate; without it
  // they are sent alone.
  static Result<std::unique_ptr<TlsServer>> create(LeafMint& mint, WorkerPool& workers, std::vector<std::string> alpn,
                                                   std::shared_ptr<const Authority> authority = nullptr);

  // Handshake on a stream from which nothing of it has been read (but for what was unread()). `host` without brackets.
  // Returns the protocol that ALPN chose, "" if none. A client that asks for another name than `host` is turned away
  // before a certificate is made.
  Task<Result<std::string>> handshake(Stream& client, std::string host, std::uint16_t port);

  LeafMint& mint() { return mint_; }

 private:
  TlsServer(LeafMint& mint, WorkerPool& workers, const std::vector<std::string>& alpn,
            std::shared_ptr<const Authority> authority);
  Result<void> prepare_context();

  LeafMint& mint_;
  WorkerPool& workers_;
  const std::shared_ptr<const Authority> authority_;  // or nullptr
  std::string alpn_;                                  // as on the wire
  TicketKeys tickets_;
  asio::ssl::context context_;
};

// After a handshake that failed: why it looks as if the client does not accept our certificate, for people. Nothing if
// it failed for another reason.
std::optional<std::string> certificate_rejection(const Stream& client);

}  // namespace outrider
