#include "cache/memory_shard.hpp"

#include "cache/memory_tier.hpp"

#include <algorithm>

namespace outrider {
namespace {

// Beside the entry itself: the node, its place in the hash table (at a load of 7/8 when full, less on average).
constexpr std::size_t kNodeCost = sizeof(MemoryShard::Node) + 32;
constexpr std::size_t kGhostCost = 48;

}  // namespace

std::size_t MemoryShard::bytes() const {
  return small_.bytes + main_.bytes + ghost_order_.size() * kGhostCost;
}

MemoryShard::Index MemoryShard::index_of(const CacheKey& key) const {
  const auto found = index_.find(key.hash);
  if (found == index_.end() || nodes_[found->second].entry->key.bytes != key.bytes) return 0;
  return found->second;
}

MemoryShard::Node* MemoryShard::find(const CacheKey& key) {
  const Index at = index_of(key);
  return at == 0 ? nullptr : &nodes_[at];
}

const MemoryShard::Node* MemoryShard::find(const CacheKey& key) const {
  const Index at = index_of(key);
  return at == 0 ? nullptr : &nodes_[at];
}

std::vector<EntryPtr> MemoryShard::all() const {
  std::vector<EntryPtr> entries;
  entries.reserve(index_.size());
  for (const auto& [hash, at] : index_) entries.push_back(nodes_[at].entry);
  return entries;
}

// --- changing

void MemoryShard::put(EntryPtr entry, bool pending, Dropped& dropped) {
  const std::size_t cost = memory_cost(*entry) + kNodeCost;
  const std::uint64_t hash = entry->key.hash;
  if (const auto found = index_.find(hash); found != index_.end()) {
    const Index at = found->second;
    Node& node = nodes_[at];
    if (node.entry->key.bytes == entry->key.bytes) {
      Queue& queue = queue_of(node);
      queue.bytes = queue.bytes - node.cost + cost;
      if (node.pending > 0) pinned_ -= node.cost;
      node.cost = static_cast<std::uint32_t>(cost);
      node.pending = node.pending + (pending ? 1 : 0);
      if (node.pending > 0) pinned_ += node.cost;
      dropped.entries.push_back(std::exchange(node.entry, std::move(entry)));
      return make_room(dropped);
    }
    drop(at, dropped);  // two keys with one hash: the later one has it
  }
  const Index at = allocate();
  Node& node = nodes_[at];
  node = Node{hash, std::move(entry), 0, 0, static_cast<std::uint32_t>(cost), pending ? 1U : 0U, 0, false};
  if (pending) pinned_ += cost;
  index_.emplace(hash, at);
  push(at, recall(hash));
  make_room(dropped);
}

void MemoryShard::settle(const CacheKey& key, Dropped& dropped) {
  Node* node = find(key);
  if (node == nullptr || node->pending == 0) return;
  if (--node->pending > 0) return;
  pinned_ -= node->cost;
  if (node->entry->variants.empty()) return drop(index_of(key), dropped);
  make_room(dropped);
}

void MemoryShard::remove(const CacheKey& key, Dropped& dropped) {
  if (const Index at = index_of(key)) drop(at, dropped);
}

// --- queues

void MemoryShard::push(Index at, bool to_main) {
  Node& node = nodes_[at];
  node.in_main = to_main;
  Queue& queue = queue_of(node);
  node.previous = queue.tail;
  node.next = 0;
  (queue.tail ? nodes_[queue.tail].next : queue.head) = at;
  queue.tail = at;
  queue.bytes += node.cost;
  ++queue.count;
}

void MemoryShard::unlink(Index at) {
  Node& node = nodes_[at];
  Queue& queue = queue_of(node);
  (node.previous ? nodes_[node.previous].next : queue.head) = node.next;
  (node.next ? nodes_[node.next].previous : queue.tail) = node.previous;
  queue.bytes -= node.cost;
  --queue.count;
}

MemoryShard::Index MemoryShard::allocate() {
  if (free_.empty()) {
    nodes_.emplace_back();
    return static_cast<Index>(nodes_.size() - 1);
  }
  const Index at = free_.back();
  free_.pop_back();
  return at;
}

void MemoryShard::drop(Index at, Dropped& dropped) {
  Node& node = nodes_[at];
  if (node.uses > 0 || node.in_main) dropped.used.push_back(node.hash);
  if (node.pending > 0) pinned_ -= node.cost;
  unlink(at);
  index_.erase(node.hash);
  dropped.entries.push_back(std::move(node.entry));
  free_.push_back(at);
}

// --- eviction

void MemoryShard::make_room(Dropped& dropped) {
  while (bytes() > budget_) {
    const bool small_first = small_.bytes > budget_ / 10 || main_.count == 0;
    if (small_first ? evict_small(dropped) || evict_main(dropped) : evict_main(dropped) || evict_small(dropped))
      continue;
    return;  // everything is waiting for the disk
  }
}

// One entry leaves the small queue: to the main one if it was asked for more than once, else out.
bool MemoryShard::evict_small(Dropped& dropped) {
  for (std::size_t left = small_.count; left > 0; --left) {
    const Index at = small_.head;
    Node& node = nodes_[at];
    if (node.pending > 0) {
      unlink(at);
      push(at, false);
      continue;
    }
    if (node.uses > 1) {
      unlink(at);
      node.uses = 0;
      push(at, true);
      return true;
    }
    remember(node.hash);
    drop(at, dropped);
    return true;
  }
  return false;
}

// One entry leaves the main queue; those that were asked for go around once more for each time.
bool MemoryShard::evict_main(Dropped& dropped) {
  for (std::size_t left = main_.count * (kMostUses + 1); left > 0; --left) {
    const Index at = main_.head;
    Node& node = nodes_[at];
    if (node.pending > 0 || node.uses > 0) {
      if (node.pending == 0) --node.uses;
      unlink(at);
      push(at, true);
      continue;
    }
    drop(at, dropped);
    return true;
  }
  return false;
}

// --- ghost

void MemoryShard::remember(std::uint64_t hash) {
  ghost_[hash] = ++ghost_clock_;
  ghost_order_.emplace_back(hash, ghost_clock_);
  const std::size_t most = std::max<std::size_t>(64, small_.count + main_.count);
  while (ghost_order_.size() > most) {
    const auto [oldest, mentioned] = ghost_order_.front();
    ghost_order_.pop_front();
    if (const auto found = ghost_.find(oldest); found != ghost_.end() && found->second == mentioned)
      ghost_.erase(found);
  }
}

bool MemoryShard::recall(std::uint64_t hash) {
  return ghost_.erase(hash) > 0;
}

}  // namespace outrider
