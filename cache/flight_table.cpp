#include "cache/flight_table.hpp"

namespace outrider {
namespace {

constexpr Duration kUnshareableFor = std::chrono::seconds{60};

}  // namespace

FlightTable::Ticket FlightTable::enter(const CacheKey& key, Reactor& home, TaskGroup& tasks, Store& store,
                                       const std::shared_ptr<Flight>& unfit) {
  Shard& here = shard(key);
  const std::lock_guard lock{here.mutex};
  const auto found = here.flights.try_emplace(key).first;
  const bool leads = !found->second || found->second == unfit;
  if (leads) found->second = std::make_shared<Flight>(*this, key, home, tasks, store);
  return {found->second, leads};
}

void FlightTable::remove(const CacheKey& key, const Flight* flight) {
  std::shared_ptr<Flight> last;  // goes after the lock
  Shard& here = shard(key);
  here.ended.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard lock{here.mutex};
  const auto found = here.flights.find(key);
  if (found == here.flights.end() || found->second.get() != flight) return;
  last = std::move(found->second);
  here.flights.erase(found);
}

void FlightTable::dismiss(const CacheKey& key) {
  std::shared_ptr<Flight> outdated;  // goes after the lock
  Shard& here = shard(key);
  const std::lock_guard lock{here.mutex};
  const auto found = here.flights.find(key);
  if (found == here.flights.end()) return;
  outdated = std::move(found->second);
  here.flights.erase(found);
}

bool FlightTable::is_unshareable(const CacheKey& key, SteadyTime now) const {
  const Shard& here = shard(key);
  const std::lock_guard lock{here.mutex};
  if (here.notes.empty()) return false;
  const Shard::Note& note = here.notes[(key.hash / kShards) % kRemembered];
  return note.hash == key.hash && now < note.until;
}

void FlightTable::note_unshareable(const CacheKey& key, SteadyTime now) {
  Shard& here = shard(key);
  const std::lock_guard lock{here.mutex};
  if (here.notes.empty()) here.notes.resize(kRemembered);
  here.notes[(key.hash / kShards) % kRemembered] = {key.hash, now + kUnshareableFor};
}

}  // namespace outrider
