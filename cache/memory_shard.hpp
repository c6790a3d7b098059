// One part of the memory tier with a lock of its own; see memory_tier.hpp for the idea.
#pragma once

#include "cache/store_entry.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace outrider {

class MemoryShard {
 public:
  explicit MemoryShard(std::size_t budget) : budget_(budget) {}

  // Entries that had to go. Destroyed by the caller after the lock is released: freeing memory takes its time.
  struct Dropped {
    std::vector<EntryPtr> entries;
    std::vector<std::uint64_t> used;  // hashes of those that had been asked for
  };

  std::mutex& mutex() const { return mutex_; }
  // All of these under the lock.
  struct Node {
    std::uint64_t hash = 0;
    EntryPtr entry;  // without variants: it is being erased
    std::uint32_t previous = 0, next = 0;
    std::uint32_t cost = 0;
    std::uint32_t pending = 0;  // changes that the disk does not know yet
    std::uint8_t uses = 0;      // since it was put in or last spared, up to kMostUses
    bool in_main = false;
  };
  Node* find(const CacheKey& key);
  const Node* find(const CacheKey& key) const;
  bool may_find(std::uint64_t hash) const { return index_.contains(hash); }
  // In the place of what is there under its key. Without variants it says that the key is being erased.
  void put(EntryPtr entry, bool pending, Dropped& dropped);
  void settle(const CacheKey& key, Dropped& dropped);
  void remove(const CacheKey& key, Dropped& dropped);
  std::vector<EntryPtr> all() const;

  std::size_t entries() const { return index_.size(); }
  std::size_t bytes() const;
  std::size_t pinned_bytes() const { return pinned_; }  // of those that wait for the disk
  static constexpr std::uint8_t kMostUses = 3;

 private:
  using Index = std::uint32_t;  // of a node; 0 is nobody
  struct Queue {
    Index head = 0, tail = 0;  // the oldest is the head
    std::size_t bytes = 0;
    std::size_t count = 0;
  };
  Queue& queue_of(const Node& node) { return node.in_main ? main_ : small_; }
  Index index_of(const CacheKey& key) const;
  void push(Index at, bool to_main);
  void unlink(Index at);
  Index allocate();
  void drop(Index at, Dropped& dropped);
  void make_room(Dropped& dropped);
  bool evict_small(Dropped& dropped);
  bool evict_main(Dropped& dropped);
  void remember(std::uint64_t hash);
  bool recall(std::uint64_t hash);

  const std::size_t budget_;
  mutable std::mutex mutex_;
  boost::unordered_flat_map<std::uint64_t, Index> index_;
  std::deque<Node> nodes_ = std::deque<Node>(1);
  std::vector<Index> free_;
  Queue small_, main_;
  std::size_t pinned_ = 0;
  // The ghost: hashes in the order of their leaving; the number tells which of two mentions is the later one.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> ghost_;
  std::deque<std::pair<std::uint64_t, std::uint32_t>> ghost_order_;
  std::uint32_t ghost_clock_ = 0;
};

}  // namespace outrider
