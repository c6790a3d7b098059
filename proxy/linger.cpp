#include "proxy/linger.hpp"

#include "base/buffer_pool.hpp"

namespace outrider {

Task<> linger(Stream& client) {
  client.forgive_timeout();
  client.shutdown_write();
  client.read_expires_in(kLingerAtMost);
  Buffer buffer;
  for (std::size_t discarded = 0; discarded < kDiscardAtMost;) {
    buffer.release();  // no memory is held while nothing comes
    Result<void> ready = co_await client.wait_readable();
    if (!ready) co_return;
    buffer.acquire();
    Result<std::size_t> got = co_await client.read_some(buffer.span());
    if (!got || *got == 0) co_return;
    discarded += *got;
  }
}

}  // namespace outrider
