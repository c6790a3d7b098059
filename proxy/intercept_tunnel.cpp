// A tunnel that is opened up: TLS toward the client ends here, and what it asks for inside goes on as requests of its
// connection, through the same transaction and exchange as any other.
#include "base/log.hpp"
#include "proxy/client_side.hpp"
#include "proxy/interception.hpp"
#include "proxy/own_site.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/transaction.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

constexpr std::string_view kClientHello = "\x16\x03";  // RFC 8446 section 5.1: what a TLS client begins with

// Certificates and SNI know no dot at the end of a name.
std::string certified_name(std::string host) {
  if (host.ends_with('.')) host.pop_back();
  return host;
}

}  // namespace

// What the configuration, the people and the client itself want to happen to this tunnel.
Result<TunnelFate> Transaction::fate_of(const std::string& host, std::uint16_t port) {
  if (is_own_host(host)) return TunnelFate::intercept;
  const ProxyShared& shared = client_.worker().shared();
  const IpAddress client = client_.connection().peer().address();
  const InterceptRules::Verdict verdict =
      client_.policy().intercept->decide(host, port, client, shared.onboarding->accepted());
  if (verdict.fate == TunnelFate::refuse)
    return Error{ErrorKind::rule_denied, Side::self, fmt::format("refused by rule \"{}\"", verdict.rule)};
  if (verdict.fate == TunnelFate::pass) return verdict.fate;
  const WallTime now = client_.worker().reactor().clock().now();
  if (!shared.authority->valid_at(now)) return TunnelFate::pass;  // no browser would accept what it signs
  if (shared.interception->pinned().is_pinned(host, client, now)) return TunnelFate::pass;
  if (!is_certifiable(certified_name(host)))
    return Error{ErrorKind::bad_message, Side::client, "this is no name of a host for which there are certificates"};
  return TunnelFate::intercept;
}

Task<> Transaction::intercept(std::string host, std::uint16_t port) {
  Result<void> confirmed = co_await confirm_tunnel();
  if (!confirmed) co_return;
  const std::shared_ptr<Stream> client = client_.take_connection();
  bool tls = false;
  if (!co_await speaks_tls(*client, tls)) {
    client->close();
    co_return;
  }
  if (!tls && is_own_host(host)) {
    client->close();  // there is nobody else under this name
    co_return;
  }
  if (!tls) {
    co_await pass_unseen(std::move(host), port);
    co_return;
  }
  if (!is_own_host(host) && !client_.policy().cache->of(host, port)->offline) prepare_origin(host, port);
  TlsServer& server = client_.worker().shared().interception->server();
  client->set_deadline(client_.worker().reactor().sweeper().in(client_.policy().timeouts.tls_handshake));
  Result<std::string> protocol = co_await server.handshake(*client, certified_name(host), port);
  client->no_deadline();
  if (!protocol) {
    handshake_failed(*client, host, protocol.error());
    co_return;
  }
  auto origin = std::make_shared<InterceptedOrigin>();
  origin->authority = https_authority(host, port);
  origin->user = user_;
  origin->access = client_.policy().access;
  client_.go_on_inside(std::move(origin), std::move(*protocol));
}

// The client has been told that its tunnel stands; is it TLS that it wants to speak? False: it has left.
Task<bool> Transaction::speaks_tls(Stream& client, bool& tls) {
  client.read_expires_in(client_.policy().intercept->client_speaks_first());
  Result<void> ready = co_await client.wait_readable();
  client.no_read_deadline();
  tls = false;
  if (!ready) {
    if (!client.is_open() || !client.timed_out()) co_return false;
    client.forgive_timeout();  // it waits for the other side to begin
    co_return true;
  }
  const std::string first = client.peek(kClientHello.size());
  tls = !first.empty() && kClientHello.starts_with(first);
  co_return !first.empty();
}

// The connection to the origin is made while the client is still shaking hands with us, for the first request to find.
void Transaction::prepare_origin(const std::string& host, std::uint16_t port) {
  const ProxyPolicy& policy = client_.policy();
  EgressTarget target;
  target.host = host;
  target.port = port;
  target.tls = true;
  target.policy = address_policy();
  target.parent = policy.parents->select(host, port).parent;
  const Deadline deadline = client_.worker().reactor().sweeper().in(policy.timeouts.origin.connect);
  client_.worker().client().prepare(std::move(target), deadline);
}

void Transaction::handshake_failed(Stream& client, const std::string& host, const Error& error) {
  error_ = error;
  const std::optional<std::string> rejection = certificate_rejection(client);
  // Our own name is where browsers try out whether they trust us: no reason to let it pass.
  if (rejection && !is_own_host(host)) {
    PinnedHosts& pinned = client_.worker().shared().interception->pinned();
    const Duration period = client_.policy().intercept->pinned_for();
    const WallTime now = client_.worker().reactor().clock().now();
    if (pinned.refused(host, client.peer().address(), *rejection, period, now)) {
      log::info(Room::tls, "host_passes_unseen", {{"host", host}, {"reason", *rejection}});
    } else {
      log::info(Room::tls, "certificate_refused", {{"host", host}, {"reason", *rejection}});
    }
  }
  client.close();
}

}  // namespace outrider
