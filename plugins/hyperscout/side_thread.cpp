#include "plugins/hyperscout/side_thread.hpp"

#include <utility>

namespace outrider::hyperscout {

void SideThread::at(Time when, std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  waiting_.emplace(when, std::move(work));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
}

void SideThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void SideThread::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (waiting_.empty()) {
      changed_.wait(lock);
    } else if (const Time next = waiting_.begin()->first; next > std::chrono::steady_clock::now()) {
      changed_.wait_until(lock, next);
    } else {
      const std::function<void()> work = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      lock.unlock();
      work();
      lock.lock();
    }
  }
}

}  // namespace outrider::hyperscout
