// As proxy/relay, where at least one side is a stream of HTTP/2.
#pragma once

#include "proxy/io_worker.hpp"
#include "proxy/tunnel_end.hpp"

#include <cstdint>
#include <memory>

namespace outrider {

// Ends when both directions have ended, one has failed, or nothing moved for `idle`. The counters are kept up however
// it ends.
Task<> relay(std::unique_ptr<TunnelEnd> client, std::unique_ptr<TunnelEnd> origin, Duration idle, IoWorker& worker,
             std::uint64_t& bytes_in, std::uint64_t& bytes_out);

}  // namespace outrider
