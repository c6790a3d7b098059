// Everything one I/O thread owns: its reactor and, on it, the way out (resolver, egress, pool, client) and the
// exchange. No two workers share anything that changes on the hot path; what they share (policy, TLS context, worker
// threads) is thread safe.
#pragma once

#include "base/connection_pool.hpp"
#include "base/date_cache.hpp"
#include "base/egress.hpp"
#include "base/http_client.hpp"
#include "base/resolver.hpp"
#include "cache/exchange.hpp"
#include "proxy/proxy_policy.hpp"

#include <memory>

namespace outrider {

struct ProxyShared;

// A client connection between two requests: it can be closed at any time without hurting anybody.
class IdleConnection
    : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual void close_idle() = 0;

 protected:
  ~IdleConnection() = default;
};

class IoWorker {
 public:
  IoWorker(ProxyShared& shared, std::shared_ptr<const ProxyPolicy> policy);

  Reactor& reactor() { return reactor_; }
  HttpClient& client() { return client_; }
  Exchange& exchange() { return exchange_; }
  TaskGroup& tasks() { return tasks_; }
  ProxyShared& shared() { return shared_; }
  DateCache& date() { return date_; }
  // The rules in force for a request that begins now. A reload replaces the pointer; running requests keep theirs.
  const std::shared_ptr<const ProxyPolicy>& policy() const { return policy_; }
  void set_policy(std::shared_ptr<const ProxyPolicy> policy) { policy_ = std::move(policy); }

  // Stop taking requests: idle connections are closed, the others after their current answer.
  void drain();
  // Waits for the requests that are running; what has not ended by then is cut off. True: all had ended.
  Task<bool> finish(Deadline deadline);
  void cut_off();  // what is running, now

  bool draining = false;
  std::size_t connections = 0;  // open client connections of this worker
  std::size_t turned_away = 0;  // connections not taken that are being closed in an orderly way
  boost::intrusive::list<IdleConnection, boost::intrusive::constant_time_size<false>> idle_connections;

 private:
  ProxyShared& shared_;
  std::shared_ptr<const ProxyPolicy> policy_;
  Reactor reactor_;
  Resolver resolver_;
  Egress egress_;
  std::shared_ptr<ConnectionPool> pool_;
  HttpClient client_;
  Exchange exchange_;
  DateCache date_;
  bool cut_off_ = false;
  TaskGroup tasks_;  // last: its tasks use all of the above
};

}  // namespace outrider
