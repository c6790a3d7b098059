// Which account of this machine the other end of a connection belongs to. The kernel knows (sock_diag(7)); asking it
// takes some microseconds and a file descriptor, so it is for the few requests where that matters.
#pragma once

#include "base/async.hpp"

#include <sys/types.h>

#include <optional>

namespace outrider {

// `peer` is the other end of an open connection, `ours` the near one. Nothing: another machine, the other end is closed
// already (the kernel would say root), or the kernel does not tell.
std::optional<uid_t> peer_user(const tcp::endpoint& peer, const tcp::endpoint& ours);

// The account that runs this program, or root.
bool is_our_user(const tcp::endpoint& peer, const tcp::endpoint& ours);

}  // namespace outrider
