// Which addresses a task came across, and what became of each. Nothing is stored for this: the links that the memory
// keeps are followed from the start pages on, in the order of their distance, and the robot is asked about each
// address. So what was forgotten is gone here, too, and a task that nobody looks at costs nothing.
//
// What was found stays in the order in which it was found, so places in it are good as cursors. Bounded in memory: of a
// few tasks, of each the first kMostAddresses. Any number of threads.
#pragma once

#include "base/clock.hpp"
#include "plugins/api/memory.hpp"
#include "plugins/api/robot.hpp"

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace outrider::webui {

struct TaskAddress {
  std::uint32_t number = 0;  // from 0, in the order in which it was found
  std::string url;
  std::string from;         // the page with the first link to it; "" = a start page
  std::uint32_t depth = 0;  // links from the start
  UrlFate fate;
  std::optional<Node> node;  // of those that were fetched, if the memory knows them
};

struct TaskAddresses {
  std::vector<TaskAddress> found;
  std::optional<std::uint32_t> next;  // where the following page begins
  // No address is missing: the task has ended, all links were followed, and the robot did not fetch more than was
  // found.
  bool complete = false;
  std::string why_incomplete;  // in words; "" if it is complete
};

// How much of a graph has been told.
struct GraphPlace {
  std::uint64_t walk = 0, nodes = 0, edges = 0;
};

struct TaskGraph {
  struct Spot {
    std::uint32_t number = 0, depth = 0;
    UrlFate::State state = UrlFate::State::unknown;
    std::string url;
  };
  std::vector<Spot> nodes;  // new ones, and those whose state has changed
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  GraphPlace next;           // to be given back
  bool begins_anew = false;  // the place was of a walk that is gone: what was told before counts no more
  bool more = false;         // at this moment
};

class TaskExplorer {
 public:
  static constexpr std::size_t kMostAddresses = 200'000;
  static constexpr std::size_t kMostTasks = 4;

  // Without a memory (nullptr) there are no links to be followed: of a task only the start pages are known.
  TaskExplorer(const Robot& robot, const Memory* memory, const Clock& clock);
  ~TaskExplorer();

  // At most `limit` whose state is among `states` (nothing = all that the robot has decided upon), from the place
  // `from` on. May be fewer although there are more: whoever asks is not kept waiting.
  Result<TaskAddresses> addresses(TaskId task, const std::vector<UrlFate::State>& states, std::uint32_t from,
                                  std::size_t limit);
  // What is new since. Every first link to an address is an edge; of the others only
  // the first few of each page, lest the menu that is on every page hides everything.
  Result<TaskGraph> graph(TaskId task, GraphPlace after, std::size_t limit);

  const Clock& clock() const { return clock_; }
  void forget();  // what was found so far: something was removed from the memory

 private:
  class Walk;
  std::shared_ptr<Walk> walk_of(TaskId task);

  const Robot& robot_;
  const Memory* const memory_;
  const Clock& clock_;
  std::mutex mutex_;
  std::uint64_t last_walk_ = 0;
  std::list<std::shared_ptr<Walk>> walks_;  // the one that was used last is the first
};

}  // namespace outrider::webui
