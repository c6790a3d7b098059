// Host names to addresses: getaddrinfo on worker threads (it honours the machine's own rules: hosts file, mDNS, VPN),
// with a cache, a negative cache, and one lookup for any number of simultaneous askers. One per reactor.
#pragma once

#include "base/async_event.hpp"
#include "base/error.hpp"
#include "base/ip_address.hpp"
#include "base/reactor.hpp"
#include "base/task_group.hpp"
#include "base/worker_pool.hpp"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace outrider {

struct ResolverOptions {
  Duration keep_found = std::chrono::seconds{60};
  Duration keep_failed = std::chrono::seconds{5};
  Duration keep_stale = std::chrono::hours{1};     // an expired answer still serves while the resolver is out of order
  Duration stale_after = std::chrono::seconds{1};  // it does so when a new one takes longer than this to come
  Duration give_up_after = std::chrono::milliseconds{4500};  // what is not known by then is not worth a reader's time
  std::size_t capacity = 4096;                               // names
};

using Addresses = std::vector<IpAddress>;

class Resolver {
 public:
  // Blocking; runs on the worker pool. Failure: dns_failure; retry_safe says "no such name" (false) from "no answer"
  // (true).
  using Lookup = std::function<Result<Addresses>(const std::string& host)>;
  static Result<Addresses> system_lookup(const std::string& host);

  Resolver(Reactor& reactor, WorkerPool& workers, ResolverOptions options = {}, Lookup lookup = system_lookup);

  // `host` is an ASCII name in lower case, or an address literal without brackets (answered at once). A lookup goes on
  // after nobody waits for it any more: the next one to ask finds its answer.
  Task<Result<Addresses>> resolve(std::string host, Deadline deadline);
  void forget(const std::string& host);
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    explicit Entry(const Executor& executor) : changed(executor) {}
    bool pending = false;
    Result<Addresses> answer = Addresses{};
    SteadyTime asked{};  // when the lookup that is pending began
    SteadyTime valid_until{};
    SteadyTime stale_until{};
    AsyncEvent changed;
    std::list<std::string>::iterator age;
  };
  std::shared_ptr<Entry> entry_for(const std::string& host);
  Task<> look_up(std::shared_ptr<Entry> entry, std::string host);

  Reactor& reactor_;
  WorkerPool& workers_;
  const ResolverOptions options_;
  Lookup lookup_;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
  std::list<std::string> by_age_;  // most recently used first
  TaskGroup tasks_;
};

}  // namespace outrider
