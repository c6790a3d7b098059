// What rewriting costs: a page of 100 KB that passes untouched, against the same page with a script injected and all
// its links read; in chunks as they come from a socket. bytes_per_second is the throughput of one core, the time of
// */complete that of one page, and of */first_chunk that until the first bytes of a page can go out.
#include "proxy/rewriter.hpp"

#include <benchmark/benchmark.h>

namespace outrider {
namespace {

constexpr std::size_t kChunk = 16 * 1024;

const std::string& page() {
  static const std::string made = [] {
    std::string text =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>A page</title>"
        "<link rel=\"stylesheet\" href=\"/style.css\"><script>var a = 1 < 2;</script></head>\n<body class=\"page\">\n";
    for (int i = 0; text.size() < 100 * 1000; ++i)
      text += "<p class=\"entry\">Some words of text that somebody wrote, and <a href=\"/section/page" +
              std::to_string(i) +
              ".html?a=1&amp;b=2\" title=\"A link\">a link</a>, <em>stressed</em> words &mdash; and some more of them, "
              "because real pages are mostly text between their tags, or scripts.</p>\n";
    return text + "</body></html>\n";
  }();
  return made;
}

class Injector : public PageFilter {
 public:
  explicit Injector(std::size_t& bytes) : bytes_(bytes) {}
  PageInterest interest() const override { return PageInterest::in({{"a", "href"}}); }
  void on_start_tag(const HtmlTag& tag, TagEdit&) override { bytes_ += tag.value(*tag.find("href"), scratch_).size(); }
  std::string insert_at(PagePlace place) override {
    return place == PagePlace::head_end ? "<script src=\"/.well-known/outrider/scout.js\" defer></script>" : "";
  }

 private:
  std::size_t& bytes_;
  std::string scratch_;
};

PageRewriter rewriter(std::size_t& bytes) {
  PageRewriter::Filters filters;
  filters.push_back(std::make_unique<Injector>(bytes));
  return PageRewriter{std::move(filters), {}};
}

// The reader's side without plugins: each chunk is handed on as it is. The copy stands for the write to a socket, which
// both ways have in common.
void send(std::string& socket, std::string_view bytes) {
  socket.assign(bytes);
  benchmark::DoNotOptimize(socket.data());
}

void pass_through(benchmark::State& state) {
  std::string socket;
  for (auto _ : state)
    for (std::size_t at = 0; at < page().size(); at += kChunk)
      send(socket, std::string_view{page()}.substr(at, kChunk));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * page().size()));
}

void rewriting_complete(benchmark::State& state) {
  std::string socket;
  std::size_t bytes = 0;
  for (auto _ : state) {
    PageRewriter r = rewriter(bytes);
    for (std::size_t at = 0; at < page().size(); at += kChunk)
      send(socket, r.feed(std::string_view{page()}.substr(at, kChunk)));
    send(socket, r.finish());
  }
  benchmark::DoNotOptimize(bytes);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * page().size()));
}

void rewriting_first_chunk(benchmark::State& state) {
  std::string socket;
  std::size_t bytes = 0;
  for (auto _ : state) {
    PageRewriter r = rewriter(bytes);
    send(socket, r.feed(std::string_view{page()}.substr(0, kChunk)));
  }
}

BENCHMARK(pass_through);
BENCHMARK(rewriting_complete);
BENCHMARK(rewriting_first_chunk);

}  // namespace
}  // namespace outrider
