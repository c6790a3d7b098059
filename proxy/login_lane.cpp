#include "proxy/login_lane.hpp"

#include "base/async_event.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace outrider {

// One coroutine that waits. `ready` belongs to its reactor, the rest to the lane's mutex.
struct LoginLane::Waiter {
  explicit Waiter(const Executor& home) : executor(home), event(home) {}
  Executor executor;
  AsyncEvent event;
  bool ready = false;
  bool has_place = false;  // leaders only
  Verdict verdict = Verdict::busy;
};

void LoginLane::wake(const std::shared_ptr<Waiter>& waiter) {
  asio::post(waiter->executor, [waiter] {
    waiter->ready = true;
    waiter->event.notify();
  });
}

// Membership in the lane, ended by the destructor however the coroutine ends: a client that leaves keeps nobody
// waiting.
class LoginLane::Turn {
 public:
  enum class Role : std::uint8_t { refused, follower, leader };

  Turn(LoginLane& lane, const Digest128& key, std::shared_ptr<Waiter> waiter)
      : lane_(lane), key_(key), waiter_(std::move(waiter)) {
    const std::lock_guard lock{lane_.mutex_};
    const auto flight = lane_.flights_.find(key_);
    const bool room = lane_.waiting_ < lane_.max_waiting_;
    if (flight != lane_.flights_.end()) {
      if (!room) return;
      flight->second.followers.push_back(waiter_);
      ++lane_.waiting_;
      role_ = Role::follower;
      return;
    }
    if (lane_.running_ < lane_.parallel_) {
      ++lane_.running_;
      waiter_->has_place = true;
    } else {
      if (!room) return;
      lane_.queue_.push_back(waiter_);
      ++lane_.waiting_;
    }
    lane_.flights_.try_emplace(key_);
    role_ = Role::leader;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (role_ == Role::refused) return;
    const std::lock_guard lock{lane_.mutex_};
    role_ == Role::leader ? end_leader() : end_follower();
  }

  Role role() const { return role_; }
  bool has_place() const {
    const std::lock_guard lock{lane_.mutex_};
    return waiter_->has_place;
  }
  void set(Verdict verdict) { verdict_ = verdict; }
  Verdict follower_verdict() const {
    const std::lock_guard lock{lane_.mutex_};
    return waiter_->verdict;
  }

 private:
  void end_leader() {
    if (waiter_->has_place) {
      if (lane_.queue_.empty()) {
        --lane_.running_;
      } else {  // the place goes to the next in the queue
        const std::shared_ptr<Waiter> next = std::move(lane_.queue_.front());
        lane_.queue_.pop_front();
        --lane_.waiting_;
        next->has_place = true;
        wake(next);
      }
    } else {
      std::erase(lane_.queue_, waiter_);
      --lane_.waiting_;
    }
    const auto flight = lane_.flights_.find(key_);
    for (const std::shared_ptr<Waiter>& follower : flight->second.followers) {
      follower->verdict = verdict_;
      --lane_.waiting_;
      wake(follower);
    }
    lane_.flights_.erase(flight);
  }
  void end_follower() {
    const auto flight = lane_.flights_.find(key_);
    if (flight == lane_.flights_.end()) return;  // it has ended, and counted us out
    lane_.waiting_ -= std::erase(flight->second.followers, waiter_);
  }

  LoginLane& lane_;
  const Digest128 key_;
  const std::shared_ptr<Waiter> waiter_;
  Role role_ = Role::refused;
  Verdict verdict_ = Verdict::busy;
};

Task<LoginLane::Verdict> LoginLane::run(Digest128 key, Check check, WorkerPool& workers) {
  const Executor executor = co_await asio::this_coro::executor;
  const auto waiter = std::make_shared<Waiter>(executor);
  Turn turn{*this, key, waiter};
  if (turn.role() == Turn::Role::refused) co_return Verdict::busy;
  if (turn.role() == Turn::Role::follower) {
    while (!waiter->ready) co_await waiter->event.wait();
    co_return turn.follower_verdict();
  }
  if (!turn.has_place())
    while (!waiter->ready) co_await waiter->event.wait();
  Result<Verdict> verdict = co_await workers.run(std::move(check));
  if (!verdict) co_return Verdict::busy;  // so are the workers
  turn.set(*verdict);
  co_return *verdict;
}

}  // namespace outrider
