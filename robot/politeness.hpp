// Who may be asked next, and when. Every request of the robot, whichever task wants it, needs a Lease of its host. Two
// bounds hold at once: the host's own pace (host_pace.hpp) and that of the address behind it, so that ten thousand
// names on one machine are not ten thousand machines.
//
//   want(host)          there is work for it                    next()        the host that is due first, and when
//   try_acquire(…)      its Lease, if it may be asked now        release(…)    how it went; decides the next time
//   browser_asked(…)    a person's request counts, never waits
//
// Hosts that are wanted wait in the queue of their address, addresses in one queue of all: each step costs O(log n).
// The names of hosts are "example.com" or "example.com:8080", addresses anything that names the machine ("" = not known
// yet). What must survive a restart is written through a PolitenessStore before the request goes out. Any thread may
// call.
#pragma once

#include "robot/host_pace.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace outrider {

// Where the records of hosts are kept. Small and fast (some ten microseconds): called on the thread that acquires.
class PolitenessStore {
 public:
  virtual ~PolitenessStore() = default;
  virtual std::optional<std::string> get(std::string_view host) = 0;
  virtual void put(std::string_view host, std::string_view record) = 0;
};

// The right to send one request. Give it back exactly once.
struct Lease {
  std::uint32_t host = 0;  // both are of the Politeness that gave it
  std::uint32_t address = 0;
  HostPace::Begin host_begin, address_begin;  // taken back if the request is not sent
};

class Politeness {
 public:
  // `most_hosts` bounds what is remembered of hosts that nobody wants; wanted ones are never forgotten. Without a store
  // nothing survives.
  explicit Politeness(std::shared_ptr<const RobotSettings> settings, PolitenessStore* store = nullptr,
                      std::size_t most_hosts = 100'000);
  ~Politeness();

  void set_settings(std::shared_ptr<const RobotSettings> settings);
  // --lab: no bounds for these hosts, and nothing kept about them. Before they are used.
  void set_lab_hosts(const std::vector<std::string>& hosts);

  void want(std::string_view host, const Moment& now);
  void unwant(std::string_view host);

  struct Next {
    std::string host;
    SteadyTime at{};  // may be in the past: due since then
  };
  // The wanted host that is due first; nothing if all of them wait for a lease to come back.
  std::optional<Next> next() const;

  std::optional<Lease> try_acquire(std::string_view host, std::string_view address, const Moment& now);
  void release(const Lease& lease, const FetchOutcome& outcome, const Moment& now);

  // SteadyTime::max(): when a lease comes back.
  SteadyTime next_possible(std::string_view host, const Moment& now);
  void set_crawl_delay(std::string_view host, std::optional<Duration> delay, const Moment& now);
  void browser_asked(std::string_view host, std::string_view address, const Moment& now);
  void forgive(std::string_view host, const Moment& now);  // somebody knows that it is well again

  struct HostView {
    SteadyTime not_before{};
    Duration gap{};
    Duration latency{};
    int in_flight = 0;
    int failures = 0;
    std::string address;
    std::string reason;  // what the gap comes from
  };
  std::optional<HostView> view(std::string_view host) const;
  std::size_t host_count() const;
  std::size_t address_count() const;

 private:
  using HostId = std::uint32_t;
  using AddressId = std::uint32_t;
  struct Host;
  struct Address;
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  using Names = std::unordered_map<std::string, std::uint32_t, NameHash, std::equal_to<>>;

  HostId host_of(std::string_view name, const Moment& now, bool load);
  AddressId address_of(std::string_view name);
  void move_host(HostId id, std::string_view address);
  void load_record(Host& host, const Moment& now);
  void load_gate(const Moment& now);
  SteadyTime not_before(const Address& address) const;
  bool may_start(const Host& host, const Address& address, SteadyTime now) const;
  void leave_queue(HostId id);  // before the pace of the host changes …
  void join_queue(HostId id);   // … and after
  void requeue_address(AddressId id);
  void forget_idle(const Moment& now);
  void forget_host(HostId id);
  void forget_address(AddressId id);

  mutable std::mutex mutex_;
  std::shared_ptr<const RobotSettings> settings_;
  PolitenessStore* store_;
  std::size_t most_hosts_;
  std::unordered_set<std::string, NameHash, std::equal_to<>> lab_;
  Names host_names_, address_names_;
  std::deque<Host> hosts_;
  std::deque<Address> addresses_;
  std::vector<HostId> free_hosts_;
  std::vector<AddressId> free_addresses_;
  std::set<std::pair<SteadyTime, AddressId>> due_;  // of addresses: when the first of their hosts may be asked
  std::uint64_t lab_turns_ = 0;
  std::size_t hand_ = 0;  // where forget_idle() looks next
  // A former process may have asked any address a moment ago: none is asked before.
  std::optional<SteadyTime> gate_;
};

}  // namespace outrider
