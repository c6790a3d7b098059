// Ahead of the reader: when a person has opened a page, the links that he will most probably follow are loaded in the
// background, as tasks of the robot under the prefetch guard and its budget. Off unless robot.read_ahead says so.
// Knows the memory and the robot by their ports alone; has a thread of its own, because reading the memory blocks.
#pragma once

#include "plugins/api/memory.hpp"
#include "plugins/api/robot.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace outrider {

// One link that may be loaded ahead, and how probable it is that it is followed.
struct LikelyLink {
  std::string url;
  std::string text;
  double weight = 0;
};

// The `most` likeliest, best first. What a link is like counts: the next page of a series, links of the text rather
// than of the navigation, of the same site, at the beginning, and where the reader has been before. Pure.
std::vector<LikelyLink> likely_links(const std::string& page, const std::vector<KnownLink>& links,
                                     const std::function<std::uint32_t(const std::string& url)>& visits,
                                     std::size_t most);

class ReadAhead {
 public:
  static constexpr std::string_view kOwner = "ahead";  // of the tasks

  // Both outlive it. It begins switched off.
  ReadAhead(Memory& memory, Robot& robot);
  ~ReadAhead();

  void start();
  void stop();                                    // before the robot's thread ends
  void set(bool on, std::size_t links_per_page);  // from now on; any thread

 private:
  void work();
  void visited(const MemoryEvent& event, std::size_t most);

  Memory& memory_;
  Robot& robot_;
  std::shared_ptr<void> subscription_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool news_ = false, stopping_ = false, on_ = false;
  EventCursor begin_ = 0;  // what was before it was switched on is none of its business
  std::size_t links_per_page_ = 3;
  std::thread thread_;
};

}  // namespace outrider
