#include "base/url_ip.hpp"

#include "base/url_percent.hpp"

#include <algorithm>
#include <charconv>

namespace outrider {
namespace {

// The IPv4 number parser. Values are capped: whatever does not fit 32 bits is out of range anyway.
std::optional<std::uint64_t> parse_ipv4_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  unsigned radix = 10;
  if (text.size() >= 2 && text[0] == '0') {
    const bool hex = text[1] == 'x' || text[1] == 'X';
    radix = hex ? 16 : 8;
    text.remove_prefix(hex ? 2 : 1);
  }
  constexpr std::uint64_t kCap = 1ULL << 32;
  std::uint64_t value = 0;
  for (char c : text) {
    const int digit = hex_value(c);
    if (digit < 0 || static_cast<std::uint64_t>(digit) >= radix) return std::nullopt;
    value = std::min(value * radix + static_cast<std::uint64_t>(digit), kCap);
  }
  return value;
}

// The embedded IPv4 address of "::ffff:1.2.3.4": four plain decimal numbers. Moves `at` behind it.
bool parse_embedded_ipv4(std::string_view text, std::size_t& at, Ipv6Pieces& pieces, std::size_t& index) {
  unsigned numbers = 0;
  while (at < text.size()) {
    if (numbers > 0) {
      if (text[at] != '.' || numbers >= 4) return false;
      ++at;
    }
    if (at >= text.size() || !is_ascii_digit(text[at])) return false;
    unsigned value = hex_value(text[at++]);
    for (; at < text.size() && is_ascii_digit(text[at]); ++at) {
      if (value == 0) return false;  // leading zero
      value = value * 10 + hex_value(text[at]);
      if (value > 255) return false;
    }
    pieces[index] = static_cast<std::uint16_t>(pieces[index] * 0x100U + value);
    ++numbers;
    if (numbers == 2 || numbers == 4) ++index;
  }
  return numbers == 4;
}

// First of the longest runs of zero pieces that are longer than one; 8 if there is none.
std::size_t compressed_piece_index(const Ipv6Pieces& pieces) {
  std::size_t longest = 8, longest_size = 1;
  for (std::size_t i = 0; i < 8;) {
    std::size_t end = i;
    while (end < 8 && pieces[end] == 0) ++end;
    if (end - i > longest_size) {
      longest = i;
      longest_size = end - i;
    }
    i = end + 1;
  }
  return longest;
}

void append_number(std::string& out, unsigned value, int radix) {
  char digits[12];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value, radix).ptr);
}

}  // namespace

bool ends_in_number(std::string_view ascii) {
  if (ascii.back() == '.') ascii.remove_suffix(1);
  const std::string_view last = ascii.substr(ascii.rfind('.') + 1);
  if (last.empty() || !is_ascii_digit(last[0])) return false;  // quick: most names end here
  return std::all_of(last.begin(), last.end(), is_ascii_digit) || parse_ipv4_number(last).has_value();
}

std::optional<std::uint32_t> parse_ipv4(std::string_view ascii) {
  if (ascii.size() > 1 && ascii.back() == '.') ascii.remove_suffix(1);
  std::array<std::uint64_t, 4> numbers{};
  std::size_t count = 0;
  for (bool more = true; more;) {
    if (count == 4) return std::nullopt;
    const std::size_t dot = ascii.find('.');
    more = dot != std::string_view::npos;
    const std::optional<std::uint64_t> number = parse_ipv4_number(ascii.substr(0, dot));
    if (!number) return std::nullopt;
    numbers[count++] = *number;
    if (more) ascii.remove_prefix(dot + 1);
  }
  for (std::size_t i = 0; i + 1 < count; ++i)
    if (numbers[i] > 255) return std::nullopt;
  if (numbers[count - 1] >= 1ULL << (8 * (5 - count))) return std::nullopt;  // the last number fills the rest
  std::uint64_t address = numbers[count - 1];
  for (std::size_t i = 0; i + 1 < count; ++i) address += numbers[i] << (8 * (3 - i));
  return static_cast<std::uint32_t>(address);
}

void append_ipv4(std::string& out, std::uint32_t address) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    append_number(out, (address >> shift) & 0xFF, 10);
    if (shift > 0) out.push_back('.');
  }
}

std::optional<Ipv6Pieces> parse_ipv6(std::string_view text) {
  Ipv6Pieces pieces{};
  std::size_t index = 0, at = 0;
  std::optional<std::size_t> compress;
  if (text.starts_with(':')) {
    if (!text.starts_with("::")) return std::nullopt;
    at = 2;
    compress = ++index;
  }
  while (at < text.size()) {
    if (index == 8) return std::nullopt;
    if (text[at] == ':') {
      if (compress) return std::nullopt;
      ++at;
      compress = ++index;
      continue;
    }
    unsigned value = 0, length = 0;
    for (; length < 4 && at < text.size() && is_ascii_hex_digit(text[at]); ++at, ++length)
      value = value * 16 + hex_value(text[at]);
    if (at < text.size() && text[at] == '.') {
      if (length == 0 || index > 6) return std::nullopt;
      at -= length;
      if (!parse_embedded_ipv4(text, at, pieces, index)) return std::nullopt;
      break;
    }
    if (at < text.size()) {
      if (text[at] != ':' || at + 1 == text.size()) return std::nullopt;
      ++at;
    }
    pieces[index++] = static_cast<std::uint16_t>(value);
  }
  if (compress) {
    std::size_t swaps = index - *compress;
    for (index = 7; index != 0 && swaps > 0; --index, --swaps) std::swap(pieces[index], pieces[*compress + swaps - 1]);
  } else if (index != 8) {
    return std::nullopt;
  }
  return pieces;
}

void append_ipv6(std::string& out, const Ipv6Pieces& pieces) {
  const std::size_t compress = compressed_piece_index(pieces);
  out.push_back('[');
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == compress) {
      out.append(i == 0 ? "::" : ":");
      while (i < 8 && pieces[i] == 0) ++i;
      if (i == 8) break;
    }
    append_number(out, pieces[i], 16);
    if (i != 7) out.push_back(':');
  }
  out.push_back(']');
}

}  // namespace outrider
