// A proxy between us and the origin.
#pragma once

#include "base/error.hpp"
#include "base/stream.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace outrider {

struct ParentProxy {
  enum class Kind : std::uint8_t { http, socks5 };
  Kind kind = Kind::http;
  std::string host;
  std::uint16_t port = 0;
  std::string authorization;  // http: value of Proxy-Authorization, "" = none
  std::string user;           // socks5 (RFC 1929), "" = none
  std::string password;

  // "proxy.example:3128", "http://user:password@proxy.example:3128", "socks5://proxy.example:1080"
  static Result<ParentProxy> parse(std::string_view text);
  Result<void> set_credentials(std::string_view user_name, std::string_view secret);
  bool has_credentials() const { return !authorization.empty() || !user.empty(); }
  // For logs and pool keys: without the password. "proxy.example:3128", "socks5://proxy.example:1080"
  std::string name() const;
};

// The way to an origin: through whom, and what if that one is not there.
struct ParentChoice {
  std::shared_ptr<const ParentProxy> parent;  // nullptr = direct
  bool direct_fallback = false;               // if the parent cannot be reached (parent_unreachable()), go direct
};

// Was the parent not even reached? Then, and only then, it can be gone around: one that was reached has had its say.
inline bool parent_unreachable(const Error& error) {
  return error.side == Side::parent &&
         (error.kind == ErrorKind::dns_failure || error.kind == ErrorKind::connect_refused ||
          error.kind == ErrorKind::connect_failed || (error.kind == ErrorKind::timeout && error.retry_safe));
}

// "host:port" as it stands in a CONNECT target; brackets around IPv6.
std::string authority(std::string_view host, std::uint16_t port);

// Asks the parent at the other end of `stream` for a tunnel to host:port. Afterwards the stream speaks with that host.
Task<Result<void>> open_tunnel(Stream& stream, const ParentProxy& parent, std::string host, std::uint16_t port);

}  // namespace outrider
