// The content of <script>, where "<!--" and "<script" change what "</script>" means: HTML standard, sections 13.2.5.15
// to 13.2.5.31. An end tag counts in plain script data and in escaped data; in double escaped data it only ends that.
#include "base/html_scan.hpp"
#include "base/html_tokenizer.hpp"

#include <algorithm>

namespace outrider {

using namespace html_scan;

// Behind "<!" or "<!-": two dashes begin escaped data, and may be the first two of the "-->" that ends it.
void HtmlTokenizer::script_escape_start() {
  if (window_[pos_] != '-') {
    state_ = State::script;
    return;
  }
  ++pos_;
  if (state_ == State::script_escape_start) {
    state_ = State::script_escape_start_dash;
  } else {
    state_ = text_state_ = State::script_escaped;
    dashes_ = 2;
  }
}

// Escaped and double escaped data: both end at "-->".
void HtmlTokenizer::script_escaped() {
  while (pos_ < end_) {
    const char c = window_[pos_++];
    if (c == '-') {
      dashes_ = static_cast<std::uint8_t>(std::min(dashes_ + 1, 2));
      continue;
    }
    const bool closed = c == '>' && dashes_ == 2;
    dashes_ = 0;
    if (closed) {
      state_ = text_state_ = State::script;
      return;
    }
    if (c == '<') {
      mark_ = pos_ - 1;
      state_ = state_ == State::script_escaped ? State::raw_less_than : State::script_double_less_than;
      return;
    }
  }
}

// Behind "<" in escaped or "</" in double escaped data: is the word that follows "script"?
void HtmlTokenizer::script_double_escape_word() {
  static constexpr std::string_view kScript = "script";
  static constexpr std::uint8_t kOther = 0xFF;
  const bool starts = state_ == State::script_double_escape_start;
  while (pos_ < end_) {
    const char c = window_[pos_];
    if (is(c, kLetter)) {
      const bool matches = matched_ < kScript.size() && html_lower(c) == kScript[matched_];
      matched_ = matches ? static_cast<std::uint8_t>(matched_ + 1) : kOther;
      ++pos_;
      continue;
    }
    bool inside = !starts;  // double escaped before, and still
    if (is(c, kEndsName)) {
      ++pos_;
      if (matched_ == kScript.size()) inside = starts;
    }
    text_state_ = state_ = inside ? State::script_double_escaped : State::script_escaped;
    return;
  }
}

void HtmlTokenizer::script_double_less_than() {
  if (window_[pos_] == '/') {
    ++pos_;
    matched_ = 0;
    state_ = State::script_double_escape_end;
  } else {
    state_ = State::script_double_escaped;
  }
}

}  // namespace outrider
