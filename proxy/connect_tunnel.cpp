// CONNECT: a tunnel to host:port, after the same questions as any other request.
#include "base/parent_proxy.hpp"
#include "proxy/client_side.hpp"
#include "proxy/own_site.hpp"
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
  client_.close_after_this();  // whatever follows on this connection is the tunnel's, not HTTP
  Result<HostAndPort> asked = parse_authority(request_.target);
  if (!asked) {
    co_await refuse(asked.error());
    co_return;
  }
  host_ = authority(asked->host, asked->port);
  if (!is_own_host(asked->host)) {
    Result<void> allowed = client_.policy().destinations->check(asked->host, asked->port, true);
    if (!allowed) {
      co_await refuse(allowed.error());
      co_return;
    }
  }
  Result<TunnelFate> fate = fate_of(asked->host, asked->port);
  if (!fate) {
    co_await refuse(fate.error());
  } else if (*fate == TunnelFate::intercept) {
    co_await intercept(std::move(asked->host), asked->port);
  } else {
    co_await pass_unseen(std::move(asked->host), asked->port);
  }
}

Task<Result<void>> Transaction::confirm_tunnel() {
  status_ = 200;
  ResponseHead established;
  established.reason = "Connection established";
  co_return co_await client_.accept_tunnel(established);
}

// The client may believe already that its tunnel stands.
Task<> Transaction::pass_unseen(std::string host, std::uint16_t port) {
  const ProxyPolicy& policy = client_.policy();
  if (policy.cache->of(host, port)->offline) {
    co_await refuse(Error{ErrorKind::not_stored, Side::self, "Outrider is offline, and a tunnel cannot be stored"});
    co_return;
  }
  const ParentRules::Choice& parent = policy.parents->select(host, port);
  EgressTarget target;
  target.host = std::move(host);
  target.port = port;
  target.tunnel = true;
  target.policy = address_policy();
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
  timings_.dns = opened->dns;
  timings_.connect = opened->connect;
  if (!client_.answer_begun()) {
    Result<void> confirmed = co_await confirm_tunnel();
    if (!confirmed) co_return;
  }
  OriginTunnel origin;
  origin.connection = std::move(opened->stream);
  co_await client_.tunnel(std::move(origin), bytes_in_, bytes_out_);
}

}  // namespace outrider
