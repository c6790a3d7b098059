#include "base/html_tokens.hpp"

#include "base/html_charrefs.hpp"

namespace outrider {
namespace {

// Names are lower case whatever the page says, and have no references (sections 13.2.5.8 and 13.2.5.33).
std::string decoded_name(std::string_view raw) {
  std::string scratch;
  std::string name{decode_html(raw, {}, scratch)};
  for (char& c : name) c = html_lower(c);
  return name;
}

}  // namespace

std::string_view HtmlText::decoded(std::string& scratch) const {
  HtmlDecoding decoding;
  decoding.references = content == HtmlContent::data || content == HtmlContent::rcdata;
  decoding.replace_nul = content != HtmlContent::data && content != HtmlContent::cdata;
  return decode_html(characters, decoding, scratch);
}

std::string HtmlTag::name() const {
  return decoded_name(raw_name());
}

std::string HtmlTag::name(const HtmlAttribute& attribute) const {
  return decoded_name(raw_name(attribute));
}

std::string_view HtmlTag::value(const HtmlAttribute& attribute, std::string& scratch) const {
  return decode_html(raw_value(attribute), {.references = true, .context = HtmlContext::attribute}, scratch);
}

const HtmlAttribute* HtmlTag::find(std::string_view attribute_name) const {
  for (const HtmlAttribute& attribute : attributes)
    if (same_html_name(raw_name(attribute), attribute_name)) return &attribute;
  return nullptr;
}

std::string_view HtmlComment::decoded(std::string& scratch) const {
  return decode_html(characters, {}, scratch);
}

std::string HtmlDoctype::name_text() const {
  return decoded_name(raw_of(name));
}

std::string HtmlDoctype::text(const Range& identifier) const {
  std::string scratch;
  return std::string{decode_html(raw_of(identifier), {}, scratch)};
}

}  // namespace outrider
