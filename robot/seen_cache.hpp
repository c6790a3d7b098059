// The URLs that were seen lately, in memory: most links of a page lead to pages that were seen a moment ago, and need
// no look at the disk. A table of fixed size in which a newer entry takes the place of an older one; as long as no task
// has seen anything it takes no memory.
#pragma once

#include "robot/queue_entry.hpp"

#include <vector>

namespace outrider {

struct SeenMark {
  UrlFate::State state = UrlFate::State::unknown;
  Reason reason = Reason::none;
  RemainingDepth remaining = 0;
};

class SeenCache {
 public:
  explicit SeenCache(std::size_t slots = 1 << 18) : size_(slots) {}  // a power of two

  const SeenMark* find(TaskId task, const UrlId& id) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[index(task, id)];
    return slot.task == task && slot.id == id ? &slot.mark : nullptr;
  }
  // It is going to be looked for: the table is larger than the processor's caches.
  void expect(TaskId task, const UrlId& id) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[index(task, id)]);
  }
  void put(TaskId task, const UrlId& id, SeenMark mark) {
    if (slots_.empty()) slots_.resize(size_);
    slots_[index(task, id)] = {id, task, mark};
  }
  void forget(TaskId task) {
    for (Slot& slot : slots_)
      if (slot.task == task) slot = {};
  }

 private:
  struct Slot {
    UrlId id;
    TaskId task = 0;  // 0 = empty
    SeenMark mark;
  };
  std::size_t index(TaskId task, const UrlId& id) const {
    return (id.low ^ (task * 0x9E3779B97F4A7C15ull)) & (size_ - 1);
  }
  std::size_t size_;
  std::vector<Slot> slots_;
};

}  // namespace outrider
