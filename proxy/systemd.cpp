#include "proxy/systemd.hpp"

#include "base/escape.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace outrider {
namespace {

Error fault(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::self, std::move(detail)};
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

int option(int fd, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

Result<void> adopt(const ActivatedSocket& socket) {
  const auto refuse = [&](std::string_view reason) {
    return fault(fmt::format("the socket \"{}\" (descriptor {}) that the service manager passed {}",
                             one_line(socket.name), socket.fd, reason));
  };
  const int flags = ::fcntl(socket.fd, F_GETFD);
  if (flags < 0) return refuse("is not open");
  if (::fcntl(socket.fd, F_SETFD, flags | FD_CLOEXEC) < 0) return refuse("cannot be marked close-on-exec");
  if (option(socket.fd, SO_TYPE) != SOCK_STREAM) return refuse("is not a stream socket; use ListenStream=");
  if (option(socket.fd, SO_ACCEPTCONN) != 1) return refuse("is not listening; use ListenStream= with Accept=no");
  const int family = option(socket.fd, SO_DOMAIN);
  if (family != AF_INET && family != AF_INET6) return refuse("is not an IP socket");
  const int status = ::fcntl(socket.fd, F_GETFL);
  if (status < 0 || ::fcntl(socket.fd, F_SETFL, status | O_NONBLOCK) < 0) return refuse("cannot be made non-blocking");
  return {};
}

}  // namespace

std::optional<std::string> process_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

Result<std::vector<ActivatedSocket>> parse_activation(const EnvironmentReader& environment, long own_pid) {
  std::vector<ActivatedSocket> sockets;
  const auto pid = environment("LISTEN_PID");
  const auto count_text = environment("LISTEN_FDS");
  if (!pid || !count_text) return sockets;
  const auto for_process = parse_number<long>(*pid);
  if (!for_process) return fault(fmt::format("LISTEN_PID is not a number: {}", quoted(*pid)));
  if (*for_process != own_pid) return sockets;  // inherited by mistake: not for us
  constexpr int kMost = 1024;
  const auto count = parse_number<int>(*count_text);
  if (!count || *count < 0 || *count > kMost)
    return fault(fmt::format("LISTEN_FDS is not a number of descriptors: {}", quoted(*count_text)));
  for (int i = 0; i < *count; ++i) sockets.push_back({kFirstActivatedFd + i, "unknown"});

  const auto names = environment("LISTEN_FDNAMES");
  if (!names) return sockets;
  std::string_view rest = *names;
  std::size_t at = 0;
  for (;; ++at) {
    const std::size_t colon = rest.find(':');
    if (at < sockets.size()) sockets[at].name = rest.substr(0, colon);
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (at + 1 != sockets.size() && !(sockets.empty() && names->empty()))
    return fault(fmt::format("LISTEN_FDNAMES has {} names for {} descriptors", at + 1, sockets.size()));
  return sockets;
}

Result<void> check_activated(const std::vector<ActivatedSocket>& sockets) {
  for (const ActivatedSocket& socket : sockets)
    if (Result<void> good = adopt(socket); !good) return good;
  return {};
}

Result<std::vector<ActivatedSocket>> take_activated_sockets() {
  Result<std::vector<ActivatedSocket>> sockets = parse_activation(process_environment, ::getpid());
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  if (!sockets) return sockets;
  if (Result<void> good = check_activated(*sockets); !good) return good.error();
  return sockets;
}

SystemdNotifier::SystemdNotifier(const EnvironmentReader& environment, long own_pid) {
  const std::string socket = environment("NOTIFY_SOCKET").value_or("");
  // "@name" is an abstract socket. Other families (vsock) are for virtual machines.
  if (socket.size() > 1 && (socket[0] == '/' || socket[0] == '@') && socket.size() < sizeof(sockaddr_un::sun_path))
    socket_ = socket;
  const auto interval = parse_number<std::uint64_t>(environment("WATCHDOG_USEC").value_or(""));
  const auto pid = environment("WATCHDOG_PID");
  const bool for_us = !pid || parse_number<long>(*pid) == own_pid;
  constexpr std::uint64_t kLongest = 365ULL * 24 * 3600 * 1'000'000;  // so that no unit overflows
  if (active() && for_us && interval && *interval > 0 && *interval <= kLongest)
    watchdog_interval_ = std::chrono::microseconds{*interval} / 2;
}

SystemdNotifier SystemdNotifier::from_process() {
  SystemdNotifier notifier{process_environment, ::getpid()};
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  return notifier;
}

bool SystemdNotifier::ready(std::string_view text) const {
  return send(fmt::format("READY=1\nSTATUS={}", one_line(text)));
}

bool SystemdNotifier::reloading(SteadyTime now) const {
  // steady_clock is CLOCK_MONOTONIC here, which is what systemd compares with.
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
  return send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", micros));
}

bool SystemdNotifier::stopping(std::string_view text) const {
  return send(fmt::format("STOPPING=1\nSTATUS={}", one_line(text)));
}

bool SystemdNotifier::status(std::string_view text) const {
  return send(fmt::format("STATUS={}", one_line(text)));
}

bool SystemdNotifier::watchdog() const {
  return send("WATCHDOG=1");
}

bool SystemdNotifier::send(const std::string& message) const {
  if (!active()) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());

  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const timeval patience{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const ssize_t sent =
      ::sendto(fd, message.data(), message.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), length);
  ::close(fd);
  return sent == static_cast<ssize_t>(message.size());
}

}  // namespace outrider
