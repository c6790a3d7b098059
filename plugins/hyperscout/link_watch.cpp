#include "plugins/hyperscout/link_watch.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <utility>

namespace outrider::hyperscout {
namespace {

constexpr std::size_t kLongestTarget = 2048, kLongestText = 200;
constexpr std::size_t kShortestWords = 4;  // of a link that is worth choosing

constexpr HtmlNameKey key(std::string_view name) {
  return html_name_key(name);
}

constexpr bool is_navigation(HtmlNameKey element) {
  return element == key("nav") || element == key("header") || element == key("footer") || element == key("aside");
}

constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// With one space between words, and none before the first.
void append_words(std::string& words, std::string_view text) {
  for (const char c : text) {
    if (!is_space(c)) {
      words += c;
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
}

bool has_word(std::string_view list, std::string_view word) {
  const auto is_between = [](char c) { return is_space(c) || c == ','; };
  while (!list.empty()) {
    const auto begin = std::find_if_not(list.begin(), list.end(), is_between);
    const auto end = std::find_if(begin, list.end(), is_between);
    if (same_html_name({begin, end}, word)) return true;
    list = {end, list.end()};
  }
  return false;
}

// In another encoding than UTF-8 the query would be written differently: whoever knows the page's encoding reads it.
bool has_foreign_query(std::string_view target) {
  return !is_ascii(target.substr(std::min(target.find('?'), target.size())));
}

}  // namespace

std::string_view LinkWatch::value(const HtmlTag& tag, std::string_view name) {
  const HtmlAttribute* const attribute = tag.find(name);
  return attribute == nullptr ? std::string_view{} : tag.value(*attribute, scratch_);
}

bool LinkWatch::is_too_far(const HtmlToken& token) {
  if (!over_ && token.offset > kMostBytes) conclude();
  return over_;
}

void LinkWatch::start_tag(const HtmlTag& tag) {
  if (is_too_far(tag)) return;
  switch (tag.key) {
    case key("a"):
      close_anchor();  // there are no links inside links
      return anchor(tag, LinkKind::anchor);
    case key("area"):
      close_anchor();
      anchor(tag, LinkKind::area);
      append_words(open_.text, value(tag, "alt"));
      return close_anchor();
    case key("base"):
      if (!std::exchange(has_base_, true)) seen_.base = value(tag, "href");
      return;
    case key("meta"):
      return meta(tag);
    default:
      if (is_navigation(tag.key)) ++navigation_;
  }
}

void LinkWatch::meta(const HtmlTag& tag) {
  const std::string name{value(tag, "name")};
  if (!same_html_name(name, "robots") && !same_html_name(name, "outrider")) return;
  const std::string_view content = value(tag, "content");
  over_ = has_word(content, "nofollow") || has_word(content, "none");
}

void LinkWatch::anchor(const HtmlTag& tag, LinkKind kind) {
  const HtmlAttribute* const href = tag.find("href");
  if (href == nullptr) return;
  open_ = Link{};
  open_.kind = kind;
  open_.target = trimmed(tag.value(*href, scratch_));
  if (navigation_ > 0) open_.flags |= LinkFlags::in_navigation;
  if (tag.find("download") != nullptr) open_.flags |= LinkFlags::download;
  const std::string_view rel = value(tag, "rel");
  if (has_word(rel, "nofollow")) open_.flags |= LinkFlags::nofollow;
  open_.rel = rel;
  in_anchor_ = true;
}

void LinkWatch::end_tag(const HtmlTag& tag) {
  if (is_too_far(tag)) return;
  if (tag.key == key("a")) {
    close_anchor();
  } else if (navigation_ > 0 && is_navigation(tag.key)) {
    --navigation_;
  }
}

// Between two pieces that do not follow each other there is a tag, and most likely a space.
void LinkWatch::text(const HtmlText& text) {
  if (is_too_far(text) || !in_anchor_ || open_.text.size() > kLongestText) return;
  if (text.content != HtmlContent::data) return;
  if (text.offset != text_end_) append_words(open_.text, " ");
  append_words(open_.text, text.decoded(scratch_));
  text_end_ = text.offset + text.raw.size();
}

void LinkWatch::close_anchor() {
  if (!std::exchange(in_anchor_, false)) return;
  if (open_.text.ends_with(' ')) open_.text.pop_back();
  if (open_.target.size() > kLongestTarget || has_foreign_query(open_.target)) return;
  if (!is_valid_utf8(open_.target) || !is_valid_utf8(open_.text)) {
    over_ = true;
    return;
  }
  open_.position = static_cast<std::uint32_t>(seen_.links.size());
  if (navigation_ == 0 && open_.text.size() >= kShortestWords) ++good_;
  seen_.links.push_back(std::move(open_));
  if (good_ >= enough_ || seen_.links.size() >= kMostLinks) conclude();
}

void LinkWatch::end() {
  if (over_) return;
  close_anchor();
  if (!over_) conclude();
}

void LinkWatch::conclude() {
  over_ = true;
  if (!seen_.links.empty()) tell_(std::move(seen_));
}

}  // namespace outrider::hyperscout
