// How many megabytes of real pages a core tokenizes a second; the goal is 400 in the mode "tags with attributes, and
// where the text is". Beside it, in the same run, what other parsers of Debian need for the same pages: gumbo (builds a
// tree) and MyHTML of libmodest (here without a tree). bytes_per_second is the figure to read.
//
// The pages: every *.htm* below OUTRIDER_BENCH_PAGES, or what the test data's serve-real-sites has unpacked below
// TMPDIR; a few hundred of them, evenly chosen. Without any, a synthetic page.
#include "base/html_tokenizer.hpp"

#include <benchmark/benchmark.h>
#include <gumbo.h>
#ifdef OUTRIDER_BENCH_MYHTML
#include <myhtml/api.h>
#endif
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
  for (int i = 0; i < 500; ++i) {
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
  state.SetLabel(std::to_string(pages().size()) + " pages, " + std::to_string(bytes >> 10) + " KiB");
}

// Looks at what a link extractor looks at: names, attributes, ranges of text.
class Ranges : public HtmlHandler {
 public:
  void on_start_tag(const HtmlTag& tag) override {
    ++tags;
    for (const HtmlAttribute& attribute : tag.attributes)
      attribute_bytes += attribute.value_end - attribute.value_begin;
  }
  void on_end_tag(const HtmlTag&) override { ++tags; }
  void on_text(const HtmlText& text) override { text_bytes += text.raw.size(); }

  std::size_t tags = 0, attribute_bytes = 0, text_bytes = 0;
};

class Decoded : public Ranges {
 public:
  void on_start_tag(const HtmlTag& tag) override {
    for (const HtmlAttribute& attribute : tag.attributes) attribute_bytes += tag.value(attribute, scratch_).size();
  }
  void on_text(const HtmlText& text) override { text_bytes += text.decoded(scratch_).size(); }

 private:
  std::string scratch_;
};

// What a rewriter without anything to do does.
class Copied : public HtmlHandler {
 public:
  void on_start_tag(const HtmlTag& tag) override { out += tag.raw; }
  void on_end_tag(const HtmlTag& tag) override { out += tag.raw; }
  void on_text(const HtmlText& text) override { out += text.raw; }
  void on_comment(const HtmlComment& comment) override { out += comment.raw; }
  void on_doctype(const HtmlDoctype& doctype) override { out += doctype.raw; }
  void on_filler(const HtmlFiller& filler) override { out += filler.raw; }

  std::string out;
};

template <class Handler>
void tokenize(benchmark::State& state) {
  const auto chunk = static_cast<std::size_t>(state.range(0));  // 0: the whole page
  for (auto _ : state) {
    for (const std::string& page : pages()) {
      Handler handler;
      HtmlTokenizer tokenizer{handler};
      const std::size_t step = chunk == 0 ? page.size() : chunk;
      for (std::size_t at = 0; at < page.size(); at += step) tokenizer.feed(std::string_view(page).substr(at, step));
      tokenizer.finish();
      benchmark::DoNotOptimize(&handler);
      benchmark::ClobberMemory();
    }
  }
  report(state);
}
BENCHMARK(tokenize<Ranges>)->Arg(0)->Arg(16 << 10)->Arg(1400)->Arg(100)->Arg(1);
BENCHMARK(tokenize<Decoded>)->Arg(0);
BENCHMARK(tokenize<Copied>)->Arg(16 << 10);

void gumbo(benchmark::State& state) {
  GumboOptions options = kGumboDefaultOptions;
  options.max_errors = 0;
  for (auto _ : state)
    for (const std::string& page : pages())
      gumbo_destroy_output(&options, gumbo_parse_with_options(&options, page.data(), page.size()));
  report(state);
}
BENCHMARK(gumbo)->Iterations(1)->Unit(benchmark::kMillisecond);

#ifdef OUTRIDER_BENCH_MYHTML
void myhtml_tokens(benchmark::State& state) {
  myhtml_t* parser = myhtml_create();
  myhtml_init(parser, MyHTML_OPTIONS_PARSE_MODE_SINGLE, 1, 0);
  myhtml_tree_t* tree = myhtml_tree_create();
  myhtml_tree_init(tree, parser);
  for (auto _ : state) {
    for (const std::string& page : pages()) {
      myhtml_tree_clean(tree);  // forgets the flags
      myhtml_tree_parse_flags_set(tree, MyHTML_TREE_PARSE_FLAGS_WITHOUT_BUILD_TREE);
      myhtml_parse(tree, MyENCODING_UTF_8, page.data(), page.size());
    }
  }
  report(state);
  myhtml_tree_destroy(tree);
  myhtml_destroy(parser);
}
BENCHMARK(myhtml_tokens)->Unit(benchmark::kMillisecond);
#endif

// Against the trap of quadratic time: the time a byte must not depend on the length.
void hostile(benchmark::State& state, const std::string& begin, const std::string& repeated, std::size_t chunk) {
  std::string page = begin;
  while (page.size() < static_cast<std::size_t>(state.range(0))) page += repeated;
  for (auto _ : state) {
    Ranges handler;
    HtmlTokenizer tokenizer{handler};
    for (std::size_t at = 0; at < page.size(); at += chunk) tokenizer.feed(std::string_view(page).substr(at, chunk));
    tokenizer.finish();
    benchmark::DoNotOptimize(&handler);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * page.size()));
}
#define OUTRIDER_HOSTILE(name, ...) BENCHMARK_CAPTURE(hostile, name, __VA_ARGS__)->Arg(32 << 10)->Arg(4 << 20)
OUTRIDER_HOSTILE(attributes, "<a", " a1", 16384);
OUTRIDER_HOSTILE(value_byte_by_byte, "<a href=\"", "x", 1);
OUTRIDER_HOSTILE(comment_byte_by_byte, "<!--", "-x", 1);
OUTRIDER_HOSTILE(text_byte_by_byte, "", "&#0", 1);
OUTRIDER_HOSTILE(zeros_byte_by_byte, "&#", "0", 1);
OUTRIDER_HOSTILE(deep_svg, "", "<svg>", 16384);
OUTRIDER_HOSTILE(end_tags_in_svg, "<svg>", "<g></x>", 16384);
OUTRIDER_HOSTILE(less_than, "", "<", 16384);
OUTRIDER_HOSTILE(end_of_script, "<script>", "</scrip", 16384);

}  // namespace
}  // namespace outrider
