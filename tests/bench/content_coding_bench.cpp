// Content codings on a page of about 100 KB: bytes_per_second counts the bytes of the page, not of the wire; `wire` is
// how large it became. Read the column CPU.
#include "base/content_coding.hpp"
#include "base/content_encoder.hpp"

#include <benchmark/benchmark.h>

#include <random>

namespace outrider {
namespace {

const std::string& page() {
  static const std::string made = [] {
    std::mt19937 random{1};
    std::string text = "<!DOCTYPE html><html lang=en><head><title>A page</title></head><body>\n";
    while (text.size() < 100'000) {
      text += "<p class=\"entry\"><a href=\"/section/page" + std::to_string(random() % 10'000) + ".html\">";
      for (int i = 0; i < 12; ++i) text += "word" + std::to_string(random() % 2'000) + ' ';
      text += "</a></p>\n";
    }
    return text;
  }();
  return made;
}

void report(benchmark::State& state, ContentCoding coding, std::size_t wire) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * page().size()));
  state.SetLabel(std::string(to_string(coding)) + ", wire " + std::to_string(wire));
}

void decode(benchmark::State& state, ContentCoding coding) {
  const std::string wire = encode_content(coding, page());
  const auto chunk = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    std::size_t size = 0;
    const ContentSink count = [&size](std::string_view piece) { size += piece.size(); };
    ContentDecoder decoder = *ContentDecoder::create(to_string(coding));
    for (std::string_view rest = wire; !rest.empty(); rest.remove_prefix(std::min(rest.size(), chunk)))
      (void)decoder.feed(rest.substr(0, chunk), count);
    if (!decoder.finish() || size != page().size()) state.SkipWithError("not decoded");
  }
  report(state, coding, wire.size());
}
BENCHMARK_CAPTURE(decode, gzip, ContentCoding::gzip)->Arg(16 << 10)->Arg(1400);
BENCHMARK_CAPTURE(decode, br, ContentCoding::brotli)->Arg(16 << 10)->Arg(1400);
BENCHMARK_CAPTURE(decode, zstd, ContentCoding::zstd)->Arg(16 << 10)->Arg(1400);

// As a rewriter does: a flush behind each chunk.
void encode(benchmark::State& state, ContentCoding coding) {
  std::size_t size = 0;
  for (auto _ : state) {
    size = 0;
    const ContentSink count = [&size](std::string_view piece) { size += piece.size(); };
    ContentEncoder encoder{coding};
    for (std::string_view rest = page(); !rest.empty(); rest.remove_prefix(std::min<std::size_t>(rest.size(), 16384))) {
      encoder.feed(rest.substr(0, 16384), count);
      encoder.flush(count);
    }
    encoder.finish(count);
  }
  report(state, coding, size);
}
BENCHMARK_CAPTURE(encode, gzip, ContentCoding::gzip);
BENCHMARK_CAPTURE(encode, br, ContentCoding::brotli);
BENCHMARK_CAPTURE(encode, zstd, ContentCoding::zstd);

}  // namespace
}  // namespace outrider
