// One request to a running Outrider on a connection of its own: what commands need to talk to it.
#pragma once

#include "base/error.hpp"
#include "proxy/settings.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace outrider::cli {

struct PlainAnswer {
  int status = 0;
  std::string body;
};

// `request` is the whole of it, with "Connection: close".
Result<PlainAnswer> plain_request(const ListenAddress& address, const std::string& request, Duration patience);
// An answer that goes on: `on_bytes` is given its body piece by piece, `on_idle` is called several times a second. Ends
// when one of them says false, or the other side ends. `request` as above.
Result<PlainAnswer> plain_stream(const ListenAddress& address, const std::string& request,
                                 const std::function<bool(std::string_view)>& on_bytes,
                                 const std::function<bool()>& on_idle);
// Gives up after ten seconds.
Result<PlainAnswer> plain_get(const ListenAddress& address, const std::string& path);

// Where a program on this machine finds what listens there: 0.0.0.0 is no address to connect to.
ListenAddress reachable(ListenAddress address);

}  // namespace outrider::cli
