#include "base/html_charrefs.hpp"

#include "base/html_entities_table.hpp"
#include "base/html_scan.hpp"
#include "base/http_chars.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace outrider {
namespace {

using namespace html_entities;

constexpr std::size_t kNone = std::string_view::npos;

constexpr bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr std::string_view name_of(unsigned row) {
  return {kNames + kOffsets[row], static_cast<std::size_t>(kOffsets[row + 1] - kOffsets[row])};
}

// kFirstRow[c] to kFirstRow[c + 1]: the rows whose name begins with c.
constexpr std::array<std::uint16_t, 129> kFirstRow = [] {
  std::array<std::uint16_t, 129> rows{};
  unsigned row = 0;
  for (unsigned c = 0; c < 128; ++c) {
    while (row < kCount && static_cast<unsigned>(kNames[kOffsets[row]]) < c) ++row;
    rows[c] = static_cast<std::uint16_t>(row);
  }
  rows[128] = kCount;
  return rows;
}();

char at_or_nul(std::string_view text, std::size_t at) {
  return at < text.size() ? text[at] : '\0';
}

// Rows [first, last) agree in their first `depth` characters; narrows them to those that go on with `c`. A name that
// ends at `depth` is the first of them, so it sorts before any `c`.
void narrow(unsigned& first, unsigned& last, std::size_t depth, char c) {
  const auto char_at_depth = [depth](unsigned row) {
    const std::string_view name = name_of(row);
    return depth < name.size() ? name[depth] : '\0';
  };
  const auto boundary = [&](char limit) {
    unsigned low = first, high = last;
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      if (char_at_depth(middle) < limit)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  const unsigned begin = boundary(c);
  last = boundary(static_cast<char>(c + 1));
  first = begin;
}

HtmlReference reference_of(unsigned row, std::size_t length) {
  const std::uint32_t value = kValues[row];
  const std::uint32_t second = (value & ~kLegacy) >> kSecondShift;
  return {length, value & ((1U << kSecondShift) - 1), second == 0 ? U'\0' : kSeconds[second - 1]};
}

HtmlReference match_named(std::string_view input, HtmlContext context) {
  const char initial = at_or_nul(input, 1);
  if (!is_alphanumeric(initial)) return {};
  unsigned first = kFirstRow[static_cast<unsigned char>(initial)];
  unsigned last = kFirstRow[static_cast<unsigned char>(initial) + 1];
  HtmlReference best;
  for (std::size_t depth = 1; first < last; ++depth) {
    const char next = at_or_nul(input, 1 + depth);
    if (name_of(first).size() == depth) {
      if (next == ';') return reference_of(first, depth + 2);
      if ((kValues[first] & kLegacy) != 0) best = reference_of(first, depth + 1);
    }
    if (!is_alphanumeric(next)) break;
    narrow(first, last, depth, next);
  }
  if (best.length != 0 && context == HtmlContext::attribute) {
    const char next = at_or_nul(input, best.length);
    if (next == '=' || is_alphanumeric(next)) return {};
  }
  return best;
}

// What pages of the nineties meant by &#128; to &#159;: windows-1252.
constexpr std::array<char16_t, 32> kControlReplacements = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

char32_t character_of_number(std::uint32_t number) {
  if (number == 0 || number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF)) return kReplacementCharacter;
  if (number >= 0x80 && number <= 0x9F) return kControlReplacements[number - 0x80];
  return number;
}

HtmlReference match_numeric(std::string_view input) {
  const bool hexadecimal = (at_or_nul(input, 2) | 0x20) == 'x';
  const std::size_t digits = hexadecimal ? 3 : 2;
  std::size_t at = digits;
  std::uint32_t number = 0;
  for (; at < input.size(); ++at) {
    if (at >= kLongestHtmlReference) return {};
    const int digit = hexadecimal ? hex_value(input[at]) : is_digit(input[at]) ? input[at] - '0' : -1;
    if (digit < 0) break;
    number = std::min<std::uint32_t>(number * (hexadecimal ? 16 : 10) + static_cast<std::uint32_t>(digit), 0x110000);
  }
  if (at == digits) return {};
  if (at_or_nul(input, at) == ';') ++at;
  return {at, character_of_number(number), 0};
}

std::size_t find_special(std::string_view raw, std::size_t from, const HtmlDecoding& decoding) {
  const char* const end = raw.data() + raw.size();
  for (const char* at = raw.data() + from;; ++at) {
    at = html_scan::find_undecoded(at, end);
    if (at == end) return kNone;
    if (*at == '\r' || (*at == '&' && decoding.references) || (*at == '\0' && decoding.replace_nul))
      return static_cast<std::size_t>(at - raw.data());
  }
}

// Where an incomplete UTF-8 sequence at the end begins, or the end.
std::size_t without_partial_character(std::string_view raw) {
  for (std::size_t back = 1; back <= 3 && back <= raw.size(); ++back) {
    const auto byte = static_cast<unsigned char>(raw[raw.size() - back]);
    if (byte < 0x80) break;
    if (byte < 0xC0) continue;
    const std::size_t length = byte >= 0xF5 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return length > back ? raw.size() - back : raw.size();
  }
  return raw.size();
}

// Could "&" and what follows it become a reference, or another one, with more bytes behind it?
bool is_open_reference(std::string_view tail) {
  if (at_or_nul(tail, 1) != '#') {
    return tail.size() - 1 <= kLongestName && std::all_of(tail.begin() + 1, tail.end(), is_alphanumeric);
  }
  tail.remove_prefix(2);
  if (!tail.empty() && (tail[0] | 0x20) == 'x')
    return std::all_of(tail.begin() + 1, tail.end(), [](char c) { return hex_value(c) >= 0; });
  return std::all_of(tail.begin(), tail.end(), is_digit);
}

}  // namespace

HtmlReference match_html_reference(std::string_view input, HtmlContext context) {
  return at_or_nul(input, 1) == '#' ? match_numeric(input) : match_named(input, context);
}

std::string_view decode_html(std::string_view raw, HtmlDecoding decoding, std::string& scratch) {
  std::size_t special = find_special(raw, 0, decoding);
  if (special == kNone) return raw;
  scratch.clear();
  std::size_t done = 0;  // so much of `raw` is in `scratch`
  while (special != kNone) {
    scratch += raw.substr(done, special - done);
    done = special + 1;
    if (raw[special] == '\r') {
      if (at_or_nul(raw, done) != '\n') scratch += '\n';
    } else if (raw[special] == '\0') {
      append_utf8(scratch, kReplacementCharacter);
    } else if (const HtmlReference found = match_html_reference(raw.substr(special), decoding.context);
               found.length == 0) {
      scratch += '&';
    } else {
      append_utf8(scratch, found.first);
      if (found.second != 0) append_utf8(scratch, found.second);
      done = special + found.length;
    }
    special = find_special(raw, done, decoding);
  }
  scratch += raw.substr(done);
  return scratch;
}

std::size_t decodable_prefix(std::string_view raw, bool references) {
  if (raw.empty()) return 0;
  const auto last = static_cast<unsigned char>(raw.back());
  if (last >= 0x80) return without_partial_character(raw);
  if (last == '\r') return raw.size() - 1;
  if (!references) return raw.size();
  const std::size_t window = std::min(raw.size(), kLongestHtmlReference);
  for (std::size_t back = 1; back <= window; ++back) {
    const std::size_t at = raw.size() - back;
    if (raw[at] == '&') return is_open_reference(raw.substr(at)) ? at : raw.size();
    if (!is_alphanumeric(raw[at]) && raw[at] != '#') break;
  }
  return raw.size();
}

}  // namespace outrider
