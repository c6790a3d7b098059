// Open connections to origins, kept for the next request. One per reactor, so no locks. Limits: connections in total
// and per origin (whoever waits for one gets it in turn), idle time; the idle connection unused for longest makes room
// for another host.
#pragma once

#include "base/async_event.hpp"
#include "base/deadline_sweeper.hpp"
#include "base/http_connection.hpp"
#include "base/reactor.hpp"

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace outrider {

struct PoolLimits {
  std::size_t total = 1024;
  std::size_t per_origin = 64;
  std::size_t waiting_per_origin = 1024;
  Duration idle = std::chrono::seconds{55};  // below the 60 s that many servers keep a connection
};

class ConnectionPool final : public std::enable_shared_from_this<ConnectionPool>, private Watched {
  struct Origin;

 public:
  // The right to one connection of an origin: either an open one, or the permission to open it. Gives it back when
  // destroyed.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease() { give_back(); }

    // An idle connection that was alive a moment ago; nullptr = open one and hand it over with set().
    HttpConnection* connection() const { return connection_.get(); }
    void set(std::unique_ptr<HttpConnection> connection) { connection_ = std::move(connection); }
    // Throw the connection away but keep the permission: for the one retry on a fresh connection.
    void drop_connection() { connection_.reset(); }
    // The connection leaves the pool's care (tunnels, upgrades); its place is given back.
    std::unique_ptr<HttpConnection> take();
    // Back into the pool if it may be reused, closed otherwise.
    void give_back();

   private:
    friend class ConnectionPool;
    std::shared_ptr<ConnectionPool> pool_;
    std::shared_ptr<Origin> origin_;
    std::unique_ptr<HttpConnection> connection_;
  };

  ConnectionPool(Reactor& reactor, const PoolLimits& limits);
  ~ConnectionPool();

  // `key` names everything that makes connections interchangeable: scheme, host, port, parent, identity.
  // Failure: busy (too many are waiting already), timeout.
  Task<Result<Lease>> acquire(std::string key, Deadline deadline);
  // As acquire(), but false instead of waiting, also where others wait already. `retry_safe`: it does no harm if the
  // connection turns out to be closed; one that was in use a moment ago is then given without asking the kernel.
  bool try_acquire(std::string_view key, Lease& lease, bool retry_safe);

  bool has_idle(std::string_view key) const;
  void close_idle();
  const PoolLimits& limits() const { return limits_; }
  std::size_t idle() const { return idle_.size(); }
  std::size_t in_use() const { return in_use_; }

 private:
  struct Idle {
    std::shared_ptr<Origin> origin;
    std::unique_ptr<HttpConnection> connection;
    SteadyTime since;
    std::list<std::list<Idle>::iterator>::iterator place;  // in the origin's own list
  };
  struct Origin {
    explicit Origin(std::string_view k) : key(k) {}
    std::string key;
    std::list<std::list<Idle>::iterator> idle;  // most recently used first
    std::size_t in_use = 0;
    struct Waiter {};
    std::list<Waiter> waiting;  // whose turn it is first
  };
  class Turn;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  void on_deadline() override;  // evicts what has been idle for too long
  bool has_place(const Origin& origin) const { return origin.in_use < limits_.per_origin && in_use_ < limits_.total; }
  void grant(const std::shared_ptr<Origin>& origin, Lease& lease, bool retry_safe);
  void put_back(const std::shared_ptr<Origin>& origin, std::unique_ptr<HttpConnection> connection);
  void release_place(const std::shared_ptr<Origin>& origin);
  std::unique_ptr<HttpConnection> remove(std::list<Idle>::iterator idle);
  void forget_if_unused(const std::shared_ptr<Origin>& origin);

  Reactor& reactor_;
  const PoolLimits limits_;
  std::unordered_map<std::string, std::shared_ptr<Origin>, Hash, std::equal_to<>> origins_;
  std::list<Idle> idle_;  // most recently used first
  std::size_t in_use_ = 0;
  std::size_t waiting_ = 0;
  AsyncEvent freed_;  // a place has become free, at whichever origin
};

}  // namespace outrider
