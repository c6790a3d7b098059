// Chunked bodies: decoding does not depend on how the bytes are split, what was decoded and encoded again decodes to
// the same, and whatever data we encode comes back. The first byte seeds the splitting.
#include "base/http_chunked.hpp"
#include "base/http_writer.hpp"
#include "tests/fuzz/require.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace {

using namespace outrider;

struct Outcome {
  std::string data;
  ChunkStep::Event end = ChunkStep::Event::need_more;
  std::size_t consumed = 0;  // up to the last chunk; only then it is comparable
  bool operator==(const Outcome&) const = default;
};

// In pieces of random size if there is a seed; each piece lies in a buffer of its own.
Outcome decode(std::string_view wire, std::optional<unsigned> seed = {}) {
  ChunkedDecoder decoder;
  decoder.restart(64);
  Outcome outcome;
  std::size_t total = 0;
  while (!wire.empty()) {
    std::size_t size = wire.size();
    if (seed) {
      *seed = *seed * 1664525u + 1013904223u;
      size = std::min<std::size_t>(size, 1 + (*seed >> 16) % 7);
    }
    const std::unique_ptr<char[]> exact{new char[size]};
    std::memcpy(exact.get(), wire.data(), size);
    std::string_view piece{exact.get(), size};
    while (true) {
      const ChunkStep step = decoder.next(piece);
      require(step.consumed <= piece.size());
      outcome.data += step.data;
      total += step.consumed;
      piece.remove_prefix(step.consumed);
      outcome.end = step.event;
      if (step.event != ChunkStep::Event::data) break;
      require(!step.data.empty());
    }
    if (outcome.end == ChunkStep::Event::last_chunk) outcome.consumed = total;
    if (outcome.end != ChunkStep::Event::need_more) return outcome;
    require(piece.empty());
    wire.remove_prefix(size);
  }
  return outcome;
}

std::string encode(std::string_view data, std::size_t chunk) {
  std::string wire;
  for (; !data.empty(); data.remove_prefix(std::min(chunk, data.size()))) {
    const std::string_view piece = data.substr(0, chunk);
    write_chunk_start(wire, piece.size());
    wire += piece;
    wire += "\r\n";
  }
  wire += "0\r\n";
  return wire;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view wire{reinterpret_cast<const char*>(data) + 1, size - 1};
  const Outcome whole = decode(wire);
  require(whole == decode(wire, data[0]));
  if (whole.end == ChunkStep::Event::last_chunk) require(decode(encode(whole.data, 5)).data == whole.data);

  const std::string encoded = encode(wire, 1 + data[0] % 40);
  const Outcome back = decode(encoded, data[0] + 1u);
  require(back.data == wire && back.end == ChunkStep::Event::last_chunk && back.consumed == encoded.size());
  return 0;
}
