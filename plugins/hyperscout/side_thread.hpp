// A thread that does what it is given, each thing at its time, in the order of their times. Any thread may give it
// work; what has not begun when it stops is dropped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace outrider::hyperscout {

class SideThread {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ~SideThread() { stop(); }
  void at(Time when, std::function<void()> work);
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Time, std::function<void()>> waiting_;
  bool stopping_ = false;
  std::thread thread_;  // from the first piece of work on
};

}  // namespace outrider::hyperscout
