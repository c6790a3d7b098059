// One request to a running Outrider on a connection of its own: what commands need to talk to it.
#pragma once

#include "base/error.hpp"
#include "proxy/settings.hpp"

#include <string>

namespace outrider::cli {

struct PlainAnswer {
  int status = 0;
  std::string body;
};

// `request` is the whole of it, with "Connection: close".
Result<PlainAnswer> plain_request(const ListenAddress& address, const std::string& request, Duration patience);
// Gives up after ten seconds.
Result<PlainAnswer> plain_get(const ListenAddress& address, const std::string& path);

// Where a program on this machine finds what listens there: 0.0.0.0 is no address to connect to.
ListenAddress reachable(ListenAddress address);

}  // namespace outrider::cli
