// Takes the chunked transfer coding apart (RFC 9112 section 7.1), up to and including the line of the last chunk; the
// trailer section behind it is the owner's. Strict: a size is 1 to 16 hexadecimal digits followed by CRLF or by ";" and
// extensions, which are counted and ignored. The verdict does not depend on how the bytes are split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace outrider {

struct ChunkStep {
  enum class Event : std::uint8_t { need_more, data, last_chunk, refused };
  Event event = Event::need_more;
  std::size_t consumed = 0;  // framing and data
  std::string_view data;     // view into the input
  std::string_view why;      // with Event::refused
};

class ChunkedDecoder {
 public:
  void restart(std::size_t extension_limit);  // for all extensions of one body
  ChunkStep next(std::string_view input);

 private:
  enum class At : std::uint8_t { size, extension, size_lf, data, data_cr, data_lf };

  std::uint64_t remaining_ = 0;  // of the current chunk
  std::size_t extension_budget_ = 0;
  unsigned digits_ = 0;
  At at_ = At::size;
};

}  // namespace outrider
