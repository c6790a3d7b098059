// What a host that was never visited before costs: its certificate.
#include "proxy/leaf_mint.hpp"

#include <benchmark/benchmark.h>

#include <filesystem>

namespace outrider {
namespace {

std::shared_ptr<const Authority> authority() {
  static const std::shared_ptr<const Authority> made = [] {
    std::string folder = (std::filesystem::temp_directory_path() / "outrider-bench-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) std::abort();
    std::shared_ptr<const Authority> fresh = Authority::open(folder + "/ca", Clock::system().now()).value();
    std::filesystem::remove_all(folder);
    return fresh;
  }();
  return made;
}

std::unique_ptr<LeafMint> mint() {
  return std::move(LeafMint::create(authority(), LeafLimits{2000, 1e9}).value());
}

void NewHost(benchmark::State& state) {
  const auto ours = mint();
  const WallTime now = Clock::system().now();
  const SteadyTime steady = Clock::system().steady();
  std::size_t number = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(ours->mint("host" + std::to_string(++number) + ".example.com", now, steady).value());
}
BENCHMARK(NewHost)->Unit(benchmark::kMicrosecond);

void KnownHost(benchmark::State& state) {
  const auto ours = mint();
  const WallTime now = Clock::system().now();
  ours->mint("www.example.com", now, Clock::system().steady()).value();
  for (auto _ : state) benchmark::DoNotOptimize(ours->find("www.example.com", now));
}
BENCHMARK(KnownHost);

}  // namespace
}  // namespace outrider
