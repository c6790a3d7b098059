// CONNECT: a tunnel to host:port, after the same questions as any other request.
#include "base/parent_proxy.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/relay.hpp"
#include "proxy/session.hpp"
#include "proxy/transaction.hpp"

#include <fmt/format.h>

#include <charconv>

namespace outrider {
namespace {

struct Authority {
  std::string host;  // without brackets
  std::uint16_t port;
};

Result<Authority> parse_authority(std::string_view target) {
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
  return Authority{std::move(*host), port};
}

}  // namespace

Task<> Transaction::connect() {
  const ProxyPolicy& policy = session_.policy();
  session_.close_after_this();  // whatever follows on this connection is the tunnel's, not HTTP
  Result<Authority> authority_asked = parse_authority(request_.target);
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
  Egress& egress = session_.worker().client().egress();
  const Deadline deadline = session_.worker().reactor().sweeper().in(policy.timeouts.origin.connect);
  Result<EgressConnection> opened = co_await egress.connect(target, deadline);
  if (!opened && parent.parent && parent.direct_fallback && parent_unreachable(opened.error())) {
    target.parent = nullptr;
    const Deadline again = session_.worker().reactor().sweeper().in(policy.timeouts.origin.connect);
    opened = co_await egress.connect(target, again);
  }
  if (!opened) {
    co_await refuse(opened.error());
    co_return;
  }
  head_sent_ = true;
  status_ = 200;
  timings_.dns = opened->dns;
  timings_.connect = opened->connect;
  session_.client().write_expires_in(policy.timeouts.body_idle);
  Result<void> sent = co_await session_.client().write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (!sent) {
    session_.client().close();
    co_return;
  }
  co_await tunnel(std::move(opened->stream));
}

Task<> Transaction::tunnel(std::shared_ptr<Stream> origin) {
  // Counted however the tunnel ends: one that is cut off at shutdown is unwound.
  struct Tally {
    Tally(Transaction& t, const Stream& s, std::uint64_t unread)
        : transaction(t), client(s), in_before(s.bytes_in() - unread), out_before(s.bytes_out()) {}
    ~Tally() {
      transaction.bytes_in_ += client.bytes_in() - in_before;
      transaction.bytes_out_ += client.bytes_out() - out_before;
    }
    Transaction& transaction;
    const Stream& client;
    std::uint64_t in_before, out_before;
  };
  const Tally tally{*this, session_.client(), session_.unread_rest()};
  co_await relay(session_.shared_client(), std::move(origin), session_.policy().timeouts.tunnel_idle,
                 session_.worker().tasks());
}

}  // namespace outrider
