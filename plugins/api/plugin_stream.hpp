// A document that is not complete when it begins: the plugin writes from any thread, the reader gets it as it comes.
// Both hold it; whoever is done says so.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace outrider {

class PluginStream {
 public:
  void write(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (!ended_) waiting_ += text;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }  // nobody listens any more

  // The proxy's side.
  struct Piece {
    std::string text;
    bool last = false;
  };
  Piece take() {
    const std::lock_guard lock(mutex_);
    return {std::exchange(waiting_, {}), ended_};
  }
  void abandon() { abandoned_.store(true, std::memory_order_relaxed); }

 private:
  std::mutex mutex_;
  std::string waiting_;
  bool ended_ = false;
  std::atomic<bool> abandoned_{false};
};

}  // namespace outrider
