// The narrow lane through which all password checks go: a few at a time on the worker pool, a bounded number waiting,
// and one check for any number of connections that present the same credentials at once, as a browser's six do when it
// starts. Shared by all reactors.
#pragma once

#include "base/async.hpp"
#include "base/siphash.hpp"
#include "base/worker_pool.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace outrider {

class LoginLane {
 public:
  enum class Verdict : std::uint8_t {
    right,
    wrong,
    busy,  // too many are waiting, or the check itself said so: nothing was verified
  };
  using Check = std::function<Verdict()>;

  LoginLane(std::size_t parallel, std::size_t max_waiting) : parallel_(parallel), max_waiting_(max_waiting) {}

  // `check` runs on the pool, once for all who share it. The lane must outlive the task.
  Task<Verdict> run(Digest128 key, Check check, WorkerPool& workers);

 private:
  struct Waiter;
  class Turn;
  struct Flight {
    std::vector<std::shared_ptr<Waiter>> followers;
  };
  struct Hash {
    std::size_t operator()(const Digest128& key) const { return static_cast<std::size_t>(key.low); }
  };
  static void wake(const std::shared_ptr<Waiter>& waiter);

  const std::size_t parallel_;
  const std::size_t max_waiting_;
  std::mutex mutex_;  // never held across a suspension
  std::size_t running_ = 0;
  std::size_t waiting_ = 0;  // followers, and leaders without a place
  std::unordered_map<Digest128, Flight, Hash> flights_;
  std::deque<std::shared_ptr<Waiter>> queue_;  // leaders that wait for a place
};

}  // namespace outrider
