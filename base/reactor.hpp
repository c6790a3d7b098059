// One thread's worth of I/O: an io_context that only its own thread touches, and the sweeper that ends what takes too
// long. Other threads reach a reactor through post() alone.
#pragma once

#include "base/async.hpp"
#include "base/deadline_sweeper.hpp"
#include "base/readiness.hpp"

#include <functional>

namespace outrider {

class Reactor {
 public:
  explicit Reactor(const Clock& clock = Clock::system());
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  Executor executor() { return context_.get_executor(); }
  asio::io_context& context() { return context_; }
  DeadlineSweeper& sweeper() { return sweeper_; }
  Readiness& readiness() { return readiness_; }
  const Clock& clock() const { return clock_; }

  void run();                             // until stop(), or until there is nothing left to do
  void stop();                            // any thread
  void post(std::function<void()> work);  // any thread

 private:
  const Clock& clock_;
  Readiness readiness_;
  asio::io_context context_;
  DeadlineSweeper sweeper_;
};

}  // namespace outrider
