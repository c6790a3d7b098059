// What the hot path pays for being observed: a counter, a histogram, a log call that is switched off, and one that is
// not.
#include "base/log.hpp"
#include "base/metrics.hpp"

#include <benchmark/benchmark.h>

namespace outrider {
namespace {

void counter_add(benchmark::State& state) {
  static Metrics metrics;
  Counter& counter = metrics.counter("bench_total", "Benchmark.");
  for (auto _ : state) counter.add();
}
BENCHMARK(counter_add)->Threads(1)->Threads(2);

void histogram_observe(benchmark::State& state) {
  static Metrics metrics;
  Histogram& histogram = metrics.histogram("bench_seconds", "Benchmark.", Buckets::latency());
  double value = 0;
  for (auto _ : state) {
    histogram.observe(value);
    value = value > 60 ? 0 : value + 0.01;
  }
}
BENCHMARK(histogram_observe)->Threads(1)->Threads(2);

void log_switched_off(benchmark::State& state) {
  const std::string address = "127.0.0.1";
  for (auto _ : state) log::debug(Room::proxy, "accepted", {{"address", address}, {"port", 8282}});
}
BENCHMARK(log_switched_off);

void log_written(benchmark::State& state, log::Format format) {
  LogSettings settings;
  settings.file = "/dev/null";
  settings.format = format;
  if (!log::configure(settings)) state.SkipWithError("no /dev/null");
  const std::string address = "127.0.0.1";
  for (auto _ : state)
    log::info(Room::proxy, "accepted", {{"address", address}, {"port", 8282}, {"title", "two words"}});
  if (!log::configure(LogSettings{})) state.SkipWithError("no stderr");
}
BENCHMARK_CAPTURE(log_written, text, log::Format::text);
BENCHMARK_CAPTURE(log_written, json, log::Format::json);

}  // namespace
}  // namespace outrider
