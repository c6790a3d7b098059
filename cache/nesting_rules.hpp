// What the tree builder of the HTML standard does with an element, as far as it matters to pages whose elements lie in
// each other as they should. Neighbour: nested_page.
#pragma once

#include "base/html_name.hpp"

#include <cstdint>

namespace outrider {

// HTML standard, section 13.2.6.
enum class NestingKind : std::uint8_t {
  ordinary,    // <span>
  empty,       // <wbr>: has no content
  rule,        // <hr>: likewise, and ends a paragraph
  formatting,  // <b>: what it is closed too early by reopens it
  block,       // <div>: "special", ends a paragraph
  heading,
  item,      // <li>, <dt>, <dd>: end each other
  raw,       // its content is text to the tokenizer: <textarea>
  special,   // and nothing else: <noscript>
  boundary,  // special, and nothing inside reaches beyond it: <td>, <object>
  form,
  button,
  select,
  svg,
  table,
  table_part,  // <tr> and others that have no text of their own
  root,        // <html>, <head>
  strange,     // rare, and not worth the rules that it has
};

NestingKind nesting_kind(HtmlNameKey element);

// It ends an <svg> around it, or begins HTML inside (section 13.2.6.5).
bool leaves_svg(HtmlNameKey element);

}  // namespace outrider
