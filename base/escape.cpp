#include "base/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace outrider {
namespace {

constexpr char32_t kMalformed = 0xFFFFFFFF;

struct Decoded {
  char32_t code;       // kMalformed: not UTF-8 at this place
  std::size_t length;  // bytes consumed, at least one
};

// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
Decoded decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {kMalformed, 1};
  char32_t code = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {kMalformed, 1};
    code = code << 6 | (byte(at + i) & 0x3Fu);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[length] || surrogate || code > 0x10FFFF) return {kMalformed, 1};
  return {code, length};
}

// Control characters (C0, DEL, C1: a terminal obeys U+009B too) and those that reorder, hide or break text.
bool is_invisible(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
         (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

void append_invisible(std::string& out, char32_t code) {
  switch (code) {
    case U'\n':
      out += "\\n";
      return;
    case U'\r':
      out += "\\r";
      return;
    case U'\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto number = static_cast<unsigned>(code);
  if (number < 0x80) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", number);
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", number);
  }
}

void append_visible(std::string& out, std::string_view text, bool escape_quotes) {
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text, at);
    if (next.code == kMalformed) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[at]));
    } else if (is_invisible(next.code)) {
      append_invisible(out, next.code);
    } else {
      if (escape_quotes && (next.code == U'"' || next.code == U'\\')) out += '\\';
      out += text.substr(at, next.length);
    }
    at += next.length;
  }
}

void append_json_escape(std::string& out, char32_t code) {
  const auto unit = [&](unsigned value) { fmt::format_to(std::back_inserter(out), "\\u{:04x}", value); };
  const auto number = static_cast<unsigned>(code);
  if (number < 0x10000) {
    unit(number);
  } else {  // RFC 8259 section 7: a surrogate pair
    unit(0xD800 + ((number - 0x10000) >> 10));
    unit(0xDC00 + ((number - 0x10000) & 0x3FF));
  }
}

}  // namespace

bool is_plain_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text, at);
    if (next.code == kMalformed || is_invisible(next.code)) return false;
    at += next.length;
  }
  return true;
}

void append_escaped(std::string& out, std::string_view text) {
  append_visible(out, text, true);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text);
  out += '"';
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  append_visible(out, text, false);
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text, at);
    if (next.code == kMalformed) {
      out += "\xEF\xBF\xBD";
    } else if (next.code == U'"' || next.code == U'\\') {
      out += '\\';
      out += text[at];
    } else if (is_invisible(next.code)) {
      append_json_escape(out, next.code);
    } else {
      out += text.substr(at, next.length);
    }
    at += next.length;
  }
  out += '"';
}

std::string_view utf8_prefix(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t end = limit;
  // A sequence has at most three continuation bytes; more than that is malformed and may be cut anywhere.
  while (end > 0 && limit - end < 3 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace outrider
