// What reading a page costs: the linear scan for links and head data (the goal is 250 MB/s on real pages; the robot's
// speed stands on it), the deep parse behind it, and how much of that is gumbo.
//
// The pages: every *.htm* below OUTRIDER_BENCH_PAGES, or what the test data's serve-real-sites has unpacked below
// TMPDIR; a few hundred of them, evenly chosen. Without any, a synthetic page.
#include "cache/gumbo_tree.hpp"
#include "cache/language.hpp"
#include "cache/page_reader.hpp"
#include "cache/page_scan.hpp"
#include "cache/text_statistics.hpp"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace outrider {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPages = 400;

fs::path page_folder() {
  if (const char* given = std::getenv("OUTRIDER_BENCH_PAGES")) return given;
  return fs::temp_directory_path() / ("real-sites." + std::to_string(getuid())) / "unpacked";
}

std::string synthetic_page() {
  std::string page = "<!DOCTYPE html><html lang=en><head><title>A page</title></head><body>\n";
  for (int i = 0; i < 100; ++i) {
    page += "<p class=\"entry\">Some words of text and <a href=\"/section/page" + std::to_string(i) +
            ".html?a=1&amp;b=2\" title=\"A link\">a link</a>, <em>stressed</em> words &mdash; and more of them.</p>\n";
  }
  return page + "</body></html>\n";
}

std::vector<std::string> load_pages() {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at{page_folder(), error}, end; !error && at != end; at.increment(error)) {
    if (at->path().extension().string().starts_with(".htm") && at->is_regular_file(error)) files.push_back(at->path());
    error.clear();
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> pages;
  for (std::size_t i = 0; i < std::min(kPages, files.size()); ++i) {
    std::ifstream in(files[i * files.size() / std::min(kPages, files.size())], std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    pages.push_back(bytes.str());
  }
  if (pages.empty()) pages.push_back(synthetic_page());
  return pages;
}

const std::vector<std::string>& pages() {
  static const std::vector<std::string> loaded = load_pages();
  return loaded;
}

void report(benchmark::State& state) {
  std::size_t bytes = 0;
  for (const std::string& page : pages()) bytes += page.size();
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * pages().size()));  // pages
}

void scan(benchmark::State& state) {
  const Url url = Url::parse("https://site.example/folder/page.html").value();
  std::size_t links = 0;
  std::size_t refused = 0;
  for (auto _ : state) {
    links = refused = 0;
    for (const std::string& page : pages()) {
      const PageScan found = scan_page(page, url);
      links += found.links.size();
      refused += found.too_much_for_tree ? 1 : 0;
    }
  }
  report(state);
  state.counters["links/page"] = static_cast<double>(links) / static_cast<double>(pages().size());
  state.counters["too_much_for_tree"] = static_cast<double>(refused);
}
BENCHMARK(scan)->Unit(benchmark::kMillisecond);

const std::vector<PageScan>& scans() {
  static const std::vector<PageScan> scanned = [] {
    const Url url = Url::parse("https://site.example/folder/page.html").value();
    std::vector<PageScan> out;
    for (const std::string& page : pages()) out.push_back(scan_page(page, url));
    return out;
  }();
  return scanned;
}

// Headings, main text, language, fingerprints: what follows the scan.
void deep_parse(benchmark::State& state) {
  std::vector<PageScan> read = scans();
  for (auto _ : state)
    for (std::size_t i = 0; i < pages().size(); ++i) read_page(pages()[i], read[i]);
  report(state);
  std::size_t words = 0;
  for (const PageScan& page : read) words += page.page.word_count;
  state.counters["words/page"] = static_cast<double>(words) / static_cast<double>(pages().size());
}
BENCHMARK(deep_parse)->Unit(benchmark::kMillisecond);

// The same pages from their tags alone, as gumbo may not see hostile ones.
void deep_parse_without_tree(benchmark::State& state) {
  std::vector<PageScan> read = scans();
  for (PageScan& scanned : read) scanned.too_much_for_tree = true;
  for (auto _ : state)
    for (std::size_t i = 0; i < pages().size(); ++i) read_page(pages()[i], read[i]);
  report(state);
}
BENCHMARK(deep_parse_without_tree)->Unit(benchmark::kMillisecond);

// Parts of the deep parse. gumbo as it comes, with its own allocations, for comparison.
void gumbo_alone(benchmark::State& state) {
  GumboOptions options = kGumboDefaultOptions;
  options.max_errors = 0;
  for (auto _ : state)
    for (const std::string& page : pages())
      gumbo_destroy_output(&options, gumbo_parse_with_options(&options, page.data(), page.size()));
  report(state);
}
BENCHMARK(gumbo_alone)->Unit(benchmark::kMillisecond);

void gumbo_in_arena(benchmark::State& state) {
  for (auto _ : state) {
    for (const std::string& page : pages()) {
      const GumboTree tree{page};
      benchmark::DoNotOptimize(&tree.root());
    }
  }
  report(state);
}
BENCHMARK(gumbo_in_arena)->Unit(benchmark::kMillisecond);

