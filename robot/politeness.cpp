#include "robot/politeness.hpp"

#include "base/ip_address.hpp"
#include "base/public_suffix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace outrider {

struct Politeness::Host {
  const std::string* name = nullptr;  // key of host_names_; null: the slot is free
  HostPace pace;
  AddressId address = 0;
  int in_flight = 0;
  bool wanted = false;
  bool queued = false;
  bool loaded = false;  // its record was looked for in the store
  bool lab = false;
  SteadyTime queued_at{};  // its key in the queue of its address
};

struct Politeness::Address {
  const std::string* name = nullptr;
  SteadyTime not_before = SteadyTime::min();
  int in_flight = 0;
  std::size_t hosts = 0;   // that point here
  bool unbounded = false;  // of a host in the lab
  bool due = false;        // is in due_
  SteadyTime due_at{};
  std::set<std::pair<SteadyTime, HostId>> waiting;
};

Politeness::Politeness(std::shared_ptr<const RobotSettings> settings, PolitenessStore* store, std::size_t most_hosts)
    : settings_(std::move(settings)), store_(store), most_hosts_(most_hosts) {}
Politeness::~Politeness() = default;

void Politeness::set_settings(std::shared_ptr<const RobotSettings> settings) {
  const std::scoped_lock lock(mutex_);
  settings_ = std::move(settings);
}

void Politeness::set_lab_hosts(const std::vector<std::string>& hosts) {
  const std::scoped_lock lock(mutex_);
  lab_.clear();
  lab_.insert(hosts.begin(), hosts.end());
}

// ---- tables

namespace {
// Not the name of a host: when the last request went out, in milliseconds since 1970.
constexpr std::string_view kLastRequest = "*";

std::int64_t to_milliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// What stands for an address that is not known.
std::string unknown_address(std::string_view host) {
  const std::string_view name = host.substr(0, host.ends_with(']') ? host.size() : host.rfind(':'));
  boost::system::error_code no_address;
  boost::asio::ip::make_address(name, no_address);
  const std::string_view domain = no_address && !name.starts_with('[') ? registrable_domain(name) : name;
  return fmt::format("?{}", domain.empty() ? name : domain);
}
}  // namespace

Politeness::HostId Politeness::host_of(std::string_view name, const Moment& now, bool load) {
  if (load && !gate_) load_gate(now);
  HostId id = 0;
  if (const auto found = host_names_.find(name); found != host_names_.end()) {
    id = found->second;
  } else {
    if (host_names_.size() >= most_hosts_) forget_idle(now);
    if (free_hosts_.empty()) {
      free_hosts_.push_back(static_cast<HostId>(hosts_.size()));
      hosts_.emplace_back();
    }
    id = free_hosts_.back();
    free_hosts_.pop_back();
    hosts_[id] = Host{};
    hosts_[id].name = &host_names_.emplace(std::string(name), id).first->first;
    hosts_[id].lab = lab_.contains(name);
    hosts_[id].address = address_of(hosts_[id].lab ? fmt::format("lab {}", name) : unknown_address(name));
    addresses_[hosts_[id].address].unbounded = hosts_[id].lab;
    ++addresses_[hosts_[id].address].hosts;
  }
  if (load && !hosts_[id].loaded) load_record(hosts_[id], now);
  return id;
}

// The gap between requests to one address is short. To remember when the last one went out, wherever it went, is enough
// to keep it over a restart.
void Politeness::load_gate(const Moment& now) {
  gate_ = SteadyTime::min();
  const auto record = store_ != nullptr ? store_->get(kLastRequest) : std::nullopt;
  std::int64_t at = 0;
  if (!record || std::from_chars(record->data(), record->data() + record->size(), at).ec != std::errc{} || at < 0)
    return;
  // In whole milliseconds, which no clock and no damaged record makes too large.
  const std::int64_t passed = std::max<std::int64_t>(to_milliseconds(now.wall) - at, 0);
  const std::int64_t gap = std::chrono::ceil<std::chrono::milliseconds>(settings_->address_gap).count();
  if (passed < gap) gate_ = now.steady + std::chrono::milliseconds{gap - passed};
}

SteadyTime Politeness::not_before(const Address& address) const {
  return std::max(address.not_before, gate_.value_or(SteadyTime::min()));
}

// A browser may have been there before the robot's memory was asked: the later of the two times holds.
void Politeness::load_record(Host& host, const Moment& now) {
  host.loaded = true;
  if (store_ == nullptr || host.lab) return;
  const auto record = store_->get(*host.name);
  if (!record) return;
  auto pace = HostPace::load(*record, now, *settings_);
  if (!pace) return;
  const bool browser_is_there = host.pace.not_before() > now.steady;
  host.pace = *pace;
  if (browser_is_there) host.pace.browser_asked(now.steady, *settings_);
}

