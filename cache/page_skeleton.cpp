#include "cache/page_skeleton.hpp"

#include "base/utf8.hpp"

namespace outrider {
namespace {

// As page_scan: nobody runs the scripts.
constexpr HtmlOptions kOptions{.limits = {}, .scripting = false};

// Piece n of the text is the nth character of the private planes 15 and 16. The last two of a plane are no characters,
// and gumbo would replace them. A page has no such character but from us: all of its text is a piece.
constexpr char32_t kPlane15 = 0xF0000, kPlane16 = 0x100000;
constexpr std::uint32_t kOfPlane = 0xFFFE;
constexpr std::size_t kMostPieces = 2 * kOfPlane;

char32_t stand_in(std::uint32_t piece) {
  return piece < kOfPlane ? kPlane15 + piece : kPlane16 + (piece - kOfPlane);
}

bool is_kept(HtmlNameKey attribute) {
  switch (attribute) {
    case html_name_key("id"):
    case html_name_key("class"):
    case html_name_key("role"):
    case html_name_key("hidden"):
    case html_name_key("aria-hidden"):
    case html_name_key("type"):      // <input type=hidden> may stand in a table (HTML standard, section 13.2.6.4.9)
    case html_name_key("encoding"):  // of <annotation-xml>: what is inside is HTML or not (section 13.2.6)
      return true;
    default:
      return false;
  }
}

}  // namespace

bool is_blank_text(std::string_view text) {
  return text.find_first_not_of(" \t\n\f\r") == text.npos;
}

bool is_unread(HtmlNameKey element) {
  return element == html_name_key("script") || element == html_name_key("style");
}

bool is_left_out(HtmlNameKey element) {
  return is_unread(element) || element == html_name_key("link") || element == html_name_key("meta") ||
         element == html_name_key("img");
}

PageSkeleton::PageSkeleton(std::string_view utf8_html) {
  html_.reserve(utf8_html.size() / 2);
  text_.reserve(utf8_html.size() / 2);
  HtmlTokenizer tokenizer{*this, kOptions};
  tokenizer.feed(utf8_html);
  tokenizer.finish();
}

void PageSkeleton::on_start_tag(const HtmlTag& tag) {
  unread_ = is_unread(tag.key);
  if (is_left_out(tag.key)) return;
  html_.append(1, '<').append(tag.raw_name());
  for (const HtmlAttribute& attribute : tag.attributes)
    if (!attribute.duplicate && is_kept(html_name_key(tag.raw_name(attribute)))) append(tag, attribute);
  html_.append(tag.self_closing ? "/>" : ">");
}

void PageSkeleton::append(const HtmlTag& tag, const HtmlAttribute& attribute) {
  const std::string_view value = tag.raw_value(attribute);
  const char quote = value.find('"') == value.npos ? '"' : '\'';
  html_.append(1, ' ').append(tag.raw_name(attribute));
  if (!value.empty() && value.find(quote) == value.npos)
    html_.append(1, '=').append(1, quote).append(value).append(1, quote);
}

void PageSkeleton::on_end_tag(const HtmlTag& tag) {
  unread_ = false;
  if (!is_left_out(tag.key)) html_.append("</").append(tag.raw_name()).append(1, '>');
}

void PageSkeleton::on_text(const HtmlText& text) {
  if (unread_) return;
  if (is_blank_text(text.characters)) {
    html_ += ' ';  // what is only blank has rules of its own in tables and before the body
    return;
  }
  if (begins_.size() == kMostPieces) return;
  append_utf8(html_, stand_in(static_cast<std::uint32_t>(begins_.size())));
  begins_.push_back(static_cast<std::uint32_t>(text_.size()));
  text_.append(text.decoded(scratch_));
}

void PageSkeleton::on_doctype(const HtmlDoctype& doctype) {
  html_.append(doctype.raw);  // without one, or with an old one, tables nest differently
}

std::string_view PageSkeleton::take(std::string_view& of_tree) const {
  std::size_t at = 0;
  const char32_t c = next_code_point(of_tree, at);
  const std::string_view blank = of_tree.substr(0, at);
  of_tree.remove_prefix(at);
  if (c < kPlane15) return blank;
  const std::size_t piece = c >= kPlane16 ? c - kPlane16 + kOfPlane : c - kPlane15;
  if (piece >= begins_.size()) return {};
  const std::size_t end = piece + 1 < begins_.size() ? begins_[piece + 1] : text_.size();
  return std::string_view{text_}.substr(begins_[piece], end - begins_[piece]);
}

}  // namespace outrider
