// The flights under way, by key. Shared by all reactors.
#pragma once

#include "cache/flight.hpp"

#include <array>
#include <atomic>
#include <unordered_map>

namespace outrider {

class FlightTable {
 public:
  struct Ticket {
    std::shared_ptr<Flight> flight;
    bool leads = false;  // it is new: whoever holds this ticket fetches
  };
  // `unfit`: one that was found before and is of no use; it flies on without being found again.
  Ticket enter(const CacheKey& key, Reactor& home, TaskGroup& tasks, Store& store,
               const std::shared_ptr<Flight>& unfit = nullptr);
  void remove(const CacheKey& key, const Flight* flight);
  // How many flights of keys like this one have ended: whoever looked into the store before the last of them did should
  // look again.
  std::uint64_t ended(const CacheKey& key) const { return shard(key).ended.load(std::memory_order_acquire); }
  // What the key stands for was changed at the origin: nobody joins the flight under way any more, and it is not kept.
  void dismiss(const CacheKey& key);

  // Keys whose answers could not be shared lately: nobody should wait for the next one.
  bool is_unshareable(const CacheKey& key, SteadyTime now) const;
  void note_unshareable(const CacheKey& key, SteadyTime now);

 private:
  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kRemembered = 1024;  // per shard
  struct Shard {
    mutable std::mutex mutex;
    std::atomic<std::uint64_t> ended{0};
    std::unordered_map<CacheKey, std::shared_ptr<Flight>> flights;
    struct Note {
      std::uint64_t hash = 0;
      SteadyTime until{};
    };
    std::vector<Note> notes;  // by hash: a newer one takes the place of an older one
  };
  Shard& shard(const CacheKey& key) { return shards_[key.hash % kShards]; }
  const Shard& shard(const CacheKey& key) const { return shards_[key.hash % kShards]; }
  std::array<Shard, kShards> shards_;
};

}  // namespace outrider
