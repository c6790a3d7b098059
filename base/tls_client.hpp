// TLS toward origins: who is trusted, what is offered, and the sessions that make the second handshake cheap.
// Verification is strict and has no switch to turn it off. One object for the whole process; thread safe.
#pragma once

#include "base/error.hpp"
#include "base/stream.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class TlsSessionCache;

struct TlsClientOptions {
  std::string extra_ca_file;         // PEM with additional trust anchors; empty = none
  bool system_trust = true;          // off only in tests that must not depend on the machine's trust store
  std::size_t session_cache = 1000;  // origins whose sessions are remembered
};

class TlsClient {
 public:
  static Result<std::unique_ptr<TlsClient>> create(const TlsClientOptions& options);
  ~TlsClient();

  // Handshake on a connected stream: SNI and certificate check for `host` (a name, or an address without brackets).
  // `alpn` in order of preference, e.g. {"h2", "http/1.1"}; empty = none. Returns what the origin chose, "" if nothing.
  // Sessions are resumed only among those with the same word `apart`.
  Task<Result<std::string>> handshake(Stream& stream, std::string host, std::uint16_t port,
                                      std::vector<std::string> alpn, std::string apart = "");

 private:
  explicit TlsClient(std::size_t session_cache);
  asio::ssl::context context_;
  std::unique_ptr<TlsSessionCache> sessions_;
};

}  // namespace outrider
