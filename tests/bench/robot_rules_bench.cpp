// What the robot asks about every new URL: rules, traps, and for loads ahead the guard.
#include "robot/prefetch_guard.hpp"
#include "robot/traps.hpp"
#include "robot/url_rules.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace outrider {
namespace {

std::vector<Url> many_urls() {
  std::vector<Url> urls;
  for (int i = 0; i < 4096; ++i) {
    urls.push_back(
        Url::parse(fmt::format("https://www.example.com/section-{}/articles/{}.html?page={}", i % 50, i, i % 7))
            .value());
  }
  return urls;
}

void Traps(benchmark::State& state) {
  RobotSettings settings;
  settings.urls_per_pattern = 100'000'000;
  TrapDetector traps(settings);
  const auto urls = many_urls();
  const WallTime now{std::chrono::seconds{1'790'000'000}};
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(traps.check(urls[next++ & 4095], nullptr, now));
}
BENCHMARK(Traps);

void Rules(benchmark::State& state) {
  const UrlRules rules = UrlRules::parse({"reject path /cgi-bin/", "reject extension zip",
                                          "reject regex [?&](sort|order)=", "accept host .example.com"})
                             .value();
  const auto urls = many_urls();
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(rules.check(urls[next++ & 4095]));
}
BENCHMARK(Rules);

void Guard(benchmark::State& state) {
  PrefetchGuard guard{RobotSettings{}};
  const auto urls = many_urls();
  Link link;
  link.text = "An article about something";
  const WallTime now{std::chrono::seconds{1'790'000'000}};
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(guard.check({"GET", &urls[next++ & 4095], &link, false, false}, now));
  }
}
BENCHMARK(Guard);

}  // namespace
}  // namespace outrider