Politeness::AddressId Politeness::address_of(std::string_view name) {
  if (const auto found = address_names_.find(name); found != address_names_.end()) return found->second;
  if (free_addresses_.empty()) {
    free_addresses_.push_back(static_cast<AddressId>(addresses_.size()));
    addresses_.emplace_back();
  }
  const AddressId id = free_addresses_.back();
  free_addresses_.pop_back();
  addresses_[id] = Address{};
  addresses_[id].name = &address_names_.emplace(std::string(name), id).first->first;
  return id;
}

void Politeness::move_host(HostId id, std::string_view address) {
  Host& host = hosts_[id];
  // A request in flight is counted where it went: the host moves when all of them are back.
  if (address.empty() || host.lab || host.in_flight > 0 || *addresses_[host.address].name == address) return;
  leave_queue(id);
  const AddressId before = host.address;
  requeue_address(before);
  host.address = address_of(address);
  ++addresses_[host.address].hosts;
  if (--addresses_[before].hosts == 0) forget_address(before);
  join_queue(id);
}

// ---- queues

void Politeness::leave_queue(HostId id) {
  Host& host = hosts_[id];
  if (!host.queued) return;
  addresses_[host.address].waiting.erase({host.queued_at, id});
  host.queued = false;
}

void Politeness::join_queue(HostId id) {
  Host& host = hosts_[id];
  if (host.wanted && (host.lab || host.in_flight < host.pace.concurrency(*settings_))) {
    // The lab's hosts are always due, and take turns.
    host.queued_at = host.lab ? SteadyTime::min() + Duration{++lab_turns_} : host.pace.not_before();
    addresses_[host.address].waiting.emplace(host.queued_at, id);
    host.queued = true;
  }
  requeue_address(host.address);
}

void Politeness::requeue_address(AddressId id) {
  Address& address = addresses_[id];
  if (address.due) due_.erase({address.due_at, id});
  const bool free = address.unbounded || address.in_flight < settings_->per_address;
  address.due = free && !address.waiting.empty();
  if (!address.due) return;
  address.due_at = std::max(not_before(address), address.waiting.begin()->first);
  due_.emplace(address.due_at, id);
}

void Politeness::want(std::string_view name, const Moment& now) {
  const std::scoped_lock lock(mutex_);
  const HostId id = host_of(name, now, true);
  if (hosts_[id].wanted) return;
  hosts_[id].wanted = true;
  join_queue(id);
}

void Politeness::unwant(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  const auto found = host_names_.find(name);
  if (found == host_names_.end()) return;
  leave_queue(found->second);
  hosts_[found->second].wanted = false;
  requeue_address(hosts_[found->second].address);
}

std::optional<Politeness::Next> Politeness::next() const {
  const std::scoped_lock lock(mutex_);
  if (due_.empty()) return std::nullopt;
  const auto& [at, address] = *due_.begin();
  return Next{*hosts_[addresses_[address].waiting.begin()->second].name, at};
}

// ---- leases

bool Politeness::may_start(const Host& host, const Address& address, SteadyTime now) const {
  if (host.lab) return true;
  if (host.in_flight >= host.pace.concurrency(*settings_) || now < host.pace.not_before()) return false;
  return address.unbounded || (address.in_flight < settings_->per_address && now >= not_before(address));
}

std::optional<Lease> Politeness::try_acquire(std::string_view name, std::string_view address_name, const Moment& now) {
  std::string record;
  Lease lease;
  {
    const std::scoped_lock lock(mutex_);
    const HostId id = host_of(name, now, true);
    move_host(id, address_name);
    Host& host = hosts_[id];
    Address& address = addresses_[host.address];
    if (!may_start(host, address, now.steady)) return std::nullopt;
    leave_queue(id);
    ++host.in_flight;
    ++address.in_flight;
    if (!host.lab) {
      lease.host_begin = host.pace.began(now.steady, *settings_);
      lease.address_begin.before = address.not_before;
      address.not_before = std::max(address.not_before, now.steady + settings_->address_gap);
      lease.address_begin.after = address.not_before;
      if (store_ != nullptr) record = host.pace.save(now);
    }
    join_queue(id);
    lease.host = id;
    lease.address = host.address;
  }
  if (!record.empty()) {
    store_->put(name, record);
    store_->put(kLastRequest, std::to_string(to_milliseconds(now.wall)));
  }
  return lease;
}

