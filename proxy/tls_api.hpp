// Interception for programs, at the proxy's own address; whoever holds the admin token may ask.
//
//   GET    /api/v1/tls/pinned        hosts that pass unseen because a client refused our certificate:
//                                    {"pinned":[{"host","client","reason","since","until"}]}
//   DELETE /api/v1/tls/pinned        forget them all          → {"removed":n}
//   DELETE /api/v1/tls/pinned/HOST   forget one, for all clients
#pragma once

#include "base/clock.hpp"
#include "proxy/answer.hpp"
#include "proxy/pinned_hosts.hpp"

#include <string_view>

namespace outrider {

Answer tls_api_answer(std::string_view path, Method method, PinnedHosts& pinned, WallTime now,
                      const AnswerFrame& frame);

}  // namespace outrider
