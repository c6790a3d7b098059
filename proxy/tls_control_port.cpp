#include "proxy/tls_control_port.hpp"

#include "base/log.hpp"
#include "base/parent_proxy.hpp"
#include "proxy/proxy_shared.hpp"

namespace outrider {

TlsState TlsControlPort::state(WallTime now) const {
  const InterceptMode mode = mode_.load(std::memory_order_relaxed);
  TlsState state;
  state.mode = name_of(mode);
  state.fixed = mode != InterceptMode::onboarded;
  state.accepted = state.fixed ? mode == InterceptMode::all : shared_.onboarding->accepted();
  if (shared_.authority) {
    state.authority = shared_.authority->name();
    state.fingerprint = shared_.authority->fingerprint();
    state.warning = shared_.authority->warning(now).value_or("");
  }
  for (const tcp::endpoint& endpoint : shared_.endpoints)
    state.addresses.push_back(authority(endpoint.address().to_string(), endpoint.port()));
  return state;
}

Result<void> TlsControlPort::accept(bool accepted) {
  if (mode_.load(std::memory_order_relaxed) != InterceptMode::onboarded)
    return Error{ErrorKind::rule_denied, Side::self, "The configuration says whether HTTPS is opened (tls.intercept)."};
  if (Result<void> stored = shared_.onboarding->set(accepted); !stored) return stored;
  log::info(Room::proxy, "interception_switched", {{"accepted", accepted}});
  return {};
}

std::vector<PinnedHost> TlsControlPort::pinned(WallTime now) const {
  std::vector<PinnedHost> list;
  for (PinnedHosts::Entry& entry : shared_.interception->pinned().list(now))
    list.push_back({std::move(entry.host), std::move(entry.client), std::move(entry.reason), entry.since, entry.until});
  return list;
}

std::size_t TlsControlPort::unpin(std::string_view host) {
  PinnedHosts& pinned = shared_.interception->pinned();
  return host.empty() ? pinned.clear() : pinned.remove(host);
}

}  // namespace outrider
