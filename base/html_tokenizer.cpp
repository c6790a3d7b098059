// Chunks, windows and the emission of tokens. The states are in the other html_tokenizer_*.cpp.
#include "base/html_tokenizer.hpp"

#include "base/html_charrefs.hpp"

#include <algorithm>
#include <utility>

namespace outrider {
namespace {

// So much of a chunk is appended to a token that began in an earlier one, before we look whether it is complete.
constexpr std::size_t kSlice = 1024;
// What held_ may keep allocated when nothing is held.
constexpr std::size_t kIdleCapacity = 16 * 1024;
// "--!" in front of a ">": what has to be known of the bytes before it to see the end of a comment.
constexpr std::size_t kCommentContext = 3;

}  // namespace

HtmlTokenizer::HtmlTokenizer(HtmlHandler& handler, const HtmlOptions& options)
    : handler_(handler), limits_(options.limits), model_(options.scripting) {
  limits_.token = std::clamp<std::uint32_t>(limits_.token, 64, 1U << 30);
}

void HtmlTokenizer::feed(std::string_view chunk) {
  while (!chunk.empty()) {
    if (held_.empty()) {
      held_ = chunk.substr(scan(chunk));
      return;
    }
    const std::size_t before = held_.size();
    const std::size_t taken = std::min(chunk.size(), kSlice);
    held_ += chunk.substr(0, taken);
    const std::size_t consumed = scan(held_);
    if (consumed < before) {  // the token goes on
      held_.erase(0, consumed);
      chunk.remove_prefix(taken);
    } else {  // what is left lies in the chunk: go on there, where the scan ended
      held_.clear();
      if (held_.capacity() > kIdleCapacity) held_.shrink_to_fit();
      chunk.remove_prefix(consumed - before);
    }
  }
}

void HtmlTokenizer::finish() {
  window_ = held_.data();
  end_ = held_.size();
  end_of_input();
  handler_.on_end(window_offset_ + end_);
  held_.clear();
}

// Hands out every token that is complete and returns how many bytes that were. pos_ and token_ are then relative to the
// byte behind them.
std::size_t HtmlTokenizer::scan(std::string_view window) {
  window_ = window.data();
  end_ = window.size();
  run();
  end_of_window();
  const std::size_t consumed = std::exchange(token_, 0);
  window_offset_ += consumed;
  pos_ -= consumed;
  mark_ = 0;  // where it matters, it was the first byte that was not handed out
  return consumed;
}

void HtmlTokenizer::run() {
  while (pos_ < end_) {
    switch (state_) {
      case State::data:
        data();
        break;
      case State::raw:
        raw();
        break;
      case State::plaintext:
        pos_ = end_;
        break;
      case State::cdata:
        cdata();
        break;
      case State::script:
        raw();
        break;
      case State::script_escape_start:
      case State::script_escape_start_dash:
        script_escape_start();
        break;
      case State::script_escaped:
      case State::script_double_escaped:
        script_escaped();
        break;
      case State::script_double_escape_start:
      case State::script_double_escape_end:
        script_double_escape_word();
        break;
      case State::script_double_less_than:
        script_double_less_than();
        break;
      case State::tag_open:
        tag_open();
        break;
      case State::end_tag_open:
        end_tag_open();
        break;
      case State::raw_less_than:
        raw_less_than();
        break;
      case State::raw_end_tag_open:
        raw_end_tag_open();
        break;
      case State::raw_end_tag_name:
        raw_end_tag_name();
        break;
      case State::tag_name:
      case State::before_attribute:
      case State::attribute_name:
      case State::after_attribute_name:
      case State::before_value:
      case State::quoted_value:
      case State::unquoted_value:
      case State::self_closing:
        tag();
        break;
      case State::markup_declaration:
        markup_declaration();
        break;
      case State::comment:
        comment();
        break;
      case State::bogus_comment:
      case State::doctype:
        until_greater_than();
        break;
    }
  }
}

// Text goes out now, markup waits for its end.
void HtmlTokenizer::end_of_window() {
  if (state_ < State::tag_open) {
    flush_text(end_ - text_hold());
  } else if (state_ < State::tag_name) {
    flush_text(mark_);
  } else if (skimming_) {
    emit_filler(HtmlFiller::Kind::remainder, end_ - std::min(kCommentContext, end_ - token_));
  } else if (end_ - token_ > limits_.token + kCommentContext) {
    cut_token();
    end_of_window();
  }
}

void HtmlTokenizer::end_of_input() {
  if (state_ < State::tag_name) {
    flush_text(end_);
  } else if (skimming_) {
    emit_filler(HtmlFiller::Kind::remainder, end_);
  } else if (end_ - token_ > limits_.token) {
    cut_token();
    emit_filler(HtmlFiller::Kind::remainder, end_);
  } else if (state_ < State::markup_declaration) {
    emit_filler(HtmlFiller::Kind::unfinished_tag, end_);
  } else {
    emit_markup(end_ - token_, Ending::end_of_input);
  }
}

void HtmlTokenizer::set_content(HtmlContent content, std::string_view last_start_tag) {
  if (in_tag_)
    forced_content_ = content;
  else
    enter(content);
  if (last_start_tag.empty()) return;
  last_start_key_ = html_name_key(last_start_tag);
  last_start_length_ = last_start_tag.size();
}

void HtmlTokenizer::enter(HtmlContent content) {
  static constexpr State kStates[] = {State::data,   State::raw,       State::raw,
                                      State::script, State::plaintext, State::cdata};
  content_ = content;
  state_ = text_state_ = kStates[static_cast<std::size_t>(content)];
  characters_begin_ = 0;
}

void HtmlTokenizer::begin_markup(State state) {
  flush_text(mark_);
  state_ = state;
}

void HtmlTokenizer::flush_text(std::size_t end) {
  if (end == token_) return;
  if (content_ == HtmlContent::cdata) return emit_cdata(end, 0);
  text_.offset = window_offset_ + token_;
  const std::string_view raw{window_ + token_, end - token_};
  text_.raw = raw;
  text_.characters = raw;
  text_.content = content_;
  token_ = end;
  handler_.on_text(text_);
}

void HtmlTokenizer::emit_filler(HtmlFiller::Kind kind, std::size_t end) {
  if (end == token_) return;
  HtmlFiller filler;
  filler.offset = window_offset_ + token_;
  filler.raw = {window_ + token_, end - token_};
  filler.kind = kind;
  token_ = end;
  handler_.on_filler(filler);
}

// The current token is longer than allowed: its beginning is handed out, the rest will be filler.
void HtmlTokenizer::cut_token() {
  if (state_ < State::markup_declaration)
    emit_tag(limits_.token, Ending::cut);
  else
    emit_markup(limits_.token, Ending::cut);
  skimming_ = true;
  token_ += limits_.token;
}

// Behind the ">" of a comment or doctype.
void HtmlTokenizer::finish_markup() {
  if (!skimming_ && size() > limits_.token) cut_token();
  if (std::exchange(skimming_, false))
    emit_filler(HtmlFiller::Kind::remainder, pos_);
  else
    emit_markup(size(), Ending::complete);
  token_ = pos_;
  enter(HtmlContent::data);
}

void HtmlTokenizer::emit_markup(std::size_t length, Ending ending) {
  if (state_ == State::doctype)
    emit_doctype(length, ending);
  else
    emit_comment(length, ending);
}

}  // namespace outrider
