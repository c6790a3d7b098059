// A page without what its tree does not depend on: no comments, scripts, styles and pictures, of attributes only those
// that page_blocks asks for, and in the place of each run of text one character that stands for it. Gumbo takes its
// time for every byte that it sees, and this is a third of a page. Neighbours: page_reader, gumbo_tree.
#pragma once

#include "base/html_tokenizer.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

bool is_blank_text(std::string_view text);
bool is_unread(HtmlNameKey element);    // nobody reads what is inside: <script>
bool is_left_out(HtmlNameKey element);  // nobody reads them at all, and they move nothing else in the tree

class PageSkeleton final : private HtmlHandler {
 public:
  explicit PageSkeleton(std::string_view utf8_html);

  const std::string& html() const { return html_; }
  // Calls visit(text) for the pieces that a text of the tree stands for. References are decoded.
  template <class Visit>
  void each_text(std::string_view of_tree, Visit&& visit) const {
    while (!of_tree.empty()) visit(take(of_tree));
  }

 private:
  void on_start_tag(const HtmlTag& tag) override;
  void on_end_tag(const HtmlTag& tag) override;
  void on_text(const HtmlText& text) override;
  void on_doctype(const HtmlDoctype& doctype) override;
  void append(const HtmlTag& tag, const HtmlAttribute& attribute);
  std::string_view take(std::string_view& of_tree) const;

  std::string html_;
  std::string text_;                   // all of it
  std::vector<std::uint32_t> begins_;  // of its pieces
  bool unread_ = false;                // inside a script or style
  std::string scratch_;
};

}  // namespace outrider
