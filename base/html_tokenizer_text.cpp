// Text of all kinds, and the "<" in it that may begin a tag: HTML standard, sections 13.2.5.1 to 13.2.5.14, 13.2.5.69.
#include "base/html_charrefs.hpp"
#include "base/html_scan.hpp"
#include "base/html_tokenizer.hpp"

namespace outrider {

using namespace html_scan;

namespace {
constexpr std::string_view kSectionEnd = "]]>";
}

// Stays here over all tags that lie in the window; what is rare, or cut by its end, is left to the other states.
void HtmlTokenizer::data() {
  while (pos_ < end_) {
    mark_ = static_cast<std::size_t>(find_byte(window_ + pos_, window_ + end_, '<') - window_);
    const std::size_t left = end_ - mark_;
    if (left > 1 && is(window_[mark_ + 1], kLetter)) {
      pos_ = mark_ + 1;
      begin_tag(false);
    } else if (left > 2 && window_[mark_ + 1] == '/' && is(window_[mark_ + 2], kLetter)) {
      pos_ = mark_ + 2;
      begin_tag(true);
    } else {
      pos_ = left == 0 ? end_ : mark_ + 1;
      if (left != 0) state_ = State::tag_open;
      return;
    }
    tag();
    if (state_ != State::data) return;
  }
}

void HtmlTokenizer::tag_open() {
  const char c = window_[pos_];
  if (is(c, kLetter)) {
    begin_tag(false);
  } else if (c == '/') {
    ++pos_;
    state_ = State::end_tag_open;
  } else if (c == '!') {
    ++pos_;
    characters_begin_ = 2;
    begin_markup(State::markup_declaration);
  } else if (c == '?') {
    characters_begin_ = 1;
    begin_markup(State::bogus_comment);
  } else {
    state_ = State::data;
  }
}

void HtmlTokenizer::end_tag_open() {
  const char c = window_[pos_];
  if (is(c, kLetter)) {
    begin_tag(true);
  } else if (c == '>') {
    flush_text(mark_);
    emit_filler(HtmlFiller::Kind::empty_end_tag, ++pos_);
    state_ = State::data;
  } else {
    characters_begin_ = 2;
    begin_markup(State::bogus_comment);
  }
}

// Also plain script data: both end only at a "<".
void HtmlTokenizer::raw() {
  mark_ = static_cast<std::size_t>(find_byte(window_ + pos_, window_ + end_, '<') - window_);
  pos_ = mark_;
  if (pos_ == end_) return;
  ++pos_;
  state_ = State::raw_less_than;
}

void HtmlTokenizer::raw_less_than() {
  const char c = window_[pos_];
  if (c == '/') {
    ++pos_;
    state_ = State::raw_end_tag_open;
  } else if (c == '!' && text_state_ == State::script) {
    ++pos_;
    state_ = State::script_escape_start;
  } else if (is(c, kLetter) && text_state_ == State::script_escaped) {
    matched_ = 0;
    state_ = State::script_double_escape_start;
  } else {
    state_ = text_state_;
  }
}

void HtmlTokenizer::raw_end_tag_open() {
  state_ = is(window_[pos_], kLetter) ? State::raw_end_tag_name : text_state_;
}

// An end tag only if it has the name of the last start tag.
void HtmlTokenizer::raw_end_tag_name() {
  const std::size_t name = mark_ + 2;
  while (pos_ < end_ && is(window_[pos_], kLetter) && pos_ - name <= last_start_length_) ++pos_;
  const std::size_t length = pos_ - name;
  if (pos_ == end_ && length <= last_start_length_) return;
  if (length == last_start_length_ && is(window_[pos_], kEndsName) &&
      html_name_key({window_ + name, length}) == last_start_key_) {
    begin_tag(true);
    tag_.name_end = static_cast<std::uint32_t>(2 + length);
    state_ = State::before_attribute;
  } else {
    state_ = text_state_;
  }
}

void HtmlTokenizer::cdata() {
  const char* const found = find_byte(window_ + pos_, window_ + end_, '>');
  pos_ = static_cast<std::size_t>(found - window_);
  if (pos_ == end_) return;
  ++pos_;
  const std::size_t begin = token_ + characters_begin_;
  if (pos_ - begin < kSectionEnd.size() || found[-1] != ']' || found[-2] != ']') return;
  emit_cdata(pos_, kSectionEnd.size());
  enter(HtmlContent::data);
}

// `closing`: bytes of the delimiter at the end.
void HtmlTokenizer::emit_cdata(std::size_t end, std::size_t closing) {
  text_.offset = window_offset_ + token_;
  text_.raw = {window_ + token_, end - token_};
  text_.characters = text_.raw.substr(characters_begin_, text_.raw.size() - characters_begin_ - closing);
  text_.content = HtmlContent::cdata;
  characters_begin_ = 0;
  token_ = end;
  handler_.on_text(text_);
}

// How many of the last bytes of the text have to wait for those that follow.
std::size_t HtmlTokenizer::text_hold() const {
  const std::string_view text{window_ + token_, end_ - token_};
  if (content_ == HtmlContent::cdata && text.ends_with(']')) return text.ends_with("]]") ? 2 : 1;
  const bool references = content_ == HtmlContent::data || content_ == HtmlContent::rcdata;
  return text.size() - decodable_prefix(text, references);
}

}  // namespace outrider
