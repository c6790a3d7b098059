// Character references (&amp; &#233; &notin;) and the rest of what lies between the bytes of a page and the text that
// they mean: line ends and NULs. HTML standard, sections 13.2.3.5 and 13.2.5.72 to 13.2.5.80. The tokenizer
// (html_tokenizer.hpp) never decodes; whoever wants the text of a token asks for it and pays then.
// Bytes are taken for UTF-8. Ill-formed sequences pass as they are: making UTF-8 of a page is the business of whoever
// knows its charset.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace outrider {

enum class HtmlContext : bool { text, attribute };

struct HtmlReference {
  std::size_t length = 0;  // bytes, "&" included; 0: the "&" stands for itself
  char32_t first = 0;
  char32_t second = 0;  // 0: there is only one
};

// `input` begins with "&". The longest name counts; in an attribute a name without ";" does not count in front of "="
// and letters or digits, so that ?a=1&copy=2 survives.
HtmlReference match_html_reference(std::string_view input, HtmlContext context);

// A numeric reference may have any number of leading zeros. One longer than this is taken literally, which bounds what
// has to be kept when a chunk ends inside a reference.
inline constexpr std::size_t kLongestHtmlReference = 1024;

struct HtmlDecoding {
  bool references = false;
  HtmlContext context = HtmlContext::text;
  bool replace_nul = true;  // by U+FFFD
};

// The text that `raw` means. A view of `raw` if nothing is to be done, otherwise of `scratch`, which is overwritten.
std::string_view decode_html(std::string_view raw, HtmlDecoding decoding, std::string& scratch);

// How much of `raw` can be decoded without knowing what follows: all of it but a CR, a reference or a UTF-8 sequence at
// its end that may not be complete.
std::size_t decodable_prefix(std::string_view raw, bool references);

}  // namespace outrider
