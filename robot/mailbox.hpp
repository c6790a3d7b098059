// What other threads have for the robot: pages that were parsed. One wake-up for many of them. Outlives the robot, so
// that a thread that comes late finds nobody instead of freed memory.
#pragma once

#include "base/reactor.hpp"

#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <vector>

namespace outrider {

template <class Message>
class Mailbox : public std::enable_shared_from_this<Mailbox<Message>> {
 public:
  using Open = std::function<void(std::vector<Message>)>;
  using Weight = std::function<std::size_t(const Message&)>;  // in links, or what takes as long: some microseconds
  Mailbox(Reactor& reactor, Open open, Weight weight)
      : reactor_(&reactor), open_(std::move(open)), weight_(std::move(weight)) {}

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
  // A few at a time: whoever asks the robot something waits behind these, not behind all that have come.
  void deliver() {
    std::vector<Message> some;
    {
      const std::lock_guard lock(mutex_);
      if (reactor_ == nullptr) return;
      auto end = messages_.begin();
      for (std::size_t weight = 0; end != messages_.end() && weight < kAtOnce; ++end) weight += weight_(*end);
      some.assign(std::make_move_iterator(messages_.begin()), std::make_move_iterator(end));
      messages_.erase(messages_.begin(), end);
      if (!messages_.empty()) reactor_->post([self = this->shared_from_this()] { self->deliver(); });
    }
    open_(std::move(some));
  }

  static constexpr std::size_t kAtOnce = 3000;

  std::mutex mutex_;
  Reactor* reactor_;
  const Open open_;
  const Weight weight_;
  std::deque<Message> messages_;  // as long as there are any, a delivery is on the way
};

}  // namespace outrider
