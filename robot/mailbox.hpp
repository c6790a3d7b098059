// What other threads have for the robot: pages that were parsed. One wake-up for many of them. Outlives the robot, so
// that a thread that comes late finds nobody instead of freed memory.
#pragma once

#include "base/reactor.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace outrider {

template <class Message>
class Mailbox : public std::enable_shared_from_this<Mailbox<Message>> {
 public:
  using Open = std::function<void(std::vector<Message>)>;
  Mailbox(Reactor& reactor, Open open) : reactor_(&reactor), open_(std::move(open)) {}

  void put(Message message) {
    const std::lock_guard lock(mutex_);
    if (reactor_ == nullptr) return;
    messages_.push_back(std::move(message));
    if (messages_.size() > 1) return;  // somebody is on the way already
    reactor_->post([self = this->shared_from_this()] { self->deliver(); });
  }
  void close() {  // on the robot's thread
    const std::lock_guard lock(mutex_);
    reactor_ = nullptr;
    messages_.clear();
  }

 private:
  void deliver() {
    std::vector<Message> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(messages_);
      if (reactor_ == nullptr) return;
    }
    open_(std::move(all));
  }

  std::mutex mutex_;
  Reactor* reactor_;
  const Open open_;
  std::vector<Message> messages_;
};

}  // namespace outrider