void Politeness::release(const Lease& lease, const FetchOutcome& outcome, const Moment& now) {
  std::string name, record;
  {
    const std::scoped_lock lock(mutex_);
    Host& host = hosts_[lease.host];
    leave_queue(lease.host);
    --host.in_flight;
    Address& address = addresses_[lease.address];
    --address.in_flight;
    if (outcome.not_sent && !host.lab) {
      host.pace.give_back(lease.host_begin);
      if (address.not_before == lease.address_begin.after) address.not_before = lease.address_begin.before;
    }
    requeue_address(lease.address);
    if (!host.lab) {
      if (!outcome.not_sent) host.pace.ended(outcome, now.steady, *settings_);
      move_host(lease.host, outcome.address);
      if (store_ != nullptr) {
        name = *host.name;
        record = host.pace.save(now);
      }
    }
    join_queue(lease.host);
  }
  if (!record.empty()) store_->put(name, record);
}

SteadyTime Politeness::next_possible(std::string_view name, const Moment& now) {
  const std::scoped_lock lock(mutex_);
  const Host& host = hosts_[host_of(name, now, true)];
  if (host.lab) return now.steady;
  if (host.in_flight >= host.pace.concurrency(*settings_)) return SteadyTime::max();
  const Address& address = addresses_[host.address];
  if (address.unbounded) return host.pace.not_before();
  if (address.in_flight >= settings_->per_address) return SteadyTime::max();
  return std::max(host.pace.not_before(), not_before(address));
}

void Politeness::set_crawl_delay(std::string_view name, std::optional<Duration> delay, const Moment& now) {
  const std::scoped_lock lock(mutex_);
  const HostId id = host_of(name, now, true);
  leave_queue(id);
  hosts_[id].pace.set_crawl_delay(delay);
  join_queue(id);
}

// On the thread of the browser's connection: nothing is read from the store here.
void Politeness::browser_asked(std::string_view name, std::string_view address, const Moment& now) {
  const std::scoped_lock lock(mutex_);
  const HostId id = host_of(name, now, false);
  move_host(id, address);
  Host& host = hosts_[id];
  if (host.lab) return;
  leave_queue(id);
  host.pace.browser_asked(now.steady, *settings_);
  join_queue(id);
}

void Politeness::forgive(std::string_view name, const Moment& now) {
  std::string record;
  {
    const std::scoped_lock lock(mutex_);
    const HostId id = host_of(name, now, true);
    Host& host = hosts_[id];
    if (host.lab) return;
    leave_queue(id);
    host.pace.forgive(now.steady, *settings_);
    join_queue(id);
    if (store_ != nullptr) record = host.pace.save(now);
  }
  if (!record.empty()) store_->put(name, record);
}

std::optional<Politeness::HostView> Politeness::view(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = host_names_.find(name);
  if (found == host_names_.end()) return std::nullopt;
  const Host& host = hosts_[found->second];
  const Address& address = addresses_[host.address];
  HostView view{host.pace.not_before(),
                host.pace.gap(*settings_),
                host.pace.latency(),
                host.in_flight,
                host.pace.failures(),
                address.name->starts_with('?') ? std::string() : *address.name,
                std::string(host.pace.reason(*settings_))};
  if (host.lab) view = {SteadyTime::min(), Duration::zero(), view.latency, view.in_flight, 0, "", "lab: no politeness"};
  return view;
}

// ---- memory

// A few slots at a time: what nobody wants and what has nothing to wait for (or is written down) is forgotten.
void Politeness::forget_idle(const Moment& now) {
  constexpr std::size_t kAtATime = 64;
  for (std::size_t i = 0; i < std::min(kAtATime, hosts_.size()); ++i) {
    hand_ = (hand_ + 1) % hosts_.size();
    const Host& host = hosts_[hand_];
    const bool at_rest = host.pace.not_before() <= now.steady || (store_ != nullptr && host.loaded);
    if (host.name != nullptr && !host.wanted && host.in_flight == 0 && at_rest) forget_host(static_cast<HostId>(hand_));
  }
}

void Politeness::forget_host(HostId id) {
  const AddressId address = hosts_[id].address;
  host_names_.erase(host_names_.find(*hosts_[id].name));
  hosts_[id] = Host{};
  free_hosts_.push_back(id);
  if (--addresses_[address].hosts == 0) forget_address(address);
}

// Its gap is short (a second or so) and not worth remembering once no host points to it.
void Politeness::forget_address(AddressId id) {
  if (addresses_[id].in_flight > 0) return;
  if (addresses_[id].due) due_.erase({addresses_[id].due_at, id});
  address_names_.erase(address_names_.find(*addresses_[id].name));
  addresses_[id] = Address{};
  free_addresses_.push_back(id);
}

std::size_t Politeness::host_count() const {
  const std::scoped_lock lock(mutex_);
  return host_names_.size();
}
std::size_t Politeness::address_count() const {
  const std::scoped_lock lock(mutex_);
  return address_names_.size();
}

}  // namespace outrider
