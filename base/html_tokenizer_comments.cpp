// Comments, and what becomes one: HTML standard, sections 13.2.5.41 to 13.2.5.52. The standard's ten states follow the
// dashes one by one; as the bytes before a ">" are at hand, looking back from it tells the same.
#include "base/html_scan.hpp"
#include "base/html_tokenizer.hpp"

namespace outrider {

using namespace html_scan;

namespace {

constexpr std::string_view kComment = "--";
constexpr std::string_view kDoctype = "doctype";
constexpr std::string_view kSection = "[CDATA[";

// What closes a comment in front of ">", or would have if the page did not end here: so many bytes.
std::size_t closing_dashes(std::string_view characters) {
  return characters.ends_with("--!") ? 3 : characters.ends_with("--") ? 2 : 0;
}

}  // namespace

// Behind "<!".
void HtmlTokenizer::markup_declaration() {
  const std::size_t begin = token_ + 2;
  const std::string_view text{window_ + begin, end_ - begin};
  const bool section_counts = model_.allows_cdata();
  const auto could_be = [&](std::string_view word) { return same_html_name(text, word.substr(0, text.size())); };
  pos_ = begin;
  if (text.starts_with(kComment)) {
    characters_begin_ = 4;
    pos_ = begin + kComment.size();
    state_ = State::comment;
  } else if (same_html_name(text.substr(0, kDoctype.size()), kDoctype)) {
    pos_ = begin + kDoctype.size();
    state_ = State::doctype;
  } else if (section_counts && text.starts_with(kSection)) {
    enter(HtmlContent::cdata);
    pos_ = begin + kSection.size();
    characters_begin_ = static_cast<std::uint32_t>(pos_ - token_);
  } else if (could_be(kComment) || could_be(kDoctype) || (section_counts && kSection.starts_with(text))) {
    pos_ = end_;  // more is needed to tell
  } else {
    state_ = State::bogus_comment;
  }
}

void HtmlTokenizer::comment() {
  const char* const found = find_byte(window_ + pos_, window_ + end_, '>');
  pos_ = static_cast<std::size_t>(found - window_);
  if (pos_ == end_) return;
  const std::size_t begin = token_ + (skimming_ ? 0 : characters_begin_);
  const std::string_view characters{window_ + begin, pos_ - begin};
  ++pos_;
  const bool abrupt = !skimming_ && (characters.empty() || characters == "-");  // <!--> and <!--->
  if (abrupt || closing_dashes(characters) != 0) finish_markup();
}

// Bogus comments and doctypes end at the first ">", whatever is around it.
void HtmlTokenizer::until_greater_than() {
  pos_ = static_cast<std::size_t>(find_byte(window_ + pos_, window_ + end_, '>') - window_);
  if (pos_ == end_) return;
  ++pos_;
  finish_markup();
}

void HtmlTokenizer::emit_comment(std::size_t length, Ending ending) {
  HtmlComment comment;
  comment.offset = window_offset_ + token_;
  comment.raw = {window_ + token_, length};
  comment.truncated = ending == Ending::cut;
  comment.characters = comment.raw.substr(characters_begin_);
  if (ending == Ending::complete) comment.characters.remove_suffix(1);
  if (ending != Ending::cut && state_ == State::comment) {
    std::size_t closing = closing_dashes(comment.characters);
    // Of <!---> no dash is meant; nor is a single last one if the page ends behind it.
    const bool single = ending == Ending::complete ? comment.characters == "-" : comment.characters.ends_with('-');
    if (closing == 0 && single) closing = 1;
    comment.characters.remove_suffix(closing);
  }
  handler_.on_comment(comment);
}

}  // namespace outrider
