// What the scheduler pays for each fetch: who is next, a lease, its return; with as many hosts as a large crawl has.
#include "robot/politeness.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;

// `one_address`: all of them on the same machine, which is what makes naive queues quadratic.
void NextAcquireRelease(benchmark::State& state) {
  FakeClock clock;
  auto settings = std::make_shared<RobotSettings>();
  settings->min_gap = 1ms;
  settings->address_gap = 1us;
  Politeness politeness(settings);
  const bool one_address = state.range(1) != 0;
  for (int i = 0; i < state.range(0); ++i) {
    const std::string host = fmt::format("host{}.test", i);
    politeness.want(host, Moment::of(clock));
    const auto lease = politeness.try_acquire(host, one_address ? "192.0.2.1" : host, Moment::of(clock));
    if (lease) politeness.release(*lease, {200, 1us, std::nullopt, false, {}}, Moment::of(clock));
    clock.advance(10us);
  }
  for (auto _ : state) {
    clock.advance(10us);
    const auto next = politeness.next();
    if (!next || next->at > clock.steady()) continue;
    const auto lease = politeness.try_acquire(next->host, one_address ? "192.0.2.1" : next->host, Moment::of(clock));
    if (lease) politeness.release(*lease, {200, 1us, std::nullopt, false, {}}, Moment::of(clock));
  }
}
BENCHMARK(NextAcquireRelease)->Args({100, 0})->Args({100'000, 0})->Args({100'000, 1});

// What a request of a browser pays.
void BrowserAsked(benchmark::State& state) {
  FakeClock clock;
  Politeness politeness(std::make_shared<RobotSettings>());
  for (int i = 0; i < 100'000; ++i) politeness.want(fmt::format("host{}.test", i), Moment::of(clock));
  for (auto _ : state) {
    clock.advance(1ms);
    politeness.browser_asked("host777.test", "192.0.2.1", Moment::of(clock));
  }
}
BENCHMARK(BrowserAsked);

}  // namespace
}  // namespace outrider
