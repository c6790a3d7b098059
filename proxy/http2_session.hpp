// One client connection that speaks HTTP/2: each of its streams runs a Transaction of its own.
#pragma once

#include "proxy/intercepted_origin.hpp"
#include "proxy/io_worker.hpp"

#include <memory>

namespace outrider {

// Until the connection has ended. `client` has TLS established and "h2" agreed upon; requests are for `intercepted`.
// Whoever opened the connection stays responsible for its place.
Task<> serve_http2(IoWorker& worker, std::shared_ptr<Stream> client,
                   std::shared_ptr<const InterceptedOrigin> intercepted);

}  // namespace outrider
