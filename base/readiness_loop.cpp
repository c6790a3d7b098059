#include "base/readiness_loop.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

namespace outrider {
namespace {

constexpr std::uint64_t kAsio = UINT64_MAX;  // no label of a socket: there are not so many places

// Asio's epoll has no name outside of it. An explicit instantiation may name what is private.
template <int asio::detail::epoll_reactor::*member>
struct Epoll {
  friend int epoll_of(const asio::detail::epoll_reactor& reactor) { return reactor.*member; }
};
int epoll_of(const asio::detail::epoll_reactor& reactor);
template struct Epoll<&asio::detail::epoll_reactor::epoll_fd_>;

int milliseconds(long usec) {
  return usec == 0 ? 0 : static_cast<int>((usec - 1) / 1000 + 1);
}

}  // namespace

void ReadinessLoop::install(asio::io_context& context, Readiness& readiness) {
  auto loop = std::make_unique<ReadinessLoop>(context, readiness);
  asio::add_service<asio::detail::epoll_reactor>(context, loop.get());  // throws if there is one already
  loop.release()->init_task();
}

ReadinessLoop::ReadinessLoop(asio::io_context& context, Readiness& readiness)
    : epoll_reactor(context), readiness_(readiness) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kAsio;
  if (::epoll_ctl(readiness_.native_handle(), EPOLL_CTL_ADD, epoll_of(*this), &event) != 0)
    throw std::system_error{errno, std::system_category(), "epoll_ctl"};
}

int ReadinessLoop::look(int milliseconds) {
  return ::epoll_wait(readiness_.native_handle(), events_.data(), kAtOnce, milliseconds);
}

// Until something comes.
int ReadinessLoop::wait() {
  static const bool others_can_work = ::sysconf(_SC_NPROCESSORS_ONLN) > 1;  // while we stay awake
  const SteadyTime begin = std::chrono::steady_clock::now();
  SteadyTime now = begin;
  int found = 0;
  if (others_can_work && alertness_.awake()) {
    while (found == 0 && now - begin < Alertness::kAwake) {
      found = look(0);
      now = std::chrono::steady_clock::now();
    }
    if (found == 0) alertness_.in_vain();
  }
  if (found == 0) {
    found = look(-1);
    now = std::chrono::steady_clock::now();
  }
  // A timer of ours beside it, or alone, says nothing about the others.
  const epoll_event* const end = events_.data() + std::max(found, 0);
  const auto is_socket = [](const epoll_event& event) { return event.data.u64 != kAsio; };
  const epoll_event* const whom = std::find_if(std::as_const(events_).data(), end, is_socket);
  if (whom == end) return found;
  if (std::find_if(whom + 1, end, is_socket) != end) {
    alertness_.heard_several();
  } else {
    alertness_.heard(whom->data.u64, now - begin);
  }
  return found;
}

// The scheduler has done what the last call found before it calls again.
void ReadinessLoop::run(long usec, asio::detail::op_queue<asio::detail::scheduler_operation>& ops) {
  const int found = usec < 0 ? wait() : look(milliseconds(usec));
  count_ = found > 0 ? static_cast<std::size_t>(found) : 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (events_[i].data.u64 != kAsio) continue;
    events_[i] = events_[--count_];
    epoll_reactor::run(0, ops);
    break;
  }
  if (count_ > 0) ops.push(&delivery_);
}

void ReadinessLoop::Delivery::deliver(void* owner, scheduler_operation* self, const ErrorCode&, std::size_t) {
  if (owner == nullptr) return;  // the context ends
  // The scheduler takes every operation for a piece of work that was counted; this one was not.
  static_cast<asio::detail::scheduler*>(owner)->compensating_work_started();
  ReadinessLoop& loop = static_cast<Delivery*>(self)->loop;
  loop.readiness_.deliver({loop.events_.data(), loop.count_});
}

}  // namespace outrider
