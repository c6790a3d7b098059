#include "proxy/interception.hpp"

namespace outrider {
namespace {

// What is offered to clients inside a tunnel, in order of preference.
const std::vector<std::string> kProtocols = {"h2", "http/1.1"};

}  // namespace

Result<std::unique_ptr<Interception>> Interception::create(std::shared_ptr<const Authority> authority,
                                                           const TlsSettings& settings, WorkerPool& workers) {
  std::unique_ptr<Interception> interception{new Interception};
  LeafLimits limits;
  limits.kept = static_cast<std::size_t>(settings.certificates_kept);
  limits.per_second = static_cast<double>(settings.certificates_per_second);
  Result<std::unique_ptr<LeafMint>> mint = LeafMint::create(authority, limits);
  if (!mint) return mint.error();
  interception->mint_ = std::move(*mint);
  Result<std::unique_ptr<TlsServer>> server =
      TlsServer::create(*interception->mint_, workers, kProtocols, std::move(authority));
  if (!server) return server.error();
  interception->server_ = std::move(*server);
  return interception;
}

}  // namespace outrider
