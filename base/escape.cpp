#include "base/escape.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace outrider {
namespace {

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
    const std::size_t start = at;
    const std::optional<char32_t> code = decode_code_point(text, at);
    const std::string_view bytes = text.substr(start, at - start);
    if (!code) {
      for (const char byte : bytes)
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
    } else if (is_invisible(*code)) {
      append_invisible(out, *code);
    } else {
      if (escape_quotes && (*code == U'"' || *code == U'\\')) out += '\\';
      out += bytes;
    }
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
    const std::optional<char32_t> code = decode_code_point(text, at);
    if (!code || is_invisible(*code)) return false;
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
    const std::size_t start = at;
    const std::optional<char32_t> code = decode_code_point(text, at);
    if (!code) {
      append_utf8(out, kReplacementCharacter);
    } else if (*code == U'"' || *code == U'\\') {
      out += '\\';
      out += text[start];
    } else if (is_invisible(*code)) {
      append_json_escape(out, *code);
    } else {
      out += text.substr(start, at - start);
    }
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
