#include "base/egress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <list>

namespace outrider {
namespace {

// The policy speaks about where we go; a parent is where we were told to go through.
Result<Addresses> permitted(const Addresses& addresses, std::uint16_t port, const AddressPolicy& policy) {
  Addresses allowed;
  Error refusal;
  for (const IpAddress& address : addresses) {
    if (Result<void> verdict = policy.check(address, port); verdict) {
      allowed.push_back(address);
    } else {
      refusal = verdict.error();
    }
  }
  if (allowed.empty()) return refusal;
  return allowed;
}

Error late(Side side, std::string_view host) {
  return Error{ErrorKind::timeout, side, fmt::format("{}: no connection in the time allowed", host), true};
}

Error connect_failure(const ErrorCode& code, const tcp::endpoint& endpoint) {
  Error failure = from_system(
      code, Side::origin, fmt::format("connecting to {}", authority(endpoint.address().to_string(), endpoint.port())));
  failure.retry_safe = true;
  if (failure.kind == ErrorKind::io || failure.kind == ErrorKind::closed_early)
    failure.kind = ErrorKind::connect_failed;
  return failure;
}

// What has to be the same for one connection to do in the place of another, the rules it was made under included.
std::string early_key(const EgressTarget& target) {
  return fmt::format("{}:{} {} {} {} {}", target.host, target.port, fmt::join(target.alpn, ","),
                     static_cast<const void*>(target.policy.get()), static_cast<const void*>(target.parent.get()),
                     target.apart);
}

}  // namespace

Addresses interleave_families(const Addresses& addresses) {
  Addresses first;
  Addresses second;
  for (const IpAddress& address : addresses)
    (address.is_v6() == addresses.front().is_v6() ? first : second).push_back(address);
  Addresses mixed;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) mixed.push_back(first[i]);
    if (i < second.size()) mixed.push_back(second[i]);
  }
  return mixed;
}

// Attempts that run side by side; the first that connects wins.
struct Egress::Race {
  explicit Race(const Executor& executor) : changed(executor) {}
  AsyncEvent changed;
  std::shared_ptr<Stream> winner;
  std::list<std::shared_ptr<Stream>> others;
  std::size_t running = 0;
  bool over = false;
  Error last_failure;
};

Egress::Egress(Reactor& reactor, Resolver& resolver, TlsClient& tls)
    : reactor_(reactor), resolver_(resolver), tls_(tls), early_(reactor), attempts_(reactor.executor()) {}

Task<> Egress::attempt(std::shared_ptr<Race> race, tcp::endpoint endpoint, Deadline deadline) {
  const auto mine =
      race->others.insert(race->others.end(), Stream::connect(reactor_, endpoint, Side::origin, deadline));
  const std::shared_ptr<Stream> stream = *mine;
  const ErrorCode code = co_await stream->wait_connected();
  --race->running;
  race->others.erase(mine);
  if (!code && !race->winner && !race->over) {
    race->winner = stream;
  } else if (code && !race->over) {
    race->last_failure = connect_failure(code, endpoint);
  }
  race->changed.notify();
}

// One address, as most origins have in one's own network: nothing to race against but the clock.
Task<Result<std::shared_ptr<Stream>>> Egress::connect_one(tcp::endpoint endpoint, Deadline deadline) {
  std::shared_ptr<Stream> stream = Stream::connect(reactor_, endpoint, Side::origin, deadline);
  const ErrorCode code = co_await stream->wait_connected();
  if (!code) co_return stream;
  if (stream->timed_out()) co_return late(Side::origin, endpoint.address().to_string());
  co_return connect_failure(code, endpoint);
}

Task<Result<std::shared_ptr<Stream>>> Egress::connect_any(Addresses addresses, std::uint16_t port, Deadline deadline) {
  const Clock& clock = reactor_.clock();
  if (addresses.size() == 1 && !deadline.passed(clock)) {
    const tcp::endpoint only{addresses.front(), port};
    co_return co_await connect_one(only, deadline);
  }
  auto race = std::make_shared<Race>(reactor_.executor());
  race->last_failure = late(Side::origin, addresses.front().to_string());
  for (const IpAddress& address : interleave_families(addresses)) {
    if (deadline.passed(clock)) break;
    ++race->running;
    attempts_.spawn(attempt(race, tcp::endpoint{address, port}, deadline), "connect");
    const Deadline next = deadline.sooner_of(reactor_.sweeper().in(kAttemptDelay));
    while (!race->winner && race->running > 0 && !next.passed(clock)) co_await race->changed.wait(next);
    if (race->winner) break;
  }
  while (!race->winner && race->running > 0 && !deadline.passed(clock)) co_await race->changed.wait(deadline);
  race->over = true;
  for (const std::shared_ptr<Stream>& loser : race->others) loser->close();
  if (race->winner) co_return race->winner;
  if (race->running > 0) co_return late(Side::origin, addresses.front().to_string());
  co_return race->last_failure;
}

