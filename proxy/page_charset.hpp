// In which encodings a page can be changed: those in which markup is ASCII and ASCII is nothing else (UTF-8,
// windows-125x, ISO-8859-x, Shift_JIS, GBK …). In the others (UTF-16, ISO-2022-JP …) nothing can be found byte by byte.
#pragma once

#include "base/html_tokens.hpp"

#include <string>
#include <string_view>

namespace outrider {

// By a label as it stands in Content-Type or <meta>. A label that nobody knows does not count in a browser either, so
// the page is in some ordinary encoding.
bool is_ascii_compatible(std::string_view label);
bool is_utf8_label(std::string_view label);

// What <meta charset> or <meta http-equiv=content-type> says; "" = nothing (HTML standard, section 13.2.3.2).
std::string charset_of_meta(const HtmlTag& meta);

}  // namespace outrider
