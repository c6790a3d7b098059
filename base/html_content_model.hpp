// How the content of an element is to be tokenized, as far as it can be told from the tags alone: HTML standard,
// section 13.2.6 (tree construction) without the tree. It knows which elements hold text instead of markup, and it
// follows <svg> and <math>, inside which other rules hold: no element holds text, <![CDATA[ counts, <title/> is closed.
// Neighbour: html_tokenizer asks it after each tag.
//
// Where it differs from a browser: a page with frames (<title> or <script> behind <frameset> are no elements there),
// and wrongly nested tags inside <svg> and <math>, where it guesses what is open.
#pragma once

#include "base/html_tokens.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace outrider {

class HtmlContentModel {
 public:
  explicit HtmlContentModel(bool scripting) : scripting_(scripting) {}

  // What follows the tag.
  HtmlContent start_tag(const HtmlTag& tag) {
    return foreign_.empty() && !begins_foreign(tag.key) ? html_content(tag.key) : start_tag_near_foreign(tag);
  }
  void end_tag(const HtmlTag& tag) {
    if (!foreign_.empty()) end_tag_in_foreign(tag.key);
  }
  // Before start_tag(): does the element end with this tag? In HTML "<div/>" means nothing but "<div>" (section
  // 13.2.6.1: the flag is acknowledged for void elements, and in SVG and MathML).
  bool closes_itself(const HtmlTag& tag) const;
  // Is the current element one of SVG or MathML?
  bool allows_cdata() const { return !foreign_.empty() && foreign_.back().html_depth == 0; }

 private:
  // An open element of SVG or MathML.
  struct Foreign {
    HtmlNameKey key = 0;
    bool svg = false;
    // HTML begins again inside it: <foreignObject>, <mtext> … (section 13.2.6.5: integration points).
    bool holds_html = false;
    bool is_text_point = false;    // … except for <mglyph> and <malignmark>
    std::uint32_t html_depth = 0;  // elements of HTML that are open inside it, more or less
  };

  static bool begins_foreign(HtmlNameKey key) { return key == html_name_key("svg") || key == html_name_key("math"); }
  HtmlContent html_content(HtmlNameKey key) const;
  HtmlContent start_tag_near_foreign(const HtmlTag& tag);
  void end_tag_in_foreign(HtmlNameKey key);
  void open(const HtmlTag& tag, bool svg);
  void leave_to_html();

  std::vector<Foreign> foreign_;
  std::uint32_t too_deep_ = 0;  // elements beyond the depth that is recorded
  bool scripting_;
};

}  // namespace outrider
