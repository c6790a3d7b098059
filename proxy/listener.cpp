#include "proxy/listener.hpp"

#include "base/log.hpp"
#include "proxy/linger.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/refused_request.hpp"
#include "proxy/session.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <new>
#include <system_error>

namespace outrider {
namespace {

constexpr int kBacklog = 4096;
constexpr int kAcceptAtOnce = 64;
constexpr std::size_t kSeeOutAtMost = 64;  // of those who were turned away; more are closed without ceremony
constexpr Duration kPauseWhenOutOfDescriptors = std::chrono::milliseconds{100};

// Said without reading the request: whoever is turned away costs us one write.
struct TurnedAway {
  std::string_view words;
  int status;
  std::uint64_t body;  // bytes of it
  std::string_view error;
};

constexpr TurnedAway kOverloaded = {
    "HTTP/1.1 503 Service Unavailable\r\n"
    "Connection: close\r\n"
    "Retry-After: 5\r\n"
    "Proxy-Status: outrider; error=connection_limit_reached\r\n"
    "Cache-Control: no-store\r\n"
    "Cache-Status: Outrider; detail=\"an answer of the proxy itself\"\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 55\r\n"
    "\r\n"
    "Outrider has too many connections. Try again shortly.\r\n",
    503, 55, "connection_limit_reached"};

constexpr TurnedAway kStranger = {
    "HTTP/1.1 403 Forbidden\r\n"
    "Connection: close\r\n"
    "Proxy-Status: outrider; error=http_request_denied\r\n"
    "Cache-Control: no-store\r\n"
    "Cache-Status: Outrider; detail=\"an answer of the proxy itself\"\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 51\r\n"
    "\r\n"
    "This machine may not use Outrider (access.allow).\r\n",
    403, 51, "http_request_denied"};

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

std::string shown(const tcp::endpoint& endpoint) {
  return authority(endpoint.address().to_string(), endpoint.port());
}

Error bind_failure(const tcp::endpoint& endpoint, const ErrorCode& code) {
  std::string hint;
  if (code == asio::error::address_in_use) hint = "; another program listens there (choose another port with --listen)";
  if (code == asio::error::access_denied) hint = "; ports below 1024 need privileges";
  return Error{ErrorKind::io, Side::self,
               fmt::format("cannot listen on {}: {}{}", shown(endpoint), code.message(), hint)};
}

tcp::endpoint endpoint_of(const TcpAcceptor& acceptor) {
  ErrorCode ignored;
  return acceptor.local_endpoint(ignored);
}

int socket_of(TcpAcceptor acceptor) {
  acceptor.native_non_blocking(true);
  return acceptor.release();
}

}  // namespace

Listener::Listener(IoWorker& worker, TcpAcceptor acceptor)
    : worker_(worker),
      endpoint_(endpoint_of(acceptor)),
      socket_(worker.reactor().readiness(), socket_of(std::move(acceptor))) {
  set_stream_options(socket_.native_handle());
}

Result<std::unique_ptr<Listener>> Listener::bind(IoWorker& worker, const tcp::endpoint& endpoint, bool share_port,
                                                 bool first) {
  ErrorCode code;
  if (share_port && endpoint.port() != 0 && first) {
    // Sockets that share a port would share it with another program too: make sure that nobody has it.
    TcpAcceptor probe{worker.reactor().executor()};
    probe.open(endpoint.protocol(), code);
    if (!code) probe.set_option(TcpAcceptor::reuse_address{true}, code);
    if (!code && endpoint.protocol() == tcp::v6()) probe.set_option(asio::ip::v6_only{true}, code);
    if (!code) probe.bind(endpoint, code);
    if (code) return bind_failure(endpoint, code);
  }
  TcpAcceptor acceptor{worker.reactor().executor()};
  acceptor.open(endpoint.protocol(), code);
  if (!code) acceptor.set_option(TcpAcceptor::reuse_address{true}, code);
  if (!code && share_port) acceptor.set_option(ReusePort{true}, code);
  if (!code && endpoint.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only{true}, code);
  if (!code) acceptor.bind(endpoint, code);
  if (!code) acceptor.listen(kBacklog, code);
  if (code) return bind_failure(endpoint, code);
  return std::unique_ptr<Listener>{new Listener{worker, std::move(acceptor)}};
}

Result<std::unique_ptr<Listener>> Listener::adopt(IoWorker& worker, int descriptor) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &length) != 0 ||
      (name.ss_family != AF_INET && name.ss_family != AF_INET6))
    return Error{ErrorKind::io, Side::self, fmt::format("the inherited socket {} is not a TCP socket", descriptor)};
  TcpAcceptor acceptor{worker.reactor().executor()};
  ErrorCode code;
  acceptor.assign(name.ss_family == AF_INET ? tcp::v4() : tcp::v6(), descriptor, code);
  if (code)
    return Error{ErrorKind::io, Side::self, fmt::format("the inherited socket {}: {}", descriptor, code.message())};
  return std::unique_ptr<Listener>{new Listener{worker, std::move(acceptor)}};
}

