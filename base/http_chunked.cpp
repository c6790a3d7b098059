#include "base/http_chunked.hpp"

#include "base/http_chars.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr unsigned kMaxDigits = 16;
constexpr std::uint64_t kMaxChunk = (std::uint64_t{1} << 63) - 1;

}  // namespace

void ChunkedDecoder::restart(std::size_t extension_limit) {
  *this = ChunkedDecoder{};
  extension_budget_ = extension_limit;
}

ChunkStep ChunkedDecoder::next(std::string_view input) {
  using Event = ChunkStep::Event;
  std::size_t at = 0;
  const auto refused = [&](std::string_view why) { return ChunkStep{Event::refused, at, {}, why}; };

  while (at < input.size()) {
    const char c = input[at];
    switch (at_) {
      case At::size:
        if (const int digit = hex_value(c); digit >= 0) {
          if (++digits_ > kMaxDigits) return refused("a chunk size has too many digits");
          remaining_ = remaining_ << 4 | static_cast<unsigned>(digit);
          if (remaining_ > kMaxChunk) return refused("a chunk size is too large");
        } else if (digits_ == 0 || (c != '\r' && c != ';')) {
          return refused("a chunk size is not a hexadecimal number");
        } else if (c == ';') {
          at_ = At::extension;
          continue;  // the semicolon counts
        } else {
          at_ = At::size_lf;
        }
        ++at;
        break;
      case At::extension: {
        const char* begin = input.data() + at;
        const char* stop = skip_text(begin, input.data() + input.size());
        if (stop == begin && c == '\t') ++stop;
        if (static_cast<std::size_t>(stop - begin) > extension_budget_)
          return refused("the chunk extensions are too long");
        if (stop == begin && c != '\r') return refused("a control byte in a chunk extension");
        extension_budget_ -= static_cast<std::size_t>(stop - begin);
        at += static_cast<std::size_t>(stop - begin);
        if (stop == begin) {
          at_ = At::size_lf;
          ++at;
        }
        break;
      }
      case At::size_lf:
        if (c != '\n') return refused("CR without LF behind a chunk size");
        ++at;
        digits_ = 0;
        at_ = At::data;
        if (remaining_ == 0) return {Event::last_chunk, at, {}, {}};
        break;
      case At::data: {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size() - at));
        remaining_ -= size;
        if (remaining_ == 0) at_ = At::data_cr;
        return {Event::data, at + size, input.substr(at, size), {}};
      }
      case At::data_cr:
        if (c != '\r') return refused("chunk data is longer than its size says");
        ++at;
        at_ = At::data_lf;
        break;
      case At::data_lf:
        if (c != '\n') return refused("CR without LF behind chunk data");
        ++at;
        at_ = At::size;
        break;
    }
  }
  return {Event::need_more, at, {}, {}};
}

}  // namespace outrider
