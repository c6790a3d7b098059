#include "base/connection_pool.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

// So long after its last answer a connection is taken for alive, where an error would do no harm.
constexpr Duration kLately = std::chrono::milliseconds{100};

}  // namespace

ConnectionPool::Lease& ConnectionPool::Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    give_back();
    pool_ = std::move(other.pool_);
    origin_ = std::move(other.origin_);
    connection_ = std::move(other.connection_);
  }
  return *this;
}

std::unique_ptr<HttpConnection> ConnectionPool::Lease::take() {
  std::unique_ptr<HttpConnection> connection = std::move(connection_);
  give_back();
  return connection;
}

void ConnectionPool::Lease::give_back() {
  if (!pool_) return;
  if (connection_ && connection_->reusable()) pool_->put_back(origin_, std::move(connection_));
  connection_.reset();
  pool_->release_place(origin_);
  origin_.reset();
  pool_.reset();
}

ConnectionPool::ConnectionPool(Reactor& reactor, const PoolLimits& limits)
    : reactor_(reactor), limits_(limits), freed_(reactor.executor()) {}

ConnectionPool::~ConnectionPool() = default;

bool ConnectionPool::try_acquire(std::string_view key, Lease& lease, bool retry_safe) {
  auto found = origins_.find(key);
  if (found == origins_.end()) found = origins_.emplace(key, std::make_shared<Origin>(key)).first;
  const std::shared_ptr<Origin>& origin = found->second;
  if (!has_place(*origin) || !origin->waiting.empty()) return false;
  grant(origin, lease, retry_safe);
  return true;
}

void ConnectionPool::grant(const std::shared_ptr<Origin>& origin, Lease& lease, bool retry_safe) {
  Lease granted;
  granted.pool_ = shared_from_this();
  granted.origin_ = origin;
  ++origin->in_use;
  ++in_use_;
  while (!origin->idle.empty() && !granted.connection_) {
    const bool in_use_lately = reactor_.sweeper().now() - origin->idle.front()->since < kLately;
    std::unique_ptr<HttpConnection> candidate = remove(origin->idle.front());
    if (candidate->stream().idle_alive(!retry_safe || !in_use_lately)) granted.connection_ = std::move(candidate);
  }
  // A new connection is about to be opened: make room for it.
  while (!granted.connection_ && in_use_ + idle_.size() > limits_.total && !idle_.empty())
    remove(std::prev(idle_.end()));
  lease = std::move(granted);
}

// A place in the line of those who wait for a connection of one origin; left however the waiting ends.
class ConnectionPool::Turn {
 public:
  Turn(ConnectionPool& pool, std::shared_ptr<Origin> origin)
      : pool_(pool.shared_from_this()),
        origin_(std::move(origin)),
        place_(origin_->waiting.emplace(origin_->waiting.end())) {
    ++pool_->waiting_;
  }
  ~Turn() {
    origin_->waiting.erase(place_);
    --pool_->waiting_;
    // Those behind us looked while it was not yet their turn.
    if (!origin_->waiting.empty() && pool_->has_place(*origin_)) pool_->freed_.notify();
    pool_->forget_if_unused(origin_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool has_come() const { return place_ == origin_->waiting.begin() && pool_->has_place(*origin_); }

 private:
  const std::shared_ptr<ConnectionPool> pool_;
  const std::shared_ptr<Origin> origin_;
  const std::list<Origin::Waiter>::iterator place_;
};

Task<Result<ConnectionPool::Lease>> ConnectionPool::acquire(std::string key, Deadline deadline) {
  Lease lease;
  if (try_acquire(key, lease, false)) co_return lease;
  const std::shared_ptr<Origin> origin = origins_.find(key)->second;
  if (origin->waiting.size() >= limits_.waiting_per_origin) {
    forget_if_unused(origin);
    co_return Error{ErrorKind::busy, Side::self, fmt::format("too many requests are waiting for {}", key), true};
  }
  const Turn turn{*this, origin};
  while (!deadline.passed(reactor_.clock())) {
    co_await freed_.wait(deadline);
    if (!turn.has_come()) continue;
    grant(origin, lease, false);
    co_return lease;
  }
  co_return Error{ErrorKind::timeout, Side::self, fmt::format("no connection to {} became free in time", key), true};
}

void ConnectionPool::put_back(const std::shared_ptr<Origin>& origin, std::unique_ptr<HttpConnection> connection) {
  if (limits_.total == 0) return;
  connection->release_buffer();
  connection->stream().no_deadline();
  const SteadyTime now = reactor_.sweeper().now();
  idle_.push_front(Idle{origin, std::move(connection), now, {}});
  origin->idle.push_front(idle_.begin());
  idle_.front().place = origin->idle.begin();
  if (deadline().is_never()) {
    if (!is_linked()) reactor_.sweeper().watch(*this);
    set_deadline(Deadline{now + limits_.idle});
  }
}

void ConnectionPool::release_place(const std::shared_ptr<Origin>& origin) {
  --origin->in_use;
  --in_use_;
  if (waiting_ > 0) freed_.notify();
  forget_if_unused(origin);
}

std::unique_ptr<HttpConnection> ConnectionPool::remove(std::list<Idle>::iterator idle) {
  std::unique_ptr<HttpConnection> connection = std::move(idle->connection);
  const std::shared_ptr<Origin> origin = idle->origin;
  origin->idle.erase(idle->place);
  idle_.erase(idle);
  forget_if_unused(origin);
  return connection;
}

void ConnectionPool::forget_if_unused(const std::shared_ptr<Origin>& origin) {
  if (origin->in_use == 0 && origin->waiting.empty() && origin->idle.empty()) origins_.erase(origin->key);
}

void ConnectionPool::on_deadline() {
  const SteadyTime now = reactor_.sweeper().now();
  while (!idle_.empty() && now - idle_.back().since >= limits_.idle) remove(std::prev(idle_.end()));
  if (!idle_.empty()) set_deadline(Deadline{idle_.back().since + limits_.idle});
}

bool ConnectionPool::has_idle(std::string_view key) const {
  const auto found = origins_.find(key);
  return found != origins_.end() && !found->second->idle.empty();
}

void ConnectionPool::close_idle() {
  while (!idle_.empty()) remove(idle_.begin());
}

}  // namespace outrider
