// As proxy/relay, with a stream of HTTP/2 on the client's side.
#pragma once

#include "base/http2_stream.hpp"
#include "proxy/io_worker.hpp"

#include <cstdint>
#include <memory>

namespace outrider {

// Ends when both directions have ended, one has failed, or nothing moved for `idle`. The counters are kept up however
// it ends.
Task<> relay(std::shared_ptr<Http2Stream> client, std::shared_ptr<Stream> origin, Duration idle, IoWorker& worker,
             std::uint64_t& bytes_in, std::uint64_t& bytes_out);

}  // namespace outrider
