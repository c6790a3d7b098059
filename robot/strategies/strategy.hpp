// The order of a task's queue as a strategy: where a URL is filed when it is found. The frontier keeps entries sorted
// by these bytes; the smallest is fetched first. A strategy knows nothing of tasks, hosts or storage.
#pragma once

#include "plugins/api/robot_task.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace outrider {

// Where and how a URL was found.
struct Placement {
  std::uint64_t sequence = 0;  // grows with every URL of the task, over restarts too: no two are equal
  std::uint64_t page = 0;      // grows with every page whose links are filed
  std::uint32_t position = 0;  // of the link on its page
  std::uint16_t depth = 0;     // links from the start
  float score = 0;             // greater is better; only best first asks
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // At most 32 bytes, different for every sequence.
  virtual std::string place(const Placement& found) const = 0;
};

std::unique_ptr<Strategy> make_strategy(QueueOrder order, std::uint64_t seed);

// Numbers whose bytes sort as the numbers do.
inline void append_rising(std::string& key, std::uint64_t number, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) key += static_cast<char>(number >> (8 * i));
}

}  // namespace outrider