Task<Result<EgressConnection>> Egress::connect(EgressTarget target, Deadline deadline) {
  if (!target.tls) co_return co_await connect_afresh(std::move(target), deadline);
  const std::shared_ptr<EarlyConnections::Attempt> early = early_.claim(early_key(target));
  if (!early) co_return co_await connect_afresh(std::move(target), deadline);
  const Clock& clock = reactor_.clock();
  while (!early->outcome && !deadline.passed(clock)) co_await early->changed.wait(deadline);
  if (!early->outcome) co_return late(target.parent ? Side::parent : Side::origin, target.host);
  co_return std::move(*early->outcome);
}

Task<Result<void>> Egress::look_up(std::string host, Deadline deadline) {
  Result<Addresses> found = co_await resolver_.resolve(std::move(host), deadline);
  if (!found) co_return found.error();
  co_return Result<void>{};
}

void Egress::prepare(EgressTarget target, Deadline deadline) {
  const std::shared_ptr<EarlyConnections::Attempt> attempt = early_.begin(early_key(target));
  if (!attempt) return;
  attempt->policy = target.policy;
  attempt->parent = target.parent;
  attempts_.spawn(fill(attempt, std::move(target), deadline), "early connection");
}

Task<> Egress::fill(std::shared_ptr<EarlyConnections::Attempt> attempt, EgressTarget target, Deadline deadline) {
  Result<EgressConnection> outcome = co_await connect_afresh(std::move(target), deadline);
  attempt->outcome = std::make_unique<Result<EgressConnection>>(std::move(outcome));
  attempt->changed.notify();
}

Task<Result<EgressConnection>> Egress::connect_afresh(EgressTarget target, Deadline deadline) {
  EgressConnection connection;
  const Clock& clock = reactor_.clock();
  const Side side = target.parent ? Side::parent : Side::origin;
  const std::string& next_host = target.parent ? target.parent->host : target.host;
  const std::uint16_t next_port = target.parent ? target.parent->port : target.port;

  const SteadyTime begin = clock.steady();
  Result<Addresses> addresses = co_await resolver_.resolve(next_host, deadline);
  if (addresses && !target.parent) addresses = permitted(*addresses, next_port, *target.policy);
  if (!addresses) {
    Error error = addresses.error();
    if (error.side == Side::origin) error.side = side;
    co_return error;
  }
  if (target.parent) {
    // The parent resolves the name; an address literal we can still judge ourselves.
    ErrorCode name;
    const IpAddress literal = asio::ip::make_address(target.host, name);
    if (!name) {
      Result<void> verdict = target.policy->check(literal, target.port);
      if (!verdict) co_return verdict.error();
    }
  }
  const SteadyTime resolved = clock.steady();
  Result<std::shared_ptr<Stream>> connected_to = co_await connect_any(std::move(*addresses), next_port, deadline);
  if (!connected_to) {
    Error error = connected_to.error();
    if (error.side == Side::origin) error.side = side;
    co_return error;
  }
  connection.stream = std::move(*connected_to);
  Stream& stream = *connection.stream;
  stream.set_side(side);
  if (through_tunnel(target)) {
    Result<void> open = co_await open_tunnel(stream, *target.parent, target.host, target.port);
    if (!open) co_return open.error();
  }
  const SteadyTime connected = clock.steady();
  if (target.tls) {
    Result<std::string> protocol = co_await tls_.handshake(stream, target.host, target.port, target.alpn, target.apart);
    if (!protocol) {
      Error error = protocol.error();
      error.side = Side::origin;  // also behind a parent: it is the origin that we shake hands with
      co_return error;
    }
    connection.protocol = std::move(*protocol);
  }
  stream.no_deadline();
  connection.dns = resolved - begin;
  connection.connect = connected - resolved;
  connection.tls = clock.steady() - connected;
  co_return connection;
}

}  // namespace outrider
