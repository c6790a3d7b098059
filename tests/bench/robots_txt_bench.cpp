// robots.txt: reading one, and asking it about a URL.
#include "robot/robots_txt.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace outrider {
namespace {

std::string robots_with(int rules, bool wild) {
  std::string text = "User-agent: *\n";
  for (int i = 0; i < rules; ++i) text += fmt::format("Disallow: /{}section-{}/private/\n", wild ? "*/" : "", i);
  return text;
}

void Parse(benchmark::State& state) {
  const std::string text = robots_with(static_cast<int>(state.range(0)), false);
  for (auto _ : state) benchmark::DoNotOptimize(RobotsTxt::parse(text, "Outrider"));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(Parse)->Arg(20)->Arg(15'000);

// No rule fits, so all of them are looked at.
void Check(benchmark::State& state) {
  const RobotsTxt txt =
      RobotsTxt::parse(robots_with(static_cast<int>(state.range(0)), state.range(1) != 0), "Outrider");
  for (auto _ : state) benchmark::DoNotOptimize(txt.check_path("/section-7/public/2026/11/a-page-about-things.html"));
}
BENCHMARK(Check)->Args({20, 0})->Args({20, 1})->Args({1000, 0})->Args({1000, 1});

// 500 KiB of wildcards against a URL of 8 KB: somebody wants to keep us busy.
void CheckHostile(benchmark::State& state) {
  std::string text = "User-agent: *\n";
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "*a";
  while (text.size() < 500'000) text += fmt::format("Disallow: /{}b\n", stars);
  const RobotsTxt txt = RobotsTxt::parse(text, "Outrider");
  const std::string path = "/" + std::string(8000, 'a');
  for (auto _ : state) benchmark::DoNotOptimize(txt.check_path(path));
}
BENCHMARK(CheckHostile)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace outrider
