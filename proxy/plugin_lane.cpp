#include "proxy/plugin_lane.hpp"

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace outrider {

struct PluginLane::State {
  struct Job {
    std::function<void()> run, dropped;
  };
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> waiting;
  std::function<void()> current_dropped;  // of the job that is running
  SteadyTime running_since{};
  bool begun = false, running = false, stopping = false, given_up = false, ended = false;
};

PluginLane::PluginLane(const std::string& name) : name_(name.substr(0, 15)), state_(std::make_shared<State>()) {}

PluginLane::~PluginLane() {
  stop(std::chrono::seconds{2});
}

void PluginLane::work(std::shared_ptr<State> state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&] { return state->stopping || state->given_up || !state->waiting.empty(); });
    if (state->given_up || (state->stopping && state->waiting.empty())) break;
    State::Job job = std::move(state->waiting.front());
    state->waiting.pop_front();
    state->current_dropped = std::move(job.dropped);
    state->running_since = std::chrono::steady_clock::now();
    state->running = true;
    lock.unlock();
    try {
      job.run();
    } catch (...) {  // promised by the header
    }
    job.run = nullptr;
    lock.lock();
    state->running = false;
    state->current_dropped = nullptr;
    state->changed.notify_all();
  }
  state->ended = true;
  state->changed.notify_all();
}

// With the first piece of work. There may be no thread to be had just now; then the next piece tries again.
bool PluginLane::begin() {
  if (state_->begun) return true;
  try {
    std::thread thread{[state = state_] { work(state); }};
    pthread_setname_np(thread.native_handle(), name_.c_str());
    thread.detach();  // it cannot be ended, so nobody can promise to join it
    state_->begun = true;
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  return state_->begun;
}

bool PluginLane::post(std::function<void()> job, std::function<void()> dropped) {
  const std::lock_guard lock(state_->mutex);
  if (state_->given_up || state_->stopping || state_->waiting.size() >= kMostWaiting || !begin()) return false;
  state_->waiting.push_back({std::move(job), std::move(dropped)});
  state_->changed.notify_all();
  return true;
}

std::size_t PluginLane::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->waiting.size();
}

std::optional<Duration> PluginLane::busy_for() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->running) return std::nullopt;
  return std::chrono::steady_clock::now() - state_->running_since;
}

bool PluginLane::given_up() const {
  const std::lock_guard lock(state_->mutex);
  return state_->given_up;
}

void PluginLane::give_up() {
  std::deque<State::Job> waiting;
  std::function<void()> current;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->given_up) return;
    state_->given_up = true;
    waiting = std::move(state_->waiting);
    state_->waiting.clear();
    current = state_->current_dropped;
    state_->changed.notify_all();
  }
  if (current) current();
  for (const State::Job& job : waiting)
    if (job.dropped) job.dropped();
}

bool PluginLane::stop(Duration patience) {
  {
    std::unique_lock lock(state_->mutex);
    state_->stopping = true;
    if (!state_->begun) return !state_->given_up;
    state_->changed.notify_all();
    if (state_->changed.wait_for(lock, patience, [&] { return state_->ended; })) return !state_->given_up;
  }
  give_up();
  return false;
}

}  // namespace outrider
