// From bytes to UTF-8. The goal: 1 GB/s for UTF-8 that is valid, whatever the language. Read bytes_per_second, which
// counts CPU time and the bytes that go in.
#include "base/charset.hpp"
#include "base/charset_prescan.hpp"
#include "base/utf8.hpp"

#include <benchmark/benchmark.h>

namespace outrider {
namespace {

std::string repeated(std::string_view piece) {
  std::string text;
  while (text.size() < 200'000) text += piece;
  return text;
}

const std::string kEnglish =
    repeated("<p class=\"a\">The quick brown fox jumps over the lazy dog \xE2\x80\x94 twice.</p>\n");
const std::string kRussian = repeated("<p>Съешь же ещё этих мягких французских булок, да выпей чаю.</p>\n");
const std::string kChinese = repeated("<p>我能吞下玻璃而不伤身体。天地玄黄，宇宙洪荒，日月盈昃，辰宿列张。</p>\n");
const std::string kCyrillicBytes = repeated("<p>\xF1\xFA\xE5\xF8\xFC \xE6\xE5 \xE5\xF9\xB8 \xFD\xF2\xE8\xF5</p>\n");
const std::string kChineseBytes = repeated("<p>\xD6\xD0\xCE\xC4\xD6\xD0\xCE\xC4\xD6\xD0\xCE\xC4\xD6\xD0\xCE\xC4</p>\n");

void report(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

void validate(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(is_valid_utf8(text));
  report(state, text);
}
BENCHMARK_CAPTURE(validate, english, kEnglish);
BENCHMARK_CAPTURE(validate, russian, kRussian);
BENCHMARK_CAPTURE(validate, chinese, kChinese);

void decode(benchmark::State& state, const std::string& text, std::string_view label) {
  for (auto _ : state) benchmark::DoNotOptimize(decode_text(text, label, true));
  report(state, text);
}
BENCHMARK_CAPTURE(decode, utf8_english, kEnglish, "utf-8");
BENCHMARK_CAPTURE(decode, utf8_russian, kRussian, "utf-8");
BENCHMARK_CAPTURE(decode, utf8_chinese, kChinese, "utf-8");
BENCHMARK_CAPTURE(decode, windows_1251, kCyrillicBytes, "windows-1251");
BENCHMARK_CAPTURE(decode, gbk, kChineseBytes, "gbk");

// Without a label: prescan, and a guess at a sample.
BENCHMARK_CAPTURE(decode, guess_utf8, kRussian, "");
BENCHMARK_CAPTURE(decode, guess_windows_1251, kCyrillicBytes, "");
BENCHMARK_CAPTURE(decode, guess_gbk, kChineseBytes, "");

}  // namespace
}  // namespace outrider
