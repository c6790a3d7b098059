// CONNECT: a tunnel to host:port, after the same questions as any other request.
#include "base/parent_proxy.hpp"
#include "proxy/client_side.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/transaction.hpp"

#include <fmt/format.h>

#include <charconv>

namespace outrider {
namespace {

struct HostAndPort {
  std::string host;  // without brackets
  std::uint16_t port;
};

Result<HostAndPort> parse_authority(std::string_view target) {
  const auto bad = [](std::string_view why) {
    return Error{ErrorKind::bad_message, Side::client, fmt::format("CONNECT needs host:port; {}", why)};
  };
  const std::size_t colon = target.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == target.size()) return bad("the port is missing");
  const std::string_view digits = target.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || port == 0)
    return bad("the port is not a number from 1 to 65535");
  Result<std::string> host = parse_host(target.substr(0, colon), true);
  if (!host) return bad(host.error().detail);
  if (host->starts_with('[')) *host = host->substr(1, host->size() - 2);
  return HostAndPort{std::move(*host), port};
}

}  // namespace

Task<> Transaction::connect() {
  const ProxyPolicy& policy = client_.policy();
  client_.close_after_this();  // whatever follows on this connection is the tunnel's, not HTTP
  Result<HostAndPort> authority_asked = parse_authority(request_.target);
  if (!authority_asked) {
    co_await refuse(authority_asked.error());
    co_return;
  }
  host_ = authority(authority_asked->host, authority_asked->port);
  if (Result<void> allowed = policy.destinations->check(authority_asked->host, authority_asked->port, true); !allowed) {
    co_await refuse(allowed.error());
    co_return;
  }
  const ParentRules::Choice& parent = policy.parents->select(authority_asked->host, authority_asked->port);
  EgressTarget target;
  target.host = std::move(authority_asked->host);
  target.port = authority_asked->port;
  target.tunnel = true;
  target.policy = policy.destinations->policy_for_browser();
  target.parent = parent.parent;
  Egress& egress = client_.worker().client().egress();
  const Deadline deadline = client_.worker().reactor().sweeper().in(policy.timeouts.origin.connect);
  Result<EgressConnection> opened = co_await egress.connect(target, deadline);
  if (!opened && parent.parent && parent.direct_fallback && parent_unreachable(opened.error())) {
    target.parent = nullptr;
    const Deadline again = client_.worker().reactor().sweeper().in(policy.timeouts.origin.connect);
    opened = co_await egress.connect(target, again);
  }
  if (!opened) {
    co_await refuse(opened.error());
    co_return;
  }
  status_ = 200;
  timings_.dns = opened->dns;
  timings_.connect = opened->connect;
  ResponseHead established;
  established.reason = "Connection established";
  Result<void> sent = co_await client_.accept_tunnel(established);
  if (!sent) co_return;
  co_await client_.tunnel(std::move(opened->stream), bytes_in_, bytes_out_);
}

}  // namespace outrider