void statistics_and_language(benchmark::State& state) {
  std::vector<PageScan> read = scans();
  for (std::size_t i = 0; i < pages().size(); ++i) read_page(pages()[i], read[i]);
  for (auto _ : state) {
    for (const PageScan& page : read) {
      benchmark::DoNotOptimize(count_words(page.page.text));
      benchmark::DoNotOptimize(text_fingerprint(page.page.text));
      benchmark::DoNotOptimize(text_simhash(page.page.text));
      benchmark::DoNotOptimize(detect_language(page.page.text, ""));
    }
  }
  report(state);
}
BENCHMARK(statistics_and_language)->Unit(benchmark::kMillisecond);

// Shapes that keep gumbo busy, as large as TreeBounds lets pass: what it takes for them must stay under 50 ms. Shapes
// that it refuses whatever their size take the way without a tree.
void hostile(benchmark::State& state, const std::string& begin, const std::string& repeated) {
  const auto page_of = [&](std::size_t count) {
    std::string page = begin;
    for (std::size_t i = 0; i < count; ++i) page += repeated;
    return page;
  };
  const Url url = Url::parse("https://site.example/").value();
  std::size_t count = 1;
  while (count < 2'000'000 && !scan_page(page_of(count), url).too_much_for_tree) count *= 2;
  std::size_t step = count / 2;  // the largest count that is accepted lies between step and count
  for (count = step; step > 0; step /= 2)
    if (!scan_page(page_of(count + step), url).too_much_for_tree) count += step;
  const std::string page = page_of(count);
  for (auto _ : state) {
    PageScan scan = scan_page(page, url);
    read_page(page, scan);
  }
  state.counters["KB"] = static_cast<double>(page.size()) / 1000;
}
std::string repeat(std::size_t count, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}
std::string unlike(std::size_t count, std::string_view before, std::string_view behind) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += std::string(before) + std::to_string(i) + std::string(behind);
  return out;
}
#define OUTRIDER_HOSTILE(name, ...) \
  BENCHMARK_CAPTURE(hostile, name, __VA_ARGS__)->Unit(benchmark::kMillisecond)->Iterations(3)
OUTRIDER_HOSTILE(text, "", "word ");
OUTRIDER_HOSTILE(less_than, "", "<");
OUTRIDER_HOSTILE(references, "", "&x");
OUTRIDER_HOSTILE(nuls, "", std::string(1, '\0'));
OUTRIDER_HOSTILE(attributes, "", "<a" + unlike(250, " a", "") + ">");
OUTRIDER_HOSTILE(attributes_of_body, "", "<body" + unlike(25, " a", "") + ">");
OUTRIDER_HOSTILE(div, "", "<div>");
OUTRIDER_HOSTILE(paragraphs_deep_down, repeat(500, "<div>"), "<p>x</p>");
OUTRIDER_HOSTILE(blocks_in_spans, repeat(500, "<span>"), "<div></div>");
OUTRIDER_HOSTILE(ends_that_close_nothing, repeat(500, "<span>"), "</x>");
OUTRIDER_HOSTILE(ends_of_paragraphs, repeat(500, "<span>"), "</p>");
OUTRIDER_HOSTILE(ends_of_blocks, repeat(500, "<i id=x>"), "</div>");
OUTRIDER_HOSTILE(ends_of_formatting, repeat(250, "<div><span>"), "</b>");
OUTRIDER_HOSTILE(unclosed_formatting, "<p>" + unlike(100, "<b id=", ">"), "<p>x");
OUTRIDER_HOSTILE(adoption_agency, "", "<b><i><u><div><div><div></b></i></u></div></div></div>");
OUTRIDER_HOSTILE(anchors, "", "<a href=x>y");
OUTRIDER_HOSTILE(nested_tables, repeat(120, "<table><tr><td>"), "x<td>");
OUTRIDER_HOSTILE(foster_parenting, "<table>", "<b>x</b>");
OUTRIDER_HOSTILE(cells, "<table>", "x<tr>");
OUTRIDER_HOSTILE(list_items, "<ul>", "<li>x");
OUTRIDER_HOSTILE(svg, "", "<svg><path d=x/></svg>");
OUTRIDER_HOSTILE(comments, "", "<!---->");
OUTRIDER_HOSTILE(templates, repeat(400, "<template>"), "<p>x");

// Whole pages that gumbo never sees: scanned and read from their tags.
void refused(benchmark::State& state, const std::string& page) {
  const Url url = Url::parse("https://site.example/").value();
  for (auto _ : state) {
    PageScan scan = scan_page(page, url);
    if (!scan.too_much_for_tree) state.SkipWithError("gumbo would see it");
    read_page(page, scan);
  }
}
#define OUTRIDER_REFUSED(name, page) \
  BENCHMARK_CAPTURE(refused, name, page)->Unit(benchmark::kMillisecond)->Iterations(3)
OUTRIDER_REFUSED(div_500_kb, repeat(100'000, "<div>"));
OUTRIDER_REFUSED(attributes_100_000, "<a" + unlike(100'000, " a", "") + ">");
OUTRIDER_REFUSED(nuls_2_mb, std::string(2'000'000, '\0'));
OUTRIDER_REFUSED(one_line_2_mb, repeat(400'000, "word "));
OUTRIDER_REFUSED(one_word_2_mb, std::string(2'000'000, 'x'));
OUTRIDER_REFUSED(list_2_mb, repeat(400'000, "<li>x"));
OUTRIDER_REFUSED(links_2_mb, repeat(180'000, "<a href=x>y"));
OUTRIDER_REFUSED(lists_that_never_end, repeat(64, "<ul>") + repeat(500'000, "</x>"));

}  // namespace
}  // namespace outrider
