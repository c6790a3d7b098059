// What the robot's frontier costs when very much is queued: time for a link, and above all memory, which must not grow
// with the number of URLs (resident set, in MB, once so many are queued and while they are taken out).
#include "robot/strategies/strategy.hpp"
#include "robot/task_window.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace outrider {
namespace {

double resident_megabytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::uint64_t total = 0, resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

// Pages with fifty new links each: one batch a page, as the robot writes them.
void QueueAndTake(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("outrider-frontier-bench-{}", ::getpid());
  constexpr std::uint64_t kLinks = 50;
  for (auto _ : state) {
    std::filesystem::remove_all(folder);
    auto frontier = Frontier::open(folder);
    if (!frontier) return state.SkipWithError(frontier.error().detail.c_str());
    const auto strategy = make_strategy(QueueOrder::breadth_first, 1);
    TaskWindow window{**frontier, 1, [](std::string_view) { return true; }};
    const double before = resident_megabytes();
    double most = before;
    Placement place;
    const auto total = static_cast<std::uint64_t>(state.range(0));
    for (std::uint64_t page = 0; page * kLinks < total; ++page) {
      Frontier::Batch batch{**frontier, 1};
      std::vector<QueueEntry> filed;
      std::vector<UrlId> ids;
      for (std::uint64_t i = 0; i < kLinks; ++i) {
        QueueEntry entry;
        entry.url = fmt::format("http://www.host{}.example/articles/2026/{}/page-{}.html", page % 1000, i, page);
        entry.id = (*frontier)->id_of(entry.url);
        place.sequence = page * kLinks + i;
        place.page = page;
        entry.key = strategy->place(place);
        ids.push_back(entry.id);
        filed.push_back(std::move(entry));
      }
      std::vector<SeenMark> marks(ids.size());
      (*frontier)->look_up(1, ids, marks);
      for (const QueueEntry& entry : filed) batch.enqueue(entry, 1);
      if (!batch.commit()) return state.SkipWithError("cannot be written");
      for (QueueEntry& entry : filed) window.add(std::move(entry));
      if (page % 1000 == 0) most = std::max(most, resident_megabytes());
    }
    state.counters["MB_before"] = before;
    state.counters["MB_queued"] = std::max(most, resident_megabytes());
    for (int taken = 0; taken < 100'000; ++taken) {
      if (window.first() == nullptr && !window.refill()) break;
      const QueueEntry entry = window.take_first();
      Frontier::Batch batch{**frontier, 1};
      batch.finish(entry, UrlFate::State::fetched, Reason::none, "status 200");
      if (!batch.commit()) return state.SkipWithError("cannot be written");
      window.done(entry.key);
      if (taken % 1000 == 0) most = std::max(most, resident_megabytes());
    }
    state.counters["MB_taking"] = std::max(most, resident_megabytes());
  }
  state.SetItemsProcessed(state.range(0));
  std::filesystem::remove_all(folder);
}
BENCHMARK(QueueAndTake)->Arg(2'000'000)->Arg(10'000'000)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace outrider
