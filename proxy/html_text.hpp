// Untrusted text on its way into an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace outrider {

// For element content and for double-quoted attribute values. Markup becomes inert; what is invisible, malformed or
// reorders the text is shown as an escape, so that a host name cannot pretend to be another one.
void append_html_text(std::string& out, std::string_view text);
std::string html_text(std::string_view text);

}  // namespace outrider
