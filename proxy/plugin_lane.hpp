// The thread of one plugin. Work is put in line; whoever awaits it is resumed on his own reactor. A thread that hangs
// cannot be ended, but it can be given up: everybody who waits is told at once that there will be no answer, and the
// thread is left to itself. So work must own all it touches.
#pragma once

#include "base/async_event.hpp"
#include "base/clock.hpp"

#include <boost/asio/post.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace outrider {

class PluginLane {
 public:
  static constexpr std::size_t kMostWaiting = 1024;
  // `name` is that of the thread.
  explicit PluginLane(const std::string& name);
  ~PluginLane();
  PluginLane(const PluginLane&) = delete;
  PluginLane& operator=(const PluginLane&) = delete;

  // False: too much is waiting, there is no thread to be had, or it was given up. Otherwise either `job` or `dropped`
  // is called, the latter by whoever gives up. Exceptions of `job` are lost.
  bool post(std::function<void()> job, std::function<void()> dropped = {});

  // What work() returns; nothing: it threw, or will not answer. Who does not wait any longer (`late`) leaves the work
  // to itself.
  template <class Work, class T = std::invoke_result_t<Work>>
  Task<std::optional<T>> run(Executor home, Work work, Deadline until = Deadline::never(), bool* late = nullptr);

  std::size_t waiting() const;  // in line
  // How long the job that is running has been running.
  std::optional<Duration> busy_for() const;
  void give_up();
  bool given_up() const;
  // Waits for the job that is running; after `patience` it is given up. False: given up.
  bool stop(Duration patience);

 private:
  struct State;
  static void work(std::shared_ptr<State> state);
  bool begin();

  const std::string name_;
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive us
};

template <class Work, class T>
Task<std::optional<T>> PluginLane::run(Executor home, Work work, Deadline until, bool* late) {
  // The event lives in this frame, on this reactor; the call may outlive it, on the lane's thread.
  struct Call {
    AsyncEvent* event = nullptr;
    std::optional<T> result;
    bool over = false;
    std::atomic<bool> claimed{false};
  };
  struct Frame {
    Frame(const Executor& home, std::shared_ptr<Call> c) : event(home), call(std::move(c)) { call->event = &event; }
    ~Frame() { call->event = nullptr; }
    AsyncEvent event;
    std::shared_ptr<Call> call;
  };
  Frame frame{home, std::make_shared<Call>()};
  auto end = [call = frame.call, home](std::optional<T> result) {
    if (call->claimed.exchange(true)) return;
    auto handed_over = std::make_shared<std::optional<T>>(std::move(result));
    asio::post(home, [call, handed_over] {
      call->result = std::move(*handed_over);
      call->over = true;
      if (call->event != nullptr) call->event->notify();
    });
  };
  auto job = [end, work = std::move(work)]() mutable {
    try {
      end(work());
    } catch (...) {  // whoever waits must hear of it
      end(std::nullopt);
    }
  };
  auto dropped = [end] { end(std::nullopt); };
  if (!post(std::move(job), std::move(dropped))) co_return std::nullopt;
  while (!frame.call->over) {
    if (std::chrono::steady_clock::now() >= until.at()) {
      if (late != nullptr) *late = true;
      co_return std::nullopt;
    }
    co_await frame.event.wait(until);
  }
  co_return std::move(frame.call->result);
}

}  // namespace outrider
