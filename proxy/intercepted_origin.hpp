// A connection that was opened with CONNECT and then decrypted is for one origin: whatever is asked on it, in HTTP/1 or
// HTTP/2, is asked of that origin, by the person who was let in when the tunnel was opened.
#pragma once

#include "base/error.hpp"
#include "base/http_message.hpp"
#include "proxy/access.hpp"

#include <string>

namespace outrider {

struct InterceptedOrigin {
  std::string authority;  // as a URL writes it: in lower case, brackets around IPv6, a port only if it is not 443
  UserName user;          // who opened the tunnel; nullptr = nobody in particular
  std::shared_ptr<const Access> access;  // the rules by which they were let in
};

// `host` without brackets.
std::string https_authority(std::string_view host, std::uint16_t port);

// Gives the request its absolute target, "https://authority/path", as a request to a proxy has it. A request that names
// another host in its target or its Host field is misdirected (RFC 9110 section 7.4): it is refused, never sent to a
// host that the connection is not for. Failure: bad_message, Side::client.
Result<void> make_absolute(RequestHead& request, const InterceptedOrigin& origin);

}  // namespace outrider
