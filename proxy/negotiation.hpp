// In which form a client wants to be told something: by its Accept field (RFC 9110 section 12.5.1).
#pragma once

#include <cstdint>
#include <string_view>

namespace outrider {

enum class AnswerForm : std::uint8_t { text, html, json };

// HTML and JSON go only to those who name them: browsers name text/html, programs that read JSON name application/json
// or application/problem+json. Whoever accepts just anything (curl, images, scripts) or nothing of ours gets plain
// text. Weights decide between forms that are named; between equals HTML comes before JSON, and JSON before text.
AnswerForm preferred_form(std::string_view accept);

}  // namespace outrider
