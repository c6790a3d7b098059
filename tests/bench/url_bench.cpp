// How many URLs a core parses a second. "Ordinary" is what links and request targets look like most of the time; the
// goal for those is 3 million a second. items_per_second is the figure to read.
#include "base/canonical_key.hpp"
#include "base/url.hpp"

#include <benchmark/benchmark.h>

#include <string_view>
#include <vector>

namespace outrider {
namespace {

const std::vector<std::string_view> kOrdinary = {
    "https://www.example.com/",
    "https://www.example.com",
    "http://example.org/index.html",
    "https://en.wikipedia.org/wiki/Uniform_Resource_Locator",
    "https://en.wikipedia.org/w/index.php?title=URL&action=history&limit=50",
    "https://news.ycombinator.com/item?id=38000000",
    "https://github.com/boostorg/json/blob/develop/include/boost/json/object.hpp#L120",
    "https://stackoverflow.com/questions/1547899/which-characters-make-a-url-invalid",
    "https://cdn.shop.example.net/assets/v3/css/main.8f2c1e77.min.css",
    "https://images.example-cdn.com/photos/2023/11/04/large/4f0a-99b1.jpg?w=1280&q=75&fit=crop",
    "http://localhost:8080/api/v1/users/42/orders?page=3&per_page=25",
    "https://api.example.io:8443/graphql",
    "https://www.heise.de/news/Ein-langer-Titel-einer-Meldung-mit-vielen-Woertern-9337801.html",
    "https://maps.example.com/maps/place/@52.5170365,13.3888599,12z/data=!3m1!4b1",
    "https://search.example.com/search?q=whatwg+url+standard&hl=en&source=hp&ei=abcDEF123&oq=whatwg",
    "https://docs.python.org/3/library/urllib.parse.html#module-urllib.parse",
    "http://www.uni-example.de/fakultaet/institut/mitarbeiter/mueller/publikationen/2021.html",
    "https://static.example.com/js/chunk-vendors.3e1d2f4a.js",
    "https://blog.example.com/2024/02/29/a-post-about-leap-years/",
    "https://accounts.example.com/o/oauth2/v2/"
    "auth?client_id=123456.apps&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcb&scope=openid%20email",
};

// What needs the general parser: upper case, escapes, dot segments, ports to drop, addresses, spaces, names that are
// not ASCII.
const std::vector<std::string_view> kUnusual = {
    "HTTP://WWW.Example.COM/Path/File.HTML",
    "https://www.example.com:443/a/b/../c/./d.html",
    "http://127.0.0.1:3000/status",
    "http://[2001:db8::1]:8080/x",
    "https://user:secret@example.com/private/",
    "https://example.com/a b/c|d?x=\"1\"",
    "https://de.wikipedia.org/wiki/M\xC3\xBCnchen",
    "https://www.b\xC3\xBC\x63her.example/katalog?seite=2",
    "  https://example.com/trimmed\n",
    "https://example.com/%7Euser/%2e%2e/x",
    "ftp://ftp.example.org:21/pub/file.tar.gz",
    "mailto:someone@example.org?subject=hello",
};

const std::vector<std::string_view> kRelative = {
    "/about",
    "../images/logo.png",
    "page2.html",
    "?page=2",
    "#top",
    "//cdn.example.com/lib.js",
    "./a/b/c.html",
    "../../up/two.html",
    "sub/dir/file.pdf?download=1",
    "/search?q=x#results",
};

void parse_all(benchmark::State& state, const std::vector<std::string_view>& inputs, const Url* base) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    for (std::string_view input : inputs) {
      auto url = Url::parse(input, base);
      if (!url) state.SkipWithError("does not parse");
      benchmark::DoNotOptimize(url);
      bytes += input.size();
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * inputs.size()));
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

void parse_ordinary(benchmark::State& state) {
  parse_all(state, kOrdinary, nullptr);
}
void parse_unusual(benchmark::State& state) {
  parse_all(state, kUnusual, nullptr);
}
void parse_mixed(benchmark::State& state) {
  std::vector<std::string_view> inputs = kOrdinary;
  inputs.insert(inputs.end(), kUnusual.begin(), kUnusual.begin() + 4);
  parse_all(state, inputs, nullptr);
}
void resolve_relative(benchmark::State& state) {
  const auto base = Url::parse("https://www.example.com/section/chapter/page.html?from=index");
  parse_all(state, kRelative, &*base);
}
// Against the trap of quadratic time: the time a byte must not depend on the length.
void parse_dot_segments(benchmark::State& state) {
  std::string input = "http://example.com/";
  for (std::int64_t i = 0; i < state.range(0); ++i) input += i % 2 == 0 ? "segment/" : "../";
  parse_all(state, {input}, nullptr);
}
void make_canonical_key(benchmark::State& state) {
  std::vector<Url> urls;
  for (std::string_view input : kOrdinary) urls.push_back(*Url::parse(input));
  const CanonicalOptions options;
  for (auto _ : state)
    for (const Url& url : urls) benchmark::DoNotOptimize(canonical_key(url, options));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * urls.size()));
}

BENCHMARK(parse_ordinary);
BENCHMARK(parse_unusual);
BENCHMARK(parse_mixed);
BENCHMARK(resolve_relative);
BENCHMARK(parse_dot_segments)->RangeMultiplier(16)->Range(64, 64 * 256);
BENCHMARK(make_canonical_key);

}  // namespace
}  // namespace outrider
