#include "proxy/intercepted_origin.hpp"

#include "base/url.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

constexpr std::string_view kScheme = "https://";

// The same host and port, however they are written.
bool names(std::string_view host_and_port, const InterceptedOrigin& origin) {
  if (host_and_port == origin.authority) return true;
  const Result<Url> url = Url::parse(fmt::format("{}{}/", kScheme, host_and_port));
  return url && url->host() == origin.authority;
}

Error misdirected(std::string_view what) {
  return Error{ErrorKind::bad_message, Side::client,
               fmt::format("{} names another host than this connection is for", what)};
}

}  // namespace

std::string https_authority(std::string_view host, std::uint16_t port) {
  const bool ipv6 = host.find(':') != std::string_view::npos;
  std::string text = ipv6 ? fmt::format("[{}]", host) : std::string{host};
  if (port != 443) text += fmt::format(":{}", port);
  return text;
}

Result<void> make_absolute(RequestHead& request, const InterceptedOrigin& origin) {
  if (request.method == Method::connect)
    return Error{ErrorKind::bad_message, Side::client, "CONNECT inside a tunnel that is decrypted"};
  if (const auto host = request.headers.find(HeaderId::host); host && !names(*host, origin))
    return misdirected("the Host field");
  std::string target{kScheme};
  target += origin.authority;
  if (request.target.starts_with('/')) {
    target += request.target;
  } else if (request.target != "*") {  // "*": the server as a whole, which an absolute target has no path for
    const Result<Url> url = Url::parse(request.target);
    if (!url || url->scheme() != "https" || url->host() != origin.authority)
      return misdirected("the address in the request");
    return {};
  }
  request.target = std::move(target);
  return {};
}

}  // namespace outrider
