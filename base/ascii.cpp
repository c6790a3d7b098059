#include "base/ascii.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace outrider {
namespace {

// Eight bytes with A-Z made lower case; every other byte keeps its value.
std::uint64_t lower_word(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  const std::uint64_t low_bits = word & ~kHigh;
  const std::uint64_t from_a = low_bits + kOnes * (0x80 - 'A');
  const std::uint64_t beyond_z = low_bits + kOnes * (0x7f - 'Z');
  const std::uint64_t upper = (from_a ^ beyond_z) & ~word & kHigh;
  return word | (upper >> 2);
}

bool equal_words(const char* a, const char* b) {
  std::uint64_t x, y;
  std::memcpy(&x, a, 8);
  std::memcpy(&y, b, 8);
  return lower_word(x) == lower_word(y);
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const std::size_t n = a.size();
  if (n != b.size()) return false;
  if (n >= 8) {  // whole words, the last of which may overlap the one before
    for (std::size_t at = 0; at + 8 <= n; at += 8)
      if (!equal_words(a.data() + at, b.data() + at)) return false;
    return equal_words(a.data() + n - 8, b.data() + n - 8);
  }
  for (std::size_t at = 0; at < n; ++at)
    if (to_ascii_lower(a[at]) != to_ascii_lower(b[at])) return false;
  return true;
}

}  // namespace outrider
