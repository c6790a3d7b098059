#include "base/html_content_model.hpp"

#include "base/html_charrefs.hpp"

#include <string>

namespace outrider {
namespace {

constexpr std::size_t kDeepest = 512;

constexpr HtmlNameKey key_of(std::string_view name) {
  return html_name_key(name);
}

// Lists of names.
// clang-format off
bool is_void(HtmlNameKey key) {
  switch (key) {
    case key_of("area"): case key_of("base"): case key_of("br"): case key_of("col"): case key_of("embed"):
    case key_of("hr"): case key_of("img"): case key_of("input"): case key_of("link"): case key_of("meta"):
    case key_of("source"): case key_of("track"): case key_of("wbr"):
      return true;
    default:
      return false;
  }
}

// Start tags that end SVG and MathML (section 13.2.6.5).
bool breaks_out(const HtmlTag& tag) {
  switch (tag.key) {
    case key_of("b"): case key_of("big"): case key_of("blockquote"): case key_of("body"): case key_of("br"):
    case key_of("center"): case key_of("code"): case key_of("dd"): case key_of("div"): case key_of("dl"):
    case key_of("dt"): case key_of("em"): case key_of("embed"): case key_of("h1"): case key_of("h2"):
    case key_of("h3"): case key_of("h4"): case key_of("h5"): case key_of("h6"): case key_of("head"):
    case key_of("hr"): case key_of("i"): case key_of("img"): case key_of("li"): case key_of("listing"):
    case key_of("menu"): case key_of("meta"): case key_of("nobr"): case key_of("ol"): case key_of("p"):
    case key_of("pre"): case key_of("ruby"): case key_of("s"): case key_of("small"): case key_of("span"):
    case key_of("strong"): case key_of("strike"): case key_of("sub"): case key_of("sup"): case key_of("table"):
    case key_of("tt"): case key_of("u"): case key_of("ul"): case key_of("var"):
      return true;
    case key_of("font"):
      return tag.find("color") != nullptr || tag.find("face") != nullptr || tag.find("size") != nullptr;
    default:
      return false;
  }
}

// End tags of HTML elements that people put around a picture. Found inside <svg> without an element of that name open
// there, one closes the element around the picture, and the picture with it.
bool closes_around(HtmlNameKey key) {
  switch (key) {
    case key_of("a"): case key_of("article"): case key_of("aside"): case key_of("button"): case key_of("center"):
    case key_of("dd"): case key_of("div"): case key_of("dl"): case key_of("dt"): case key_of("figure"):
    case key_of("footer"): case key_of("form"): case key_of("h1"): case key_of("h2"): case key_of("h3"):
    case key_of("h4"): case key_of("h5"): case key_of("h6"): case key_of("header"): case key_of("label"):
    case key_of("li"): case key_of("main"): case key_of("nav"): case key_of("ol"): case key_of("section"):
    case key_of("span"): case key_of("table"): case key_of("td"): case key_of("th"): case key_of("tr"):
    case key_of("ul"):
      return true;
    default:
      return false;
  }
}
// clang-format on

bool is_mathml_text(HtmlNameKey key) {
  return key == key_of("mi") || key == key_of("mo") || key == key_of("mn") || key == key_of("ms") ||
         key == key_of("mtext");
}

bool is_svg_with_html(HtmlNameKey key) {
  return key == key_of("foreignobject") || key == key_of("desc") || key == key_of("title");
}

bool declares_html(const HtmlTag& annotation) {
  const HtmlAttribute* encoding = annotation.find("encoding");
  if (encoding == nullptr) return false;
  std::string scratch;
  const std::string_view value = annotation.value(*encoding, scratch);
  return same_html_name(value, "text/html") || same_html_name(value, "application/xhtml+xml");
}

}  // namespace

HtmlContent HtmlContentModel::html_content(HtmlNameKey key) const {
  switch (key) {
    case key_of("title"):
    case key_of("textarea"):
      return HtmlContent::rcdata;
    case key_of("style"):
    case key_of("xmp"):
    case key_of("iframe"):
    case key_of("noembed"):
    case key_of("noframes"):
      return HtmlContent::rawtext;
    case key_of("noscript"):
      return scripting_ ? HtmlContent::rawtext : HtmlContent::data;
    case key_of("script"):
      return HtmlContent::script;
    case key_of("plaintext"):
      return HtmlContent::plaintext;
    default:
      return HtmlContent::data;
  }
}

HtmlContent HtmlContentModel::start_tag_near_foreign(const HtmlTag& tag) {
  if (!foreign_.empty() && !foreign_.back().holds_html && breaks_out(tag)) leave_to_html();
  if (foreign_.empty()) {
    if (begins_foreign(tag.key)) open(tag, tag.key == key_of("svg"));
    return html_content(tag.key);
  }
  Foreign& parent = foreign_.back();
  const bool glyph = tag.key == key_of("mglyph") || tag.key == key_of("malignmark");
  const bool in_html = parent.holds_html && !(parent.is_text_point && parent.html_depth == 0 && glyph);
  const bool picture_in_annotation = !parent.svg && parent.key == key_of("annotation-xml") && tag.key == key_of("svg");
  if (!in_html && !picture_in_annotation) {
    open(tag, parent.svg);
    return HtmlContent::data;
  }
  if (begins_foreign(tag.key)) {
    open(tag, tag.key == key_of("svg"));
    return HtmlContent::data;
  }
  const HtmlContent content = html_content(tag.key);
  if (!is_void(tag.key)) ++parent.html_depth;
  return content;
}

bool HtmlContentModel::closes_itself(const HtmlTag& tag) const {
  if (!tag.self_closing) return false;
  if (begins_foreign(tag.key)) return true;
  if (foreign_.empty()) return false;
  const Foreign& parent = foreign_.back();
  if (!parent.holds_html) return !breaks_out(tag);
  const bool glyph = tag.key == key_of("mglyph") || tag.key == key_of("malignmark");
  return parent.is_text_point && parent.html_depth == 0 && glyph;
}

void HtmlContentModel::open(const HtmlTag& tag, bool svg) {
  if (tag.self_closing) return;
  if (foreign_.size() >= kDeepest) {
    ++too_deep_;
    return;
  }
  Foreign element{.key = tag.key, .svg = svg};
  element.is_text_point = !svg && is_mathml_text(tag.key);
  element.holds_html = svg ? is_svg_with_html(tag.key)
                           : element.is_text_point || (tag.key == key_of("annotation-xml") && declares_html(tag));
  foreign_.push_back(element);
}

void HtmlContentModel::leave_to_html() {
  while (!foreign_.empty() && !foreign_.back().holds_html) foreign_.pop_back();
  too_deep_ = 0;
}

void HtmlContentModel::end_tag_in_foreign(HtmlNameKey key) {
  if (too_deep_ > 0) {
    --too_deep_;
    return;
  }
  Foreign& current = foreign_.back();
  if (current.holds_html && key != current.key && current.html_depth > 0) {
    --current.html_depth;  // of something inside
    return;
  }
  // The innermost element of this name, but not beyond one that HTML may be open in.
  for (std::size_t i = foreign_.size(); i-- > 0;) {
    if (foreign_[i].key == key) {
      foreign_.resize(i);
      return;
    }
    if (foreign_[i].holds_html && foreign_[i].html_depth > 0) break;
  }
  if (!current.holds_html && (key == key_of("p") || key == key_of("br") || closes_around(key))) leave_to_html();
}

}  // namespace outrider