void Listener::start() {
  worker_.tasks().spawn(accept_loop(), "accept");
}

void Listener::stop() {
  socket_.close();
}

Task<> Listener::accept_loop() {
  Timer pause{worker_.reactor().executor()};
  while (socket_.is_open()) {
    auto [code] = co_await socket_.async_wait(ReadySocket::Direction::read, as_result);
    if (!socket_.is_open()) co_return;
    const int failure = code ? code.value() : accept_waiting();
    if (failure == 0) continue;
    // Out of descriptors or memory: connections wait in the backlog until some are given back.
    log::warn(Room::proxy, "accept_failed", {{"reason", std::system_category().message(failure)}});
    pause.expires_after(kPauseWhenOutOfDescriptors);
    co_await pause.async_wait(as_result);
  }
}

// All that are waiting, up to a number: then those that are connected have their turn. 0, or what went wrong.
int Listener::accept_waiting() {
  for (int i = 0; i < kAcceptAtOnce && socket_.is_open(); ++i) {
    tcp::endpoint peer{asio::ip::address_v6{}, 0};  // room for either family
    auto size = static_cast<socklen_t>(peer.capacity());
    const int socket = ::accept4(socket_.native_handle(), peer.data(), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno == EAGAIN) {
        socket_.nothing_to_read();
        return 0;
      }
      if (errno == ECONNABORTED || errno == EINTR || errno == EPROTO) continue;  // gone already
      return errno;
    }
    peer.resize(size);
    try {
      greet(socket, peer);
    } catch (const std::bad_alloc&) {
      // One client less, not the end of accepting. Logging it would need memory too.
    }
  }
  return 0;
}

// Whoever may not use the proxy must not take the places of those who may. This machine has the proxy's own pages:
// health checks, the monitor, the command line.
void Listener::greet(int socket, const tcp::endpoint& peer) {
  const IpAddress address = peer.address();
  const ProxyPolicy& policy = *worker_.policy();
  const TurnedAway* refusal = nullptr;
  std::shared_ptr<void> slot;
  if (!policy.access->may_connect(address) && !is_loopback(address)) {
    refusal = &kStranger;
  } else if (slot = worker_.shared().slots.take(address, policy.connections); !slot) {
    refusal = &kOverloaded;
  }
  auto client = std::make_shared<Stream>(worker_.reactor(), socket, peer, Side::client);
  if (refusal != nullptr) {
    std::array<std::string_view, 1> words{refusal->words};
    (void)client->write_now(words);
    RefusedRequest refused;
    refused.id = worker_.shared().ids.next();
    refused.client = address;
    refused.status = refusal->status;
    refused.bytes_out = refusal->body;
    refused.error = refusal->error;
    record(worker_.shared(), refused);
    if (worker_.turned_away < kSeeOutAtMost) worker_.tasks().spawn(see_out(std::move(client)), "turning away");
    return;
  }
  auto session = std::make_shared<Session>(worker_, std::move(client), std::move(slot));
  worker_.tasks().spawn(session->run(), "session");
}

Task<> Listener::see_out(std::shared_ptr<Stream> client) {
  struct Guest {
    explicit Guest(std::size_t& all) : count(all) { ++count; }
    ~Guest() { --count; }
    std::size_t& count;
  };
  const Guest guest{worker_.turned_away};
  co_await linger(*client);
}

}  // namespace outrider
