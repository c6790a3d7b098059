// Doctypes: HTML standard, sections 13.2.5.53 to 13.2.5.68. A doctype ends at the first ">", even inside quotes, so it
// is parsed when it is complete.
#include "base/html_scan.hpp"
#include "base/html_tokenizer.hpp"

#include <algorithm>

namespace outrider {

using namespace html_scan;

namespace {

// Reads what stands between "<!DOCTYPE" and ">" or the end of the page. What it does not understand (the standard's
// "bogus doctype state") it leaves unread.
class DoctypeReader {
 public:
  DoctypeReader(HtmlDoctype& doctype, std::size_t begin, bool closed)
      : doctype_(doctype), at_(begin), end_(doctype.raw.size() - (closed ? 1 : 0)), closed_(closed) {}

  void read() {
    skip_space();
    if (at_ == end_) return quirks();
    doctype_.name = range_until(find_class(text() + at_, text() + end_, kSpace));
    skip_space();
    if (at_ == end_) return over();
    if (take_keyword("public")) {
      if (!read_identifier(doctype_.public_id)) return;
      skip_space();
      if (at_ == end_) return over();
    } else if (!take_keyword("system")) {
      return quirks();
    }
    if (!read_identifier(doctype_.system_id)) return;
    skip_space();
    if (at_ == end_) over();
  }

 private:
  const char* text() const { return doctype_.raw.data(); }
  void quirks() { doctype_.force_quirks = true; }
  // Nothing is missing but perhaps the ">".
  void over() {
    if (!closed_) quirks();
  }
  void skip_space() { at_ = static_cast<std::size_t>(skip_class(text() + at_, text() + end_, kSpace) - text()); }

  HtmlDoctype::Range range_until(const char* end) {
    const auto begin = static_cast<std::uint32_t>(at_);
    at_ = static_cast<std::size_t>(end - text());
    return {begin, static_cast<std::uint32_t>(at_), true};
  }

  bool take_keyword(std::string_view word) {
    if (!same_html_name(doctype_.raw.substr(at_, std::min(word.size(), end_ - at_)), word)) return false;
    at_ += word.size();
    return true;
  }

  // False if it is not there or has no closing quote.
  bool read_identifier(HtmlDoctype::Range& identifier) {
    skip_space();
    const char quote = at_ == end_ ? '\0' : text()[at_];
    if (quote == '"' || quote == '\'') {
      ++at_;
      identifier = range_until(find_byte(text() + at_, text() + end_, quote));
      if (at_++ != end_) return true;
    }
    quirks();
    return false;
  }

  HtmlDoctype& doctype_;
  std::size_t at_, end_;
  bool closed_;
};

constexpr std::size_t kNameBegin = std::string_view("<!doctype").size();

}  // namespace

void HtmlTokenizer::emit_doctype(std::size_t length, Ending ending) {
  HtmlDoctype doctype;
  doctype.offset = window_offset_ + token_;
  doctype.raw = {window_ + token_, length};
  doctype.truncated = ending == Ending::cut;
  DoctypeReader(doctype, kNameBegin, ending == Ending::complete).read();
  handler_.on_doctype(doctype);
}

}  // namespace outrider
