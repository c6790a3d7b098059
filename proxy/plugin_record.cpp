#include "proxy/plugin_record.hpp"

#include "base/log.hpp"

#include <fmt/format.h>
#include <time.h>

namespace outrider {

Duration thread_cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

PluginCounters::PluginCounters(Metrics& metrics, const std::string& plugin)
    : calls(metrics.counter("outrider_plugin_calls_total", "Hooks of plugins that were called.", {{"plugin", plugin}})),
      exceptions(metrics.counter("outrider_plugin_failures_total", "Hooks of plugins that failed.",
                                 {{"plugin", plugin}, {"kind", "exception"}})),
      overruns(metrics.counter("outrider_plugin_failures_total", "Hooks of plugins that failed.",
                               {{"plugin", plugin}, {"kind", "overrun"}})),
      hangs(metrics.counter("outrider_plugin_failures_total", "Hooks of plugins that failed.",
                            {{"plugin", plugin}, {"kind", "hang"}})) {}

PluginRecord::PluginRecord(std::shared_ptr<Plugin> plugin, std::string origin, bool isolated, Limits limits,
                           Metrics& metrics)
    : plugin_(std::move(plugin)),
      info_(plugin_->info()),
      origin_(std::move(origin)),
      isolated_(isolated),
      limits_(limits),
      counters_(metrics, info_.name) {}

PluginLane& PluginRecord::lane() {
  const std::lock_guard lock(mutex_);
  if (!lane_) lane_ = std::make_unique<PluginLane>("plug-" + info_.name);
  return *lane_;
}

bool PluginRecord::has_lane() const {
  const std::lock_guard lock(mutex_);
  return lane_ != nullptr;
}

void PluginRecord::threw(const char* hook, std::string_view what) {
  counters_.exceptions.add();
  failed("exception", fmt::format("{} threw: {}", hook, what));
}

void PluginRecord::took(const char* hook, Duration cpu) {
  if (cpu <= limits_.budget) return;
  counters_.overruns.add();
  const auto milliseconds = [](Duration d) { return std::chrono::duration_cast<std::chrono::milliseconds>(d).count(); };
  failed("overrun", fmt::format("{} took {} ms of CPU time; its budget is {} ms", hook, milliseconds(cpu),
                                milliseconds(limits_.budget)));
}

void PluginRecord::took_too_long(const char* hook) {
  counters_.overruns.add();
  failed("overrun", fmt::format("{} has given no answer for {:.1f} s", hook,
                                std::chrono::duration<double>(limits_.patience).count()));
}

void PluginRecord::hangs(std::string_view where, Duration for_so_long) {
  counters_.hangs.add();
  const auto seconds = std::chrono::duration<double>(for_so_long).count();
  {
    const std::lock_guard lock(mutex_);
    problem_ = fmt::format("{} has not returned for {:.1f} s", where, seconds);
    ++failures_;
  }
  set_aside();
}

void PluginRecord::failed(const char* kind, std::string problem) {
  bool too_often = false;
  {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = limits_.clock->steady();
    if (now - last_failure_ >= kForgotten) failures_ = 0;
    last_failure_ = now;
    problem_ = problem;
    too_often = ++failures_ > kForgiven;
  }
  log::warn(Room::plugins, "plugin_failed", {{"plugin", info_.name}, {"kind", kind}, {"reason", problem}});
  if (too_often) set_aside();
}

void PluginRecord::set_aside() {
  if (state_.exchange(State::set_aside) == State::running)
    log::error(Room::plugins, "plugin_set_aside", {{"plugin", info_.name}, {"reason", report().problem}});
}

void PluginRecord::never_started() {
  unusable_ = true;
  set_aside();
}

void PluginRecord::bring_back() {
  const std::lock_guard lock(mutex_);
  if (unusable_ || (lane_ && lane_->given_up())) return;  // somebody is still in there
  failures_ = 0;
  problem_.clear();
  state_ = State::running;
}

PluginRecord::Report PluginRecord::report() const {
  const std::lock_guard lock(mutex_);
  return {running() ? "running" : "set aside",
          problem_,
          failures_,
          counters_.calls.value(),
          counters_.exceptions.value(),
          counters_.overruns.value(),
          counters_.hangs.value()};
}

}  // namespace outrider
