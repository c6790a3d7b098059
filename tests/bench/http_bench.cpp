// What one exchange costs in base/http_*: a browser's request in, the same request out again; a response head; bodies.
// Parser and output are reused from message to message, as a session does.
#include "base/http_codec.hpp"
#include "base/http_validator.hpp"
#include "base/http_writer.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

namespace {

using namespace outrider;

// 617 bytes, as Chromium sends it to a proxy.
constexpr std::string_view kRequest =
    "GET http://www.example.com/articles/2024/05/some-story?ref=home HTTP/1.1\r\n"
    "Host: www.example.com\r\n"
    "Proxy-Connection: keep-alive\r\n"
    "Upgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 "
    "Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n"
    "Referer: http://www.example.com/\r\n"
    "Accept-Encoding: gzip, deflate, br\r\n"
    "Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\n"
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; consent=1\r\n"
    "If-None-Match: \"5f3e-61a2b3c4d5e6f\"\r\n"
    "Cache-Control: max-age=0\r\n"
    "\r\n";

constexpr std::string_view kResponse =
    "HTTP/1.1 200 OK\r\n"
    "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
    "Server: Apache/2.4.57 (Debian)\r\n"
    "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT\r\n"
    "ETag: \"5f3e-61a2b3c4d5e6f\"\r\n"
    "Accept-Ranges: bytes\r\n"
    "Content-Length: 0\r\n"
    "Cache-Control: public, max-age=3600\r\n"
    "Vary: Accept-Encoding\r\n"
    "Content-Type: text/html; charset=utf-8\r\n"
    "Strict-Transport-Security: max-age=31536000; includeSubDomains\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Connection: keep-alive\r\n"
    "\r\n";

template <class Parser>
std::size_t read_message(benchmark::State& state, Parser& parser, std::string_view input) {
  std::size_t body = 0;
  while (true) {
    const auto step = parser.feed(input);
    if (!step) {
      state.SkipWithError("refused");
      return 0;
    }
    input.remove_prefix(step->consumed);
    body += step->body.size();
    if (step->event == ParseEvent::done) return body;
    if (step->event == ParseEvent::need_more && input.empty()) return body;
  }
}

void RequestParseValidateWrite(benchmark::State& state) {
  RequestParser parser;
  std::string out;
  for (auto _ : state) {
    parser.reset();
    out.clear();
    read_message(state, parser, kRequest);
    write_request_head(out, parser.head(), parser.head().target);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kRequest.size()));
}
BENCHMARK(RequestParseValidateWrite);

void RequestValidateOnly(benchmark::State& state) {
  RequestParser parser;
  read_message(state, parser, kRequest);
  for (auto _ : state) benchmark::DoNotOptimize(validate_request(parser.head()));
}
BENCHMARK(RequestValidateOnly);

void RequestWriteOnly(benchmark::State& state) {
  RequestParser parser;
  read_message(state, parser, kRequest);
  std::string out;
  for (auto _ : state) {
    out.clear();
    write_request_head(out, parser.head(), parser.head().target);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(RequestWriteOnly);

void ResponseParseValidateWrite(benchmark::State& state) {
  ResponseParser parser;
  std::string out;
  for (auto _ : state) {
    parser.reset();
    out.clear();
    read_message(state, parser, kResponse);
    write_response_head(out, parser.head());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kResponse.size()));
}
BENCHMARK(ResponseParseValidateWrite);

// 16 MB in chunks of the given size, read through a 64 KB buffer.
void ChunkedBody(benchmark::State& state) {
  const auto chunk = static_cast<std::size_t>(state.range(0));
  const std::string data(chunk, 'x');
  std::string body = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::size_t sent = 0; sent < (16u << 20); sent += chunk) {
    write_chunk_start(body, chunk);
    body += data;
    body += "\r\n";
  }
  write_last_chunk(body, {});
  ResponseParser parser;
  for (auto _ : state) {
    parser.reset();
    std::size_t size = 0;
    for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min<std::size_t>(rest.size(), 65536)))
      size += read_message(state, parser, rest.substr(0, 65536));
    if (size < (16u << 20)) state.SkipWithError("body lost");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
}
BENCHMARK(ChunkedBody)->Arg(256)->Arg(4096)->Arg(16384)->Unit(benchmark::kMillisecond);

}  // namespace
