#include "base/charset.hpp"

#include "base/charset_decoders.hpp"
#include "base/charset_detect.hpp"
#include "base/charset_prescan.hpp"
#include "base/utf8.hpp"

#include <utility>

namespace outrider {

std::string_view to_string(CharsetSource source) {
  switch (source) {
    case CharsetSource::byte_order_mark:
      return "bom";
    case CharsetSource::http:
      return "http";
    case CharsetSource::declared:
      return "meta";
    case CharsetSource::detected:
      return "detected";
    case CharsetSource::fallback:
      break;
  }
  return "default";
}

CharsetVerdict find_charset_of(std::string_view bytes, std::string_view content_type_charset, bool is_html) {
  if (const auto mark = sniff_byte_order_mark(bytes))
    return {mark->encoding, CharsetSource::byte_order_mark, mark->size};
  if (const auto told = encoding_for_label(content_type_charset)) return {*told, CharsetSource::http};
  if (const auto declared = is_html ? prescan_html(bytes) : xml_declared_encoding(bytes))
    return {*declared, CharsetSource::declared};
  if (const auto guess = detect_encoding(bytes)) return {*guess, CharsetSource::detected};
  return {};
}

namespace {

DecodedText decode_as(const CharsetVerdict& verdict, std::string_view bytes) {
  DecodedText text{{}, std::string(to_string(verdict.encoding)), verdict.source};
  append_decoded(text.utf8, verdict.encoding, bytes.substr(verdict.text_begin));
  return text;
}

}  // namespace

DecodedText decode_text(std::string_view bytes, std::string_view content_type_charset, bool is_html) {
  return decode_as(find_charset_of(bytes, content_type_charset, is_html), bytes);
}

DecodedText decode_text(std::string&& bytes, std::string_view content_type_charset, bool is_html) {
  const CharsetVerdict verdict = find_charset_of(bytes, content_type_charset, is_html);
  if (verdict.encoding != Encoding::utf_8 || verdict.text_begin != 0 || !is_valid_utf8(bytes))
    return decode_as(verdict, bytes);
  return {std::move(bytes), std::string(to_string(verdict.encoding)), verdict.source};
}

}  // namespace outrider
