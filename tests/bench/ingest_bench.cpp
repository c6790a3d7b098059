// Pages a second through the whole ingest (decode, scan, deep parse, store with links in both directions), beside gumbo
// alone on the same pages. Prints bytes on disk per page and resident memory. Not a micro benchmark: it runs once, for
// real.
//
//   bench_ingest [PAGES]   default 20,000; real pages are taken from OUTRIDER_BENCH_PAGES or from what serve-real-sites
//   unpacked
#include "cache/ingest_pool.hpp"

#include <gumbo.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace outrider {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> load_pages(std::size_t most) {
  const char* given = std::getenv("OUTRIDER_BENCH_PAGES");
  const fs::path folder = given != nullptr
                              ? fs::path{given}
                              : fs::temp_directory_path() / ("real-sites." + std::to_string(getuid())) / "unpacked";
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    if (at->path().extension().string().starts_with(".htm") && at->is_regular_file(error)) files.push_back(at->path());
    error.clear();
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> pages;
  for (std::size_t i = 0; i < std::min(most, files.size()); ++i) {
    std::ifstream in(files[i * files.size() / std::min(most, files.size())], std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    // About the size of an ordinary page: the figures are meant for those.
    if (bytes.str().size() > 2'000 && bytes.str().size() < 60'000) pages.push_back(bytes.str());
  }
  if (!pages.empty()) return pages;
  std::string page = "<!DOCTYPE html><html lang=en><head><title>A page</title></head><body>\n";
  for (int i = 0; i < 40; ++i)
    page += "<p>Some words of text and <a href=\"/p" + std::to_string(i) + "\">a link</a>, and more of them.</p>\n";
  return {page};
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long resident_kib() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
  return 0;
}

std::uint64_t folder_bytes(const fs::path& folder) {
  std::uint64_t total = 0;
  for (const auto& entry : fs::recursive_directory_iterator{folder})
    if (entry.is_regular_file()) total += entry.file_size();
  return total;
}

void gumbo_alone(const std::vector<std::string>& pages) {
  GumboOptions options = kGumboDefaultOptions;
  options.max_errors = 0;
  const double before = cpu_seconds();
  for (const std::string& page : pages)
    gumbo_destroy_output(&options, gumbo_parse_with_options(&options, page.data(), page.size()));
  const double spent = cpu_seconds() - before;
  std::printf("gumbo alone        %8.0f pages per CPU second\n", static_cast<double>(pages.size()) / spent);
}

int run(std::size_t count) {
  const std::vector<std::string> pages = load_pages(2'000);
  std::size_t bytes = 0;
  for (const std::string& page : pages) bytes += page.size();
  std::printf("%zu pages, %zu bytes each on average\n", pages.size(), bytes / pages.size());
  gumbo_alone(pages);

  const fs::path folder = fs::temp_directory_path() / ("outrider-ingest-bench." + std::to_string(getpid()));
  fs::create_directories(folder);
  Metrics metrics;
  GraphOptions options;
  options.folder = folder / "memory";
  Result<std::unique_ptr<Graph>> graph = Graph::open(options, metrics, Clock::system());
  if (!graph) {
    std::fprintf(stderr, "%s\n", graph.error().detail.c_str());
    return 1;
  }
  {
    IngestPool pool{**graph, {}, metrics};
    const auto begin = std::chrono::steady_clock::now();
    const double before = cpu_seconds();
    for (std::size_t i = 0; i < count; ++i) {
      Arrival arrival;
      arrival.url = *Url::parse("http://site" + std::to_string(i % 50) + ".example/folder/page" + std::to_string(i));
      arrival.by = FetchedBy::robot;
      arrival.status = 200;
      arrival.at = Clock::system().now();
      arrival.headers.add("Content-Type", "text/html");
      arrival.body = pages[i % pages.size()];
      for (;;) {
        Arrival copy = arrival;
        if (pool.submit(std::move(copy))) break;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
      }
      if ((i + 1) % (count / 4) == 0)
        std::printf("  after %7zu pages: %ld MiB resident\n", i + 1, resident_kib() >> 10);
    }
    pool.close();
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double cpu = cpu_seconds() - before;
    std::printf("ingest             %8.0f pages per second, %.0f per CPU second\n", static_cast<double>(count) / wall,
                static_cast<double>(count) / cpu);
  }
  (*graph)->close();
  std::printf("on disk            %8.0f bytes per page\n",
              static_cast<double>(folder_bytes(folder)) / static_cast<double>(count));
  fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace outrider

int main(int argc, char** argv) {
  const bool number = argc > 1 && argv[1][0] >= '1' && argv[1][0] <= '9';
  return outrider::run(number ? std::strtoul(argv[1], nullptr, 10) : 20'000);
}
