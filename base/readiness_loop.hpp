// Asio's loop, which waits in the epoll of base/readiness instead of its own. Asio keeps its epoll, for timers, signals
// and posts of other threads; that one is watched like a socket, and looked into only when something is there. Without
// this every turn of the loop would wait in one epoll, read the other, and arm the first again.
// Asio has no public place for this, so it rests on two of its details, of the release that we build with: a context
// has one service of the type epoll_reactor, and its scheduler runs that as its task.
#pragma once

#include "base/alertness.hpp"
#include "base/readiness.hpp"

#include <sys/epoll.h>
#include <boost/asio/detail/epoll_reactor.hpp>
#include <boost/asio/detail/scheduler.hpp>

#include <array>

namespace outrider {

class ReadinessLoop final : public asio::detail::epoll_reactor {
 public:
  // Before anything else asks the context for its reactor. The context owns the loop.
  static void install(asio::io_context& context, Readiness& readiness);

  ReadinessLoop(asio::io_context& context, Readiness& readiness);

  void run(long usec, asio::detail::op_queue<asio::detail::scheduler_operation>& ops) override;

 private:
  // What the scheduler does with what run() has found.
  struct Delivery final : asio::detail::scheduler_operation {
    explicit Delivery(ReadinessLoop& of) : scheduler_operation(&Delivery::deliver), loop(of) {}
    static void deliver(void* owner, scheduler_operation* self, const ErrorCode& code, std::size_t count);
    ReadinessLoop& loop;
  };
  static constexpr int kAtOnce = 128;
  int look(int milliseconds);
  int wait();

  Readiness& readiness_;
  Delivery delivery_{*this};
  Alertness alertness_;
  std::array<epoll_event, kAtOnce> events_;
  std::size_t count_ = 0;
};

}  // namespace outrider
