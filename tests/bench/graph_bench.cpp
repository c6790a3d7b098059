// The memory: pages with 40 links written by one thread, "what links here", opening, forgetting, bytes per page.
//   bench_graph                                   a memory of 20,000 pages
//   OUTRIDER_BENCH_PAGES=1000000 bench_graph      1 million nodes, 40 million links
// With OUTRIDER_BENCH_KEEP=FOLDER the memory is kept there: filled by --benchmark_filter=record_pages, and asked later,
// when the machine is quiet, by the others. OUTRIDER_BENCH_SLICE=N: fills it with N pages more than it has.
// The same world in each run: pages link to their neighbours, to the hubs of their site and to other sites.
#include "cache/graph.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <random>

namespace outrider {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kLinks = 40, kPagesPerSite = 500;

std::uint64_t pages() {
  const char* given = ::getenv("OUTRIDER_BENCH_PAGES");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 20'000;
}

const char* kept_in() {
  return ::getenv("OUTRIDER_BENCH_KEEP");
}

std::uint64_t pages_to_record() {
  const char* given = ::getenv("OUTRIDER_BENCH_SLICE");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : pages();
}

// Gone with the program, unless it is to be kept. OUTRIDER_BENCH_FOLDER: where there is space.
struct Folder {
  std::filesystem::path path;
  Folder() {
    if (kept_in() != nullptr) {
      path = kept_in();
      return;
    }
    const char* given = ::getenv("OUTRIDER_BENCH_FOLDER");
    std::string name = (given != nullptr ? std::filesystem::path{given} : std::filesystem::temp_directory_path()) /
                       "outrider-bench-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~Folder() {
    if (kept_in() == nullptr) std::filesystem::remove_all(path);
  }
};

std::string url_of(std::uint64_t page) {
  return fmt::format("https://www.site{}.example/articles/{}/a-page-with-a-name", page / kPagesPerSite, page);
}

Sighting page_of(std::uint64_t number, WallTime at) {
  std::mt19937_64 random(number);
  Sighting page;
  page.url = url_of(number);
  page.fetched_by = FetchedBy::robot;
  page.at = at;
  page.status = 200;
  page.mime = "text/html";
  page.decoded_size = 15'000;
  page.body_hash = random();
  page.has_page = true;
  page.page.title = fmt::format("The title of page {}", number);
  page.page.description =
      "What a page says about itself in one or two sentences, of about a hundred characters in all.";
  const std::uint64_t site = number / kPagesPerSite * kPagesPerSite, sites = pages() / kPagesPerSite + 1;
  for (std::uint64_t i = 0; i < kLinks; ++i) {
    std::uint64_t to = site + i;                                        // navigation: the same on every page
    if (i >= 15) to = site + random() % kPagesPerSite;                  // related pages
    if (i >= 30) to = random() % sites * kPagesPerSite + random() % 3;  // other sites, their main pages
    Link link;
    link.target = url_of(to);
    link.text = fmt::format("Words of link {}", to);
    link.position = static_cast<std::uint32_t>(i);
    link.reach = i >= 30 ? LinkReach::external : LinkReach::internal;
    page.links.push_back(std::move(link));
  }
  return page;
}

struct World {
  Folder folder;
  Metrics metrics;
  std::unique_ptr<Graph> graph;
  WallTime start = Clock::system().now();

  void open() {
    GraphOptions options;
    options.folder = folder.path / "memory";
    options.disk_budget = 1ull << 40;
    graph = std::move(Graph::open(options, metrics, Clock::system()).value());
  }
  void close() {
    if (graph) graph->close();
    graph.reset();
  }
  ~World() { close(); }
  std::uint64_t recorded() const {  // pages come in order
    std::uint64_t known = 0, beyond = pages();
    while (known < beyond) {
      const std::uint64_t middle = (known + beyond) / 2;
      const auto node = graph->node({}, url_of(middle), false);
      node&&* node && (*node)->fetches > 0 ? known = middle + 1 : beyond = middle;
    }
    return known;
  }
  // There is something to ask.
  bool is_filled() {
    if (!graph && kept_in() != nullptr) open();
    return graph != nullptr;
  }
};

World& world() {  // built by the first benchmark, used by the others
  static World all;
  return all;
}

void record_pages(benchmark::State& state) {
  World& all = world();
  all.open();
  // Before what RocksDB has made for itself by now is taken down.
  static const bool registered [[maybe_unused]] = std::atexit([] { world().close(); }) == 0;
  std::uint64_t number = all.recorded();
  const std::uint64_t first = number;
  for (auto _ : state) {
    state.PauseTiming();
    const Sighting page = page_of(number++, all.start);
    state.ResumeTiming();
    if (!all.graph->record(page)) state.SkipWithError("not recorded");
  }
  state.counters["pages/s"] = benchmark::Counter(static_cast<double>(number - first), benchmark::Counter::kIsRate);
  all.close();
  all.open();
  const MemoryStats stats = all.graph->stats();
  state.counters["bytes/page"] = static_cast<double>(stats.disk_bytes) / static_cast<double>(number);
  state.counters["in_links"] = static_cast<double>(stats.links);
}

void links_to(benchmark::State& state) {
  World& all = world();
  if (!all.is_filled()) return state.SkipWithError("needs record_pages before it");
  std::mt19937_64 random(1);
  std::vector<double> times;
  std::size_t found = 0;
  for (auto _ : state) {
    const std::string url = url_of(random() % pages());
    const auto begin = Clock::system().steady();
    const auto page = all.graph->links_to({}, url, {100, ""});
    times.push_back(std::chrono::duration<double, std::milli>(Clock::system().steady() - begin).count());
    found += page ? page->links.size() : 0;
  }
  std::sort(times.begin(), times.end());
  state.counters["p50_ms"] = times[times.size() / 2];
  state.counters["p99_ms"] = times[times.size() * 99 / 100];
  state.counters["links"] = static_cast<double>(found) / static_cast<double>(times.size());
}

void open_memory(benchmark::State& state) {
  World& all = world();
  for (auto _ : state) {
    state.PauseTiming();
    all.close();
    state.ResumeTiming();
    all.open();
  }
}

void read_node(benchmark::State& state) {
  World& all = world();
  if (!all.is_filled()) return state.SkipWithError("needs record_pages before it");
  std::mt19937_64 random(1);
  for (auto _ : state) benchmark::DoNotOptimize(all.graph->node({}, url_of(random() % pages()), false));
}

// A site of 500 pages, out of every file: below a minute is promised.
void forget_site(benchmark::State& state) {
  World& all = world();
  if (!all.is_filled()) return state.SkipWithError("needs record_pages before it");
  std::uint64_t site = 3;
  for (auto _ : state)
    if (!all.graph->forget(ForgetScope::of_site(fmt::format("www.site{}.example", site++))))
      state.SkipWithError("not forgotten");
}

// By the time of all processors together, flushing and merging included: what one core does.
BENCHMARK(record_pages)
    ->Iterations(static_cast<benchmark::IterationCount>(pages_to_record()))
    ->Unit(benchmark::kMicrosecond)
    ->MeasureProcessCPUTime();
BENCHMARK(links_to)->Iterations(10'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(read_node)->Iterations(10'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(forget_site)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(open_memory)->Iterations(5)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace outrider
