#include "cache/page_text.hpp"

#include "base/escape.hpp"

#include <algorithm>
#include <utility>

namespace outrider {
namespace {

constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

// Bytes of white space at the beginning.
std::size_t space_at(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_html_space(text[at])) {
      ++at;
    } else if (text[at] == kNoBreakSpace[0] && text.substr(at, 2) == kNoBreakSpace) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

// Bytes of the beginning that are collapsed already: words with one blank between them.
std::size_t run_at(std::string_view text) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == kNoBreakSpace[0] && text.substr(at, 2) == kNoBreakSpace) break;
    if (!is_html_space(c)) continue;
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (c != ' ' || is_html_space(next) || next == kNoBreakSpace[0]) break;
  }
  return at;
}

}  // namespace

std::string_view trim_html_space(std::string_view text) {
  while (!text.empty() && is_html_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_html_space(text.back())) text.remove_suffix(1);
  return text;
}

void CollapsedText::add(std::string_view utf8) {
  if (full_) return;
  while (!utf8.empty()) {
    if (const std::size_t spaces = space_at(utf8); spaces > 0) {
      space_ = true;
      utf8.remove_prefix(spaces);
      continue;
    }
    const std::string_view run = utf8.substr(0, run_at(utf8));
    const std::size_t before = space_ && !text_.empty() ? 1 : 0;
    space_ = false;
    if (text_.size() + before + run.size() > limit_) {
      full_ = true;
      const std::string_view fits = utf8_prefix(run, limit_ - std::min(limit_, text_.size() + before));
      if (before > 0 && !fits.empty()) text_ += ' ';
      text_ += fits;
      while (text_.ends_with(' ')) text_.pop_back();
      return;
    }
    if (before > 0) text_ += ' ';
    text_ += run;
    utf8.remove_prefix(run.size());
  }
}

std::string CollapsedText::take() {
  std::string taken = std::move(text_);
  clear();
  return taken;
}

void CollapsedText::clear() {
  text_.clear();
  space_ = false;
  full_ = false;
}

std::string collapsed(std::string_view utf8, std::size_t limit) {
  CollapsedText text{limit};
  text.add(utf8);
  return text.take();
}

}  // namespace outrider
