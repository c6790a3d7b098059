#include "proxy/io_worker.hpp"

#include "proxy/proxy_shared.hpp"

namespace outrider {
namespace {

// For what was cut off to be unwound and recorded. Only what waits for a worker thread cannot be interrupted.
constexpr Duration kUnwindAtMost = std::chrono::seconds{1};

PoolLimits pool_limits(const ProxyPolicy& policy) {
  PoolLimits limits;
  limits.total = policy.pool.total;
  limits.per_origin = policy.pool.per_origin;
  limits.idle = policy.pool.idle;
  return limits;
}

}  // namespace

IoWorker::IoWorker(ProxyShared& shared, std::shared_ptr<const ProxyPolicy> policy)
    : shared_(shared),
      policy_(std::move(policy)),
      resolver_(reactor_, shared.lookups),
      egress_(reactor_, resolver_, shared.tls),
      pool_(std::make_shared<ConnectionPool>(reactor_, pool_limits(*policy_))),
      client_(reactor_, egress_, pool_, policy_->limits, &shared.homes, true),
      exchange_(reactor_, client_, shared.cache),
      date_(reactor_.clock()),
      tasks_(reactor_.executor()) {}

void IoWorker::drain() {
  draining = true;
  for (auto it = idle_connections.begin(); it != idle_connections.end();) (it++)->close_idle();
  client_.leave_homes();
  client_.close_idle();
}

Task<bool> IoWorker::finish(Deadline deadline) {
  const bool all = co_await tasks_.join(deadline);
  if (all) co_return !cut_off_;
  cut_off();
  co_await tasks_.join(Deadline::after(kUnwindAtMost));
  co_return false;
}

void IoWorker::cut_off() {
  cut_off_ = true;
  tasks_.cancel();
}

}  // namespace outrider
