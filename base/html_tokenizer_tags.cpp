// Tags and their attributes: HTML standard, sections 13.2.5.8 and 13.2.5.32 to 13.2.5.40. "After attribute value
// (quoted)" needs no state of its own: it does what "before attribute name" does.
#include "base/html_scan.hpp"
#include "base/html_tokenizer.hpp"

#include <algorithm>
#include <utility>

namespace outrider {

using namespace html_scan;

namespace {

constexpr std::size_t kFew = 8;              // attributes: so many are compared each with each
constexpr std::uint32_t kOpen = UINT32_MAX;  // the end of a value that has not come yet

// Names of different length cannot be the same, and nearly all are.
void mark_duplicates_of_few(HtmlTag& tag) {
  std::vector<HtmlAttribute>& list = tag.attributes;
  for (std::size_t i = 1; i < list.size(); ++i)
    for (std::size_t j = 0; j < i && !list[i].duplicate; ++j)
      list[i].duplicate = same_html_name(tag.raw_name(list[i]), tag.raw_name(list[j]));
}

// Of equal names all but the first, without comparing each with each.
void mark_duplicates_of_many(HtmlTag& tag) {
  std::vector<std::pair<HtmlNameKey, std::uint32_t>> order;
  order.reserve(tag.attributes.size());
  for (std::uint32_t i = 0; i < tag.attributes.size(); ++i)
    order.emplace_back(html_name_hash(tag.raw_name(tag.attributes[i])), i);
  std::sort(order.begin(), order.end());
  for (std::size_t i = 1; i < order.size(); ++i)
    tag.attributes[order[i].second].duplicate = order[i].first == order[i - 1].first;
}

}  // namespace

// mark_ is at the "<".
void HtmlTokenizer::begin_tag(bool is_end) {
  flush_text(mark_);
  tag_.is_end = is_end;
  tag_.self_closing = tag_.truncated = tag_.attributes_dropped = false;
  tag_.name_begin = is_end ? 2 : 1;
  tag_.name_end = kOpen;
  tag_.attributes.clear();
  forced_content_.reset();
  state_ = State::tag_name;
}

// Stays here until the tag or the window is at its end.
void HtmlTokenizer::tag() {
  const char* const base = window_ + token_;
  const char* const end = window_ + end_;
  const char* at = window_ + pos_;
  const auto here = [&] { return static_cast<std::uint32_t>(at - base); };
  const auto attribute = [this]() -> HtmlAttribute& { return tag_.attributes.back(); };
  State state = state_;
  while (at != end) {
    switch (state) {
      case State::tag_name:
        at = find_name_end(at, end, kEndsName);
        if (at == end) break;
        tag_.name_end = here();
        [[fallthrough]];
      case State::before_attribute:
        state = State::before_attribute;
        at = skip_class(at, end, kSpace);
        if (at == end) break;
        if (*at == '>') return at_tag_end(at);
        if (*at == '/') {
          ++at;
          state = State::self_closing;
          break;
        }
        start_attribute(here());
        ++at;  // whatever it is, even "=": it belongs to the name
        [[fallthrough]];
      case State::attribute_name:
        state = State::attribute_name;
        at = find_name_end(at, end, kEndsAttribute);
        if (at == end) break;
        attribute().name_end = attribute().value_begin = attribute().value_end = here();
        [[fallthrough]];
      case State::after_attribute_name:
        state = State::after_attribute_name;
        at = skip_class(at, end, kSpace);
        if (at == end) break;
        if (*at != '=') {
          state = State::before_attribute;
          break;
        }
        ++at;
        attribute().has_value = true;
        attribute().value_end = kOpen;
        [[fallthrough]];
      case State::before_value:
        state = State::before_value;
        at = skip_class(at, end, kSpace);
        if (at == end) break;
        if (*at == '>') {
          attribute().value_begin = attribute().value_end = here();
          return at_tag_end(at);
        }
        if (*at == '"' || *at == '\'') {
          quote_ = *at++;
          state = State::quoted_value;
          attribute().value_begin = here();
          break;
        }
        state = State::unquoted_value;
        attribute().value_begin = here();
        break;
      case State::quoted_value:
        at = find_byte(at, end, quote_);
        if (at == end) break;
        attribute().quote = quote_;
        attribute().value_end = here();
        ++at;
        state = State::before_attribute;
        break;
      case State::unquoted_value:
        at = find_class(at, end, kEndsValue);
        if (at == end) break;
        attribute().value_end = here();
        state = State::before_attribute;
        break;
      case State::self_closing:
        if (*at == '>') {
          tag_.self_closing = true;
          return at_tag_end(at);
        }
        state = State::before_attribute;
        break;
      default:
        __builtin_unreachable();  // run() calls us in these states only
    }
  }
  state_ = state;
  pos_ = end_;
}

void HtmlTokenizer::at_tag_end(const char* greater_than) {
  pos_ = static_cast<std::size_t>(greater_than - window_) + 1;
  finish_tag();
}

// Two attributes more than allowed are recorded: the first one, to know where it began; the second again and again.
void HtmlTokenizer::start_attribute(std::uint32_t at) {
  if (skimming_ || tag_.attributes.size() > limits_.attributes + 1)
    tag_.attributes.back() = {};
  else
    tag_.attributes.emplace_back();
  tag_.attributes.back().name_begin = at;
}

void HtmlTokenizer::finish_tag() {
  if (!skimming_ && size() > limits_.token) cut_token();
  if (skimming_) {
    skimming_ = false;
    emit_filler(HtmlFiller::Kind::remainder, pos_);
    tag_.attributes.clear();
  } else {
    emit_tag(size(), Ending::complete);
    token_ = pos_;
  }
  in_tag_ = false;
  HtmlContent next = HtmlContent::data;
  if (tag_.is_end)
    model_.end_tag(tag_);
  else
    next = model_.start_tag(tag_);
  enter(forced_content_.value_or(next));
}

void HtmlTokenizer::emit_tag(std::size_t length, Ending ending) {
  tag_.offset = window_offset_ + token_;
  tag_.raw = {window_ + token_, length};
  const bool self_closing = tag_.self_closing;
  if (tag_.attributes.size() > limits_.attributes)
    tag_.attributes_dropped = tag_.attributes[limits_.attributes].name_begin < length;
  if (ending == Ending::cut) {
    tag_.truncated = true;
    tag_.self_closing = false;
    tag_.name_end = std::min(tag_.name_end, static_cast<std::uint32_t>(length));
    drop_attributes_beyond(length);
  }
  if (tag_.attributes.size() > limits_.attributes) tag_.attributes.resize(limits_.attributes);
  if (tag_.attributes.size() > kFew)
    mark_duplicates_of_many(tag_);
  else if (tag_.attributes.size() > 1)
    mark_duplicates_of_few(tag_);
  tag_.key = html_name_key(tag_.raw_name());

  in_tag_ = true;
  if (tag_.is_end) {
    handler_.on_end_tag(tag_);
  } else {
    last_start_key_ = tag_.key;
    last_start_length_ = tag_.name_end - tag_.name_begin;
    handler_.on_start_tag(tag_);
  }
  if (ending == Ending::cut) {  // the views will dangle, and start_attribute wants something to write to
    tag_.self_closing = self_closing;
    tag_.raw = {};
    tag_.attributes.assign(1, {});
  }
}

// Keeps the attributes that were complete within `length` bytes, whatever was seen behind them: where a token is cut
// must not depend on how the input is. One without value is complete when the next one begins.
void HtmlTokenizer::drop_attributes_beyond(std::size_t length) {
  std::vector<HtmlAttribute>& list = tag_.attributes;
  std::size_t next_begin = kOpen;
  while (!list.empty()) {
    const HtmlAttribute& last = list.back();
    const std::size_t closed_at = last.has_value ? last.value_end : next_begin;
    if (closed_at < length) return;
    next_begin = last.name_begin;
    list.pop_back();
  }
}

}  // namespace outrider
