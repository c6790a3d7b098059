// What the first bytes of a page say about its encoding: byte order mark, <meta>, XML declaration. The HTML standard,
// section 13.2.3.2, and the Encoding Standard, section 6.1 (BOM sniff).
#pragma once

#include "base/charset_labels.hpp"

#include <optional>
#include <string_view>

namespace outrider {

struct ByteOrderMark {
  Encoding encoding;
  std::size_t size;  // bytes that are not text
};
std::optional<ByteOrderMark> sniff_byte_order_mark(std::string_view bytes);

// Browsers look at 1,024 bytes at first, but change their mind when a <meta> comes later: this far.
inline constexpr std::size_t kPrescanBytes = 64 * 1024;

// "Prescan a byte stream to determine its encoding". Nothing: it says nothing.
std::optional<Encoding> prescan_html(std::string_view bytes);

// "Get an XML encoding": <?xml version="1.0" encoding="…"?>
std::optional<Encoding> xml_declared_encoding(std::string_view bytes);

// "Extracting a character encoding from a meta element", from its content attribute: "text/html; charset=…".
std::optional<Encoding> encoding_in_meta_content(std::string_view content);

}  // namespace outrider
