// Text of a page as the memory keeps it: white space collapsed to single blanks, none at the ends, never longer than a
// limit and never cut inside a character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace outrider {

// HTML's white space (HTML standard, section "ASCII whitespace"). Collapsed text has no U+00A0, either.
constexpr bool is_html_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}
std::string_view trim_html_space(std::string_view text);

// Grows piece by piece, as a tokenizer hands text out.
class CollapsedText {
 public:
  explicit CollapsedText(std::size_t limit) : limit_(limit) {}

  void add(std::string_view utf8);
  void add_space() { space_ = true; }  // between two words, if another one follows
  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }
  std::string take();  // and begin anew
  void clear();

 private:
  std::string text_;
  std::size_t limit_;
  bool space_ = false;
  bool full_ = false;
};

std::string collapsed(std::string_view utf8, std::size_t limit);

}  // namespace outrider
