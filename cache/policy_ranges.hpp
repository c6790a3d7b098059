// Range, Content-Range (RFC 9110 section 14) as values.
#pragma once

#include "base/http_headers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
  std::uint64_t length() const { return last - first + 1; }
  bool operator==(const ByteRange&) const = default;
};

// What a Range field asks of a representation of that many bytes.
struct RangeAnswer {
  enum class Kind : std::uint8_t {
    ignored,        // not a byte range, wrong, or several that do not make one: answer with the whole
    one,            // `range`; several ranges that touch count as one
    unsatisfiable,  // 416
  };
  Kind kind = Kind::ignored;
  ByteRange range;
};
RangeAnswer resolve_range(std::string_view range_field, std::uint64_t complete_length);

struct ContentRange {
  ByteRange range;
  std::optional<std::uint64_t> complete_length;  // nothing: "*"
};
// "bytes 0-4/10"; nothing if it is invalid or of another unit.
std::optional<ContentRange> parse_content_range(std::string_view text);
// Several ranges in an envelope of their own (RFC 9110 section 14.6): its bytes are not those of the representation.
bool is_multipart(const HeaderMap& response);
std::string format_content_range(ByteRange range, std::uint64_t complete_length);  // "bytes 0-4/10"
std::string format_unsatisfied_range(std::uint64_t complete_length);               // "bytes */10"

}  // namespace outrider
