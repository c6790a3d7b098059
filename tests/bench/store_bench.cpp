// What the store costs: hits from memory and from disk, stores, and, with switches of their own, the large runs whose
// figures are in docs/decisions:
//
//   bench_store                                  micro benchmarks
//   bench_store --entries 2000000 --in FOLDER    fill, open, look up: rates, memory and disk reads per entry
//   bench_store --rss                            memory of the process with 10,000 objects of 10 KB
//   bench_store --compare 200000 --in FOLDER     bodies in segments against bodies in BlobDB and in RocksDB's tables
#include "base/metrics.hpp"
#include "base/reactor.hpp"
#include "cache/store.hpp"
#include "cache/store_budgets.hpp"
#include "cache/store_codec.hpp"
#include "cache/store_index.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/asio/co_spawn.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>

namespace outrider {
namespace {

using Timer = std::chrono::steady_clock;

double seconds_since(Timer::time_point start) {
  return std::chrono::duration<double>(Timer::now() - start).count();
}

CacheKey key_of(std::uint64_t i) {
  std::string text = fmt::format("com.site{}.www/section/{}/page-{:x}.html", i % 5000, i / 5000 % 100, i * 2654435761u);
  return {text, std::hash<std::string>{}(text)};
}

StoredHead head_of(std::uint64_t i) {
  StoredHead head;
  HeaderMap& h = head.response.headers;
  head.response.reason = "OK";
  h.add("Date", "Mon, 16 Nov 2026 08:00:00 GMT");
  h.add("Content-Type", "text/html; charset=utf-8");
  h.add("Cache-Control", "public, max-age=3600, stale-while-revalidate=86400");
  h.add("ETag", fmt::format("\"{:016x}\"", i * 0x9e3779b97f4a7c15));
  h.add("Last-Modified", "Sun, 15 Nov 2026 10:11:12 GMT");
  h.add("Vary", "Accept-Encoding");
  h.add("Content-Encoding", "gzip");
  h.add("Server", "nginx/1.24.0");
  h.add("X-Request-Id", fmt::format("{:032x}", i * 0x2545f4914f6cdd1d));
  h.add("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  head.vary_request.add("accept-encoding", "gzip");
  return head;
}

std::string noise(std::size_t length, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::string text(length, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

// A different piece of it for every i, so that nothing compresses.
std::string_view body_of(std::uint64_t i, std::size_t length) {
  static const std::string text = noise(16 << 20);
  return std::string_view(text).substr(i * 7919 % (text.size() - length), length);
}

struct Process {
  static std::uint64_t kib(const char* file, const char* name) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      if (line.starts_with(name)) return std::stoull(line.substr(line.find_first_of("0123456789")));
    return 0;
  }
  static double rss_mb() { return static_cast<double>(kib("/proc/self/status", "VmRSS")) / 1024; }
  static double written_mb() { return static_cast<double>(kib("/proc/self/io", "write_bytes")) / 1e6; }
  static double cpu() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  }
};

struct OpenStore {
  OpenStore(const std::filesystem::path& folder, CacheSettings settings) {
    StoreOptions options;
    options.folder = folder;
    options.settings = settings;
    store = std::move(Store::open(std::move(options), metrics).value());
  }
  ~OpenStore() { store->close(); }

  bool put(std::uint64_t i, std::string_view body) {
    Store::BeginOptions options;
    options.expected_length = body.size();
    auto writer = store->begin(key_of(i), head_of(i), std::move(options));
    writer->append(body);
    return writer->commit() != nullptr;
  }
  EntryPtr find(const CacheKey& key) {
    const StoreLookup found = store->find_now(key);
    if (found.state != StoreLookup::State::must_wait) return found.entry;
    return run(store->find(key));
  }
  template <class T>
  T run(Task<T> task) {
    std::optional<T> value;
    asio::co_spawn(reactor.executor(), std::move(task), [&](std::exception_ptr, T v) {
      value.emplace(std::move(v));
      reactor.stop();
    });
    reactor.context().restart();
    reactor.run();
    return std::move(*value);
  }
  void pace() const {
    while (store->stats().queued_bytes > 2 << 20) ::usleep(200);
  }
  void drain() {
    if (const Result<void> flushed = run(store->flush()); !flushed) fmt::print("{}\n", flushed.error().detail);
  }

  Metrics metrics;
  Reactor reactor;
  std::unique_ptr<Store> store;
};

CacheSettings settings_with(std::uint64_t memory, std::uint64_t disk) {
  CacheSettings settings;
  settings.memory = {memory};
  settings.disk = {disk};
  return settings;
}

struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / fmt::format("outrider-bench-{}", ::getpid())) {}
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

// --- micro benchmarks

void memory_hit(benchmark::State& state) {
  const Folder folder;
  OpenStore open(folder.path, settings_with(256 << 20, 1 << 30));
  const std::string body = noise(static_cast<std::size_t>(state.range(0)));
  std::vector<CacheKey> keys;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    open.put(i, body);
    keys.push_back(key_of(i));
  }
  open.drain();
  std::size_t i = 0;
  for (auto _ : state) {
    const StoreLookup found = open.store->find_now(keys[++i % keys.size()]);
    benchmark::DoNotOptimize(open.store->read_now(found.entry->variants[0]->body, 0, UINT64_MAX));
  }
}
BENCHMARK(memory_hit)->Arg(1000)->Arg(100'000);

// Everything in the page cache and the block cache, nothing in the memory tier.
void disk_hit(benchmark::State& state) {
  const Folder folder;
  const std::uint64_t count = state.range(0) > 50'000 ? 2000 : 10'000;
  const CacheSettings settings = settings_with(32 << 20, 4ull << 30);
  {
    OpenStore fill(folder.path, settings);
    const std::string body = noise(static_cast<std::size_t>(state.range(0)));
    for (std::uint64_t i = 0; i < count; ++i) {
      fill.put(i, body);
      fill.pace();
    }
  }
  OpenStore open(folder.path, settings);
  std::mt19937_64 random(1);
  std::uint64_t waited = 0;
  for (auto _ : state) {
    const CacheKey key = key_of(random() % count);
    const StoreLookup found = open.store->find_now(key);
    waited += found.state == StoreLookup::State::must_wait;
    const EntryPtr entry = found.entry ? found.entry : open.find(key);
    benchmark::DoNotOptimize(open.store->read_now(entry->variants[0]->body, 0, UINT64_MAX));
  }
  state.counters["waited"] = static_cast<double>(waited) / static_cast<double>(state.iterations());
}
BENCHMARK(disk_hit)->Arg(1000)->Arg(10'000)->Arg(100'000);

void absent(benchmark::State& state) {
  const Folder folder;
  OpenStore open(folder.path, settings_with(256 << 20, 1 << 30));
  for (std::uint64_t i = 0; i < 10'000; ++i) open.put(i, "x");
  open.drain();
  std::uint64_t i = 1'000'000;
  for (auto _ : state) benchmark::DoNotOptimize(open.store->find_now(key_of(++i)));
}
BENCHMARK(absent);

// The whole cost, the writer thread included: CPU is that of the process.
void put(benchmark::State& state) {
  const Folder folder;
  OpenStore open(folder.path, settings_with(256 << 20, 8ull << 30));
  const std::string body = noise(static_cast<std::size_t>(state.range(0)));
  std::uint64_t i = 0;
  for (auto _ : state) {
    open.put(++i, body);
    if (i % 16 == 0) open.pace();
  }
  open.drain();
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(put)->Arg(1000)->Arg(10'000)->Arg(100'000)->MeasureProcessCPUTime()->UseRealTime();

// --- large runs

double megabytes_in(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code vanished;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder, vanished))
    if (file.is_regular_file(vanished)) bytes += file.file_size(vanished);
  return static_cast<double>(bytes) / 1e6;
}

template <class F>
double rate(std::uint64_t count, F&& f) {
  const auto start = Timer::now();
  for (std::uint64_t i = 0; i < count; ++i) f(i);
  return static_cast<double>(count) / seconds_since(start);
}

// Each step in a process of its own, so that its memory is its own, too.
void in_child(const std::function<void()>& step) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    step();
    std::fflush(stdout);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

CacheSettings large() {
  return settings_with(256 << 20, 200ull << 30);
}

void fill(const std::filesystem::path& folder, std::uint64_t from, std::uint64_t count, bool crash) {
  const std::string body = noise(200);
  const double before = Process::rss_mb();
  OpenStore open(folder, large());
  const auto start = Timer::now();
  const double cpu = Process::cpu();
  for (std::uint64_t i = 0; i < count; ++i) {
    open.put(from + i, body);
    if (i % 64 == 0) open.pace();
  }
  open.drain();
  const double seconds = seconds_since(start);
  fmt::print("stored {:9} entries     {:8.0f} a second, {:.1f} us CPU each; process {:.1f} MB, before {:.1f} MB\n",
             count, static_cast<double>(count) / seconds, (Process::cpu() - cpu) * 1e6 / static_cast<double>(count),
             Process::rss_mb(), before);
  if (crash) {
    std::fflush(stdout);
    ::kill(::getpid(), SIGKILL);
  }
  const auto closing = Timer::now();
  open.store->close();
  fmt::print("closed in                    {:8.0f} ms\n", seconds_since(closing) * 1000);
}

void look_up(const std::filesystem::path& folder, std::uint64_t count, std::string_view when) {
  std::mt19937_64 random(1);
  const auto start = Timer::now();
  OpenStore open(folder, large());
  fmt::print("opened {:21} {:8.1f} ms, process {:.1f} MB\n", when, seconds_since(start) * 1000, Process::rss_mb());
  const auto first = Timer::now();
  if (!open.find(key_of(random() % count))) fmt::print("not found!\n");
  fmt::print("first hit                    {:8.3f} ms\n", seconds_since(first) * 1000);
  for (const bool present : {true, false}) {
    std::uint64_t found = 0;
    const double cpu = Process::cpu();
    constexpr std::uint64_t kLookups = 200'000;
    const double per_second = rate(kLookups, [&](std::uint64_t) {
      found += open.find(key_of(random() % count + (present ? 0 : 2 * count))) != nullptr;
    });
    fmt::print("lookups, {:7}             {:8.0f} a second, {:.1f} us CPU each, {:.1f} % found; process {:.1f} MB\n",
               present ? "present" : "absent", per_second, (Process::cpu() - cpu) * 1e6 / kLookups,
               static_cast<double>(found) * 100 / kLookups, Process::rss_mb());
  }
}

void count_blocks(const std::filesystem::path& folder, std::uint64_t count) {
  std::mt19937_64 random(2);
  const StoreBudgets budgets(large());
  StoreIndex index(folder / "index", {budgets.block_cache, budgets.write_buffer});
  std::string why;
  if (index.open(why) != StoreIndex::Outcome::done) return;
  for (const bool present : {true, false}) {
    StoreIndex::count_reads();
    constexpr std::uint64_t kLookups = 20'000;
    for (std::uint64_t i = 0; i < kLookups; ++i) index.get(key_of(random() % count + (present ? 0 : 2 * count)).bytes);
    fmt::print("blocks read a lookup, {:7}{:8.2f}\n", present ? "present" : "absent",
               static_cast<double>(StoreIndex::reads()) / kLookups);
  }
  index.close();
}

void many_entries(const std::filesystem::path& folder, std::uint64_t count) {
  in_child([&] { fill(folder, 0, count, false); });
  fmt::print("index                        {:8.1f} MB = {:.0f} bytes an entry; segments {:.1f} MB\n",
             megabytes_in(folder / "index"), megabytes_in(folder / "index") * 1e6 / static_cast<double>(count),
             megabytes_in(folder / "bodies"));
  in_child([&] { look_up(folder, count, "after a clean close"); });
  in_child([&] { fill(folder, count, 50'000, true); });  // the log is as long as it gets
  in_child([&] { look_up(folder, count, "after kill -9"); });
  in_child([&] { count_blocks(folder, count); });
}

void resident() {
  const Folder folder;
  OpenStore open(folder.path, CacheSettings{});
  const std::string body = noise(10'000);
  const double before = Process::rss_mb();
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    open.put(i, body);
    open.pace();
  }
  open.drain();
  std::uint64_t in_memory = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i)
    in_memory += open.store->find_now(key_of(i)).state == StoreLookup::State::found;
  const StoreStats stats = open.store->stats();
  fmt::print("{} entries in memory, {:.1f} MB counted, process {:.1f} MB before, {:.1f} MB after ({} found)\n",
             stats.memory_entries, static_cast<double>(stats.memory_bytes) / 1e6, before, Process::rss_mb(), in_memory);
}

// RocksDB with the bodies inside, in blob files or in its tables.
void in_rocksdb(const std::filesystem::path& folder, std::uint64_t count, std::size_t length, bool blobs) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 32 << 20;
  options.compression = rocksdb::kLZ4Compression;
  options.enable_blob_files = blobs;
  options.min_blob_size = 512;
  options.blob_file_size = 64 << 20;
  options.enable_blob_garbage_collection = true;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(32 << 20);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::DB* db = nullptr;
  if (!rocksdb::DB::Open(options, folder.string(), &db).ok()) return;
  std::mt19937_64 random(1);
  double written = Process::written_mb();
  double cpu = Process::cpu();
  const double puts = rate(count, [&](std::uint64_t i) {
    StoreRecord record;
    record.variants.push_back({i, head_of(i), {{1, 0, 0}}, 0});
    std::string value = encode_record(record);
    value += body_of(i, length);
    db->Put({}, key_of(i).bytes, value);
  });
  db->Flush({});
  const double put_cpu = (Process::cpu() - cpu) * 1e6 / static_cast<double>(count);
  written = Process::written_mb() - written;
  std::string value;
  cpu = Process::cpu();
  const double gets = rate(50'000, [&](std::uint64_t) { db->Get({}, key_of(random() % count).bytes, &value); });
  fmt::print("{:10} {:8} {:8.0f} {:8.1f} {:8.2f} {:8.0f} {:8.1f} {:8.0f}\n", blobs ? "BlobDB" : "tables", length, puts,
             put_cpu, written * 1e6 / static_cast<double>(count * (length + 600)), gets,
             (Process::cpu() - cpu) * 1e6 / 50'000, megabytes_in(folder));
  delete db;
}

void in_segments(const std::filesystem::path& folder, std::uint64_t count, std::size_t length) {
  OpenStore open(folder, settings_with(64 << 20, 200ull << 30));
  std::mt19937_64 random(1);
  double written = Process::written_mb();
  double cpu = Process::cpu();
  const double puts = rate(count, [&](std::uint64_t i) {
    open.put(i, body_of(i, length));
    if (i % 16 == 0) open.pace();
  });
  open.drain();
  const double put_cpu = (Process::cpu() - cpu) * 1e6 / static_cast<double>(count);
  written = Process::written_mb() - written;
  cpu = Process::cpu();
  const double gets = rate(50'000, [&](std::uint64_t) { open.find(key_of(random() % count)); });
  fmt::print("{:10} {:8} {:8.0f} {:8.1f} {:8.2f} {:8.0f} {:8.1f} {:8.0f}\n", "segments", length, puts, put_cpu,
             written * 1e6 / static_cast<double>(count * (length + 600)), gets, (Process::cpu() - cpu) * 1e6 / 50'000,
             megabytes_in(folder));
}

void compare(const std::filesystem::path& folder, std::uint64_t count) {
  fmt::print("{:10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "bodies in", "bytes", "put/s", "us CPU", "written",
             "get/s", "us CPU", "MB");
  for (const std::size_t length : {500, 1000, 4000, 15'000, 60'000}) {
    const std::uint64_t n = std::min<std::uint64_t>(count, 3'000'000'000 / length);
    for (int kind = 0; kind < 3; ++kind) {
      std::filesystem::remove_all(folder);
      if (kind == 0) in_segments(folder, n, length);
      if (kind > 0) in_rocksdb(folder, n, length, kind == 1);
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace outrider

int main(int argc, char** argv) {
  std::string what, folder;
  std::uint64_t count = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--rss") what = argument;
    if (i + 1 == argc) break;
    if (argument == "--in") folder = argv[i + 1];
    if (argument == "--entries" || argument == "--compare") {
      what = argument;
      count = std::strtoull(argv[i + 1], nullptr, 10);
    }
  }
  if (what == "--rss") {
    outrider::resident();
  } else if (what == "--entries" && !folder.empty()) {
    outrider::many_entries(folder, count);
  } else if (what == "--compare" && !folder.empty()) {
    outrider::compare(folder, count);
  } else {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
  }
}
