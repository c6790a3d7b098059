// A condition that coroutines of one reactor wait for. notify() wakes everybody who waits at that moment; waiters look
// at the state they are interested in and wait again if it is not there yet.
#pragma once

#include "base/async.hpp"
#include "base/clock.hpp"

namespace outrider {

class AsyncEvent {
 public:
  explicit AsyncEvent(const Executor& executor) : timer_(executor) { timer_.expires_at(SteadyTime::max()); }

  // Until notify() or the deadline. Spurious returns are possible (a waiter with an earlier deadline moves the timer).
  Task<> wait(Deadline deadline = Deadline::never()) {
    if (deadline.at() < timer_.expiry()) timer_.expires_at(deadline.at());
    co_await timer_.async_wait(as_result);
    if (timer_.expiry() <= std::chrono::steady_clock::now()) timer_.expires_at(SteadyTime::max());
  }
  void notify() { timer_.expires_at(SteadyTime::max()); }  // cancels the pending waits

 private:
  Timer timer_;
};

}  // namespace outrider
