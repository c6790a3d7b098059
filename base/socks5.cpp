#include "base/socks5.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

namespace outrider {
namespace {

constexpr char kVersion = 5;
constexpr char kNoLogin = 0;
constexpr char kPasswordLogin = 2;
constexpr char kConnect = 1;
constexpr char kIpv4 = 1;
constexpr char kName = 3;
constexpr char kIpv6 = 4;

Error broken(const ParentProxy& parent, std::string_view what) {
  return Error{ErrorKind::parent_refused, Side::parent, fmt::format("the parent proxy {} {}", parent.name(), what),
               true};
}

// All of the buffer and nothing beyond it: what follows the handshake is the origin's.
Task<Result<void>> read_exactly(Stream& stream, std::span<char> buffer) {
  while (!buffer.empty()) {
    Result<std::size_t> got = co_await stream.read_some(buffer);
    if (!got) co_return got.error();
    if (*got == 0)
      co_return Error{ErrorKind::closed_early, Side::parent, "the parent proxy closed the connection", true};
    buffer = buffer.subspan(*got);
  }
  co_return Result<void>{};
}

Task<Result<void>> log_in(Stream& stream, const ParentProxy& parent) {
  std::array<char, 2> reply{};
  const std::string greeting = socks5_greeting(parent);
  Result<void> done = co_await stream.write(greeting);
  if (done) done = co_await read_exactly(stream, reply);
  if (!done) co_return done.error();
  if (reply[0] != kVersion) co_return broken(parent, "does not speak SOCKS5");
  if (reply[1] == kNoLogin) co_return Result<void>{};
  if (reply[1] != kPasswordLogin || parent.user.empty()) co_return broken(parent, "wants another login than we have");
  const std::string login = socks5_login(parent);
  done = co_await stream.write(login);
  if (done) done = co_await read_exactly(stream, reply);
  if (!done) co_return done.error();
  if (reply[1] != 0) co_return broken(parent, "refused our user name or password");
  co_return Result<void>{};
}

}  // namespace

std::string socks5_greeting(const ParentProxy& parent) {
  if (parent.user.empty()) return {kVersion, 1, kNoLogin};
  return {kVersion, 2, kNoLogin, kPasswordLogin};
}

std::string socks5_login(const ParentProxy& parent) {
  std::string message{1};  // RFC 1929 has a version of its own
  message += static_cast<char>(parent.user.size());
  message += parent.user;
  message += static_cast<char>(parent.password.size());
  message += parent.password;
  return message;
}

Result<std::string> socks5_connect(std::string_view host, std::uint16_t port) {
  std::string message{kVersion, kConnect, 0};
  boost::system::error_code name;
  const auto address = asio::ip::make_address(std::string{host}, name);
  if (!name && address.is_v4()) {
    message += kIpv4;
    for (const unsigned char byte : address.to_v4().to_bytes()) message += static_cast<char>(byte);
  } else if (!name) {
    message += kIpv6;
    for (const unsigned char byte : address.to_v6().to_bytes()) message += static_cast<char>(byte);
  } else {
    if (host.empty() || host.size() > 255)
      return Error{ErrorKind::invalid_argument, Side::client, "SOCKS5 takes host names of 1 to 255 bytes", true};
    message += kName;
    message += static_cast<char>(host.size());
    message += host;
  }
  message += static_cast<char>(port >> 8);
  message += static_cast<char>(port & 0xff);
  return message;
}

Error socks5_failure(const ParentProxy& parent, std::uint8_t code) {
  static constexpr std::array<std::string_view, 9> kMeaning = {"success",
                                                               "general failure",
                                                               "not allowed by its rules",
                                                               "network unreachable",
                                                               "host unreachable",
                                                               "connection refused",
                                                               "connection timed out",
                                                               "command not supported",
                                                               "address type not supported"};
  const std::string detail =
      fmt::format("the parent proxy {} reports: {}", parent.name(),
                  code < kMeaning.size() ? kMeaning[code] : std::string_view{"an unknown error"});
  if (code == 5) return Error{ErrorKind::connect_refused, Side::origin, detail, true};
  if (code == 3 || code == 4) return Error{ErrorKind::connect_failed, Side::origin, detail, true};
  if (code == 6) return Error{ErrorKind::timeout, Side::origin, detail, true};
  return Error{ErrorKind::parent_refused, Side::parent, detail, true};
}

Task<Result<void>> open_socks5_tunnel(Stream& stream, const ParentProxy& parent, std::string host, std::uint16_t port) {
  const Result<std::string> request = socks5_connect(host, port);
  if (!request) co_return request.error();
  Result<void> done = co_await log_in(stream, parent);
  if (done) done = co_await stream.write(*request);
  std::array<char, 4> reply{};  // version, code, reserved, type of the address that follows
  if (done) done = co_await read_exactly(stream, reply);
  if (!done) co_return done.error();
  if (reply[0] != kVersion) co_return broken(parent, "does not speak SOCKS5");
  if (reply[1] != 0) co_return socks5_failure(parent, static_cast<std::uint8_t>(reply[1]));

  // The address that the parent connected from: of no use to us, but it has to be read to find its end.
  std::array<char, 257> rest{};
  std::size_t size = 0;
  if (reply[3] == kIpv4) {
    size = 4 + 2;
  } else if (reply[3] == kIpv6) {
    size = 16 + 2;
  } else if (reply[3] == kName) {
    std::span<char> length{rest.data(), 1};
    done = co_await read_exactly(stream, length);
    size = static_cast<unsigned char>(rest[0]) + 2U;
  } else {
    co_return broken(parent, "does not speak SOCKS5");
  }
  std::span<char> remaining{rest.data(), size};
  if (done) done = co_await read_exactly(stream, remaining);
  co_return done;
}

}  // namespace outrider
