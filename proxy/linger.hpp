// The end of a client connection whose answer must not be lost. Used by Session and by Listener, which turns clients
// away.
#pragma once

#include "base/stream.hpp"

namespace outrider {

// What an unwanted rest of a request may cost us before closing is cheaper than reading on.
inline constexpr std::size_t kDiscardAtMost = 256 * 1024;
inline constexpr Duration kLingerAtMost = std::chrono::seconds{2};

// Closing with unread bytes makes the kernel send a reset, which can destroy the answer before the client has read it
// (RFC 9112 section 9.6): says that we are done, then reads on for a moment. The caller closes.
Task<> linger(Stream& client);

}  // namespace outrider
