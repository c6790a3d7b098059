#include "proxy/page_places.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr HtmlNameKey kHtml = html_name_key("html"), kHead = html_name_key("head"), kBody = html_name_key("body"),
                      kBr = html_name_key("br"), kFrameset = html_name_key("frameset");

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// HTML standard, section 13.2.6.4.4: start tags that do not end the head.
constexpr bool belongs_to_head(HtmlNameKey key) {
  switch (key) {
    case html_name_key("base"):
    case html_name_key("basefont"):
    case html_name_key("bgsound"):
    case html_name_key("link"):
    case html_name_key("meta"):
    case html_name_key("title"):
    case html_name_key("noscript"):
    case html_name_key("noframes"):
    case html_name_key("style"):
    case html_name_key("script"):
    case html_name_key("template"):
      return true;
    default:
      return false;
  }
}

bool is_blank(std::string_view characters) {
  return std::all_of(characters.begin(), characters.end(),
                     [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; });
}

}  // namespace

void PagePlaces::begin_head(Found& found) {
  if (stage_ != Stage::before_head) return;
  found.add_before(PagePlace::head_start);
  stage_ = Stage::head;
}

void PagePlaces::leave_head(Found& found) {
  begin_head(found);
  if (stage_ != Stage::head) return;
  found.add_before(PagePlace::head_end);
  stage_ = Stage::after_head;
}

void PagePlaces::begin_body(Found& found) {
  leave_head(found);
  if (stage_ != Stage::after_head) return;
  found.add_before(PagePlace::body_start);
  stage_ = Stage::body;
}

PagePlaces::Found PagePlaces::on_start(HtmlNameKey key) {
  Found found;
  if (stage_ == Stage::closed || templates_ > 0) {
    if (key == kTemplate) ++templates_;
    return found;
  }
  if (key == kTemplate) {
    begin_head(found);
    ++templates_;
  } else if (key == kHtml) {
    // Its attributes count wherever it stands; it begins nothing.
  } else if (key == kHead) {
    if (stage_ == Stage::before_head) {
      found.add_after(PagePlace::head_start);
      stage_ = Stage::head;
    }
  } else if (key == kFrameset) {
    leave_head(found);
    stage_ = Stage::closed;
  } else if (key == kBody) {
    leave_head(found);
    if (stage_ == Stage::after_head) {
      found.add_after(PagePlace::body_start);
      stage_ = Stage::body;
    }
  } else if (belongs_to_head(key)) {
    begin_head(found);
  } else {
    begin_body(found);
  }
  return found;
}

PagePlaces::Found PagePlaces::end_tag(HtmlNameKey key) {
  Found found;
  if (key == kTemplate && templates_ > 0) {
    --templates_;
  } else if (templates_ > 0 || stage_ == Stage::closed) {
    // no place of the page
  } else if (key == kHead) {
    if (stage_ <= Stage::head) leave_head(found);
  } else if (key == kBody || key == kHtml) {
    begin_body(found);
    found.add_before(PagePlace::body_end);
    stage_ = Stage::closed;
  } else if (key == kBr) {  // counts as <br>
    begin_body(found);
  }
  return found;
}

PagePlaces::Found PagePlaces::on_text(const HtmlText& text) {
  Found found;
  const bool is_markup_text = text.content == HtmlContent::data || text.content == HtmlContent::plaintext;
  if (stage_ == Stage::closed || templates_ > 0 || !is_markup_text) return found;
  std::string_view characters = text.characters;
  const bool is_lead = text.offset == lead_;  // it may come in pieces
  while (is_lead && mark_ == lead_ && mark_ < kByteOrderMark.size() && !characters.empty() &&
         characters.front() == kByteOrderMark[mark_]) {
    characters.remove_prefix(1);
    ++mark_, ++lead_;
  }
  if (is_lead) lead_ += characters.size();
  if (is_blank(characters)) return found;
  if (is_lead && mark_ > 0) {  // a part of the mark is none, but it may have passed already
    stage_ = Stage::closed;
    return found;
  }
  begin_body(found);
  return found;
}

PagePlaces::Found PagePlaces::end(bool open) {
  Found found;
  if (!open || stage_ == Stage::closed || stage_ == Stage::before_head || templates_ > 0) return found;
  begin_body(found);
  found.add_before(PagePlace::body_end);
  stage_ = Stage::closed;
  return found;
}

}  // namespace outrider
