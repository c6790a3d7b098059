// From the bytes of a text to UTF-8: which encoding it has, and what it says. By the Encoding Standard and the encoding
// sniffing algorithm of HTML (section 13.2.3.2), with a guess (uchardet) where nobody said anything.
//
//   charset_labels     names        charset_prescan   BOM, <meta>, XML declaration
//   charset_detect     guess        charset_decoders  bytes to UTF-8, with the tables of charset_index
#pragma once

#include "base/charset_labels.hpp"

#include <string>
#include <string_view>

namespace outrider {

// Who said it, in the order in which they are believed.
enum class CharsetSource : std::uint8_t {
  byte_order_mark,
  http,      // charset of Content-Type
  declared,  // <meta> or XML declaration
  detected,  // by the bytes
  fallback,  // nobody: windows-1252
};
std::string_view to_string(CharsetSource source);  // "bom", "http", "meta", "detected", "default"

struct DecodedText {
  std::string utf8;     // well-formed, without byte order mark; U+FFFD for what the encoding does not allow
  std::string charset;  // the standard's name
  CharsetSource source = CharsetSource::fallback;
};

struct CharsetVerdict {
  Encoding encoding = Encoding::windows_1252;
  CharsetSource source = CharsetSource::fallback;
  std::size_t text_begin = 0;  // behind a byte order mark
};
// `content_type_charset` is the label as it stands there; empty or unknown ones say nothing. `bytes` should be the
// whole text: a guess looks at what is not ASCII, wherever it comes.
CharsetVerdict find_charset_of(std::string_view bytes, std::string_view content_type_charset, bool is_html);

DecodedText decode_text(std::string_view bytes, std::string_view content_type_charset, bool is_html);
// The same. What is UTF-8 already, as most is, is not copied.
DecodedText decode_text(std::string&& bytes, std::string_view content_type_charset, bool is_html);

}  // namespace outrider
