// One plugin and how it behaves: its state, its failures, its thread. Calls into a plugin go through guarded(), which
// keeps the time and catches what it throws. Thread safe. Owned by proxy/plugin_host.
#pragma once

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "plugins/api/plugin.hpp"
#include "proxy/plugin_lane.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace outrider {

// CPU time that the calling thread has used: a plugin is not to blame for a busy machine.
Duration thread_cpu_time();

struct PluginCounters {
  Counter& calls;
  Counter& exceptions;
  Counter& overruns;
  Counter& hangs;
  PluginCounters(Metrics& metrics, const std::string& plugin);
};

class PluginRecord {
 public:
  static constexpr unsigned kForgiven = 2;               // failures; with the next one it is set aside
  static constexpr std::chrono::minutes kForgotten{10};  // after so long without one, those before count no more

  struct Limits {
    Duration budget;    // CPU time of a call
    Duration patience;  // for an answer
    const Clock* clock = &Clock::system();
  };
  // `isolated`: all hooks are called by the plugin's own thread.
  PluginRecord(std::shared_ptr<Plugin> plugin, std::string origin, bool isolated, Limits limits, Metrics& metrics);

  Plugin& plugin() { return *plugin_; }
  const PluginInfo& info() const { return info_; }
  const std::string& origin() const { return origin_; }
  bool isolated() const { return isolated_; }
  bool running() const { return state_.load(std::memory_order_relaxed) == State::running; }
  // Another number after its settings have changed: what it makes of a page is not the same then.
  std::uint64_t settings_mark() const { return settings_mark_.load(); }
  void set_settings_mark(std::uint64_t mark) { settings_mark_ = mark; }
  PluginLane& lane();  // its thread; begins with the first call
  bool has_lane() const;

  // True: the call came back, in time or not. `hook` is its name in reports, a literal. Once the plugin is set aside it
  // is called no more, not even for what was in line by then.
  template <class Call>
  bool guarded(const char* hook, Call&& call) {
    return running() && guarded_even_aside(hook, std::forward<Call>(call));
  }
  // For configure and stop: it may be brought back, and has things to put away.
  template <class Call>
  bool guarded_even_aside(const char* hook, Call&& call) {
    if (unusable_.load(std::memory_order_relaxed)) return false;
    counters_.calls.add();
    const Duration begin = thread_cpu_time();
    try {
      call();
    } catch (const std::exception& failure) {
      threw(hook, failure.what());
      return false;
    } catch (...) {
      threw(hook, "an exception that is no std::exception");
      return false;
    }
    took(hook, thread_cpu_time() - begin);
    return true;
  }
  // What work() returns in the plugin's thread. Nothing: there is no answer, or not in time. The latter counts as a
  // failure, because a plugin that waits for something uses no CPU time, but its pages wait with it; unless the work
  // spent most of that time in line.
  template <class Work, class T = std::invoke_result_t<Work>>
  Task<std::optional<T>> answer(Executor home, const char* hook, Work work) {
    const auto begun = std::make_shared<std::atomic<SteadyTime>>(SteadyTime::max());
    auto timed = [begun, work = std::move(work)]() mutable {
      begun->store(std::chrono::steady_clock::now());
      return work();
    };
    const Deadline until = Deadline::after(limits_.patience);
    bool late = false;
    std::optional<T> result = co_await lane().run(home, std::move(timed), until, &late);
    if (late && until.at() - begun->load() >= limits_.patience / 2) took_too_long(hook);
    co_return result;
  }
  void threw(const char* hook, std::string_view what);
  void took(const char* hook, Duration cpu);                 // counts if that is over the budget
  void took_too_long(const char* hook);                      // counts as an overrun
  void hangs(std::string_view where, Duration for_so_long);  // set aside at once
  void set_aside();
  void never_started();  // set aside for good: nothing of it is called any more
  void bring_back();     // from being set aside, unless its thread is lost or it never started

  struct Report {
    std::string state;    // "running", "set aside"
    std::string problem;  // the last one
    unsigned failures = 0;
    std::uint64_t calls = 0, exceptions = 0, overruns = 0, hangs = 0;
  };
  Report report() const;

 private:
  enum class State : std::uint8_t { running, set_aside };
  void failed(const char* kind, std::string problem);

  const std::shared_ptr<Plugin> plugin_;
  const PluginInfo info_;
  const std::string origin_;
  const bool isolated_;
  const Limits limits_;
  PluginCounters counters_;
  std::atomic<State> state_{State::running};
  std::atomic<bool> unusable_{false};
  std::atomic<std::uint64_t> settings_mark_{0};
  mutable std::mutex mutex_;
  unsigned failures_ = 0;  // since it was (re)started, or there was none for a while
  SteadyTime last_failure_{};
  std::string problem_;
  std::unique_ptr<PluginLane> lane_;
};

}  // namespace outrider
