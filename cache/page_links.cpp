#include "cache/page_links.hpp"

#include "cache/page_limits.hpp"

#include <utility>

namespace outrider {
namespace {

using html_names::key;

constexpr bool is_navigation(HtmlNameKey element) {
  return element == key("nav") || element == key("header") || element == key("footer") || element == key("aside");
}

// Elements between which words are apart, as far as they are found inside anchors.
constexpr bool separates_words(HtmlNameKey element) {
  switch (element) {
    case key("br"):
    case key("p"):
    case key("div"):
    case key("li"):
    case key("td"):
    case key("th"):
    case key("tr"):
    case key("dt"):
    case key("dd"):
    case key("h1"):
    case key("h2"):
    case key("h3"):
    case key("h4"):
    case key("h5"):
    case key("h6"):
    case key("img"):
    case key("figure"):
    case key("section"):
      return true;
    default:
      return false;
  }
}

// Only the URL of the first candidate: all of them are the same picture (HTML standard, section 4.8.4.2.1).
std::string_view first_of_srcset(std::string_view srcset) {
  while (!srcset.empty() && (is_html_space(srcset.front()) || srcset.front() == ',')) srcset.remove_prefix(1);
  std::size_t end = 0;
  while (end < srcset.size() && !is_html_space(srcset[end])) ++end;
  srcset = srcset.substr(0, end);
  while (srcset.ends_with(',')) srcset.remove_suffix(1);
  return srcset;
}

// The document base URL (HTML standard, section 2.4.3): the <base> itself may be relative, and may not be script.
Url base_of(const Url& page, const std::optional<std::string>& href, std::string_view query_charset) {
  if (!href) return page;
  Result<Url> base = Url::parse(*href, &page, query_charset);
  if (!base || base->scheme() == "data" || base->scheme() == "javascript") return page;
  return std::move(*base);
}

}  // namespace

PageLinks::PageLinks(bool texts) : texts_(texts), anchor_text_(page_limits::kLinkText) {
  links_.reserve(128);
  drafts_.reserve(128);
}

void PageLinks::start_tag(const HtmlTag& tag) {
  if (in_anchor_ && separates_words(tag.key)) anchor_text_.add_space();
  switch (tag.key) {
    case key("a"):
      return anchor(tag);
    case key("area"):
      return area(tag);
    case key("base"):
      return base_element(tag);
    case key("link"):
      return link_element(tag);
    case key("form"):
      return form(tag);
    case key("frameset"):
      has_frameset_ = true;
      return;
    case key("frame"):
      if (has_frameset_) frame(tag, LinkKind::frame);  // elsewhere it is no element
      return;
    case key("iframe"):
      return frame(tag, LinkKind::iframe);
    case key("img"):
      return image(tag);
    case key("image"):
      return svg_ > 0 ? object_in_svg(tag) : image(tag);  // in HTML it is a way to write <img>
    case key("script"):
    case key("audio"):
    case key("embed"):
    case key("track"):
      return embedded(tag, "src");
    case key("source"):
      return image(tag);
    case key("video"):
      embedded(tag, "poster");
      return embedded(tag, "src");
    case key("object"):
      return embedded(tag, "data");
    case key("input"):
      if (same_html_name(value(tag, "type"), "image")) image(tag);
      return;
    case key("body"):
      return embedded(tag, "background");
    case key("svg"):
      ++svg_;
      return;
    default:
      if (is_navigation(tag.key)) ++navigation_;
  }
}

void PageLinks::end_tag(HtmlNameKey element) {
  if (in_anchor_) {
    if (element == key("a")) return close_anchor();
    if (separates_words(element)) anchor_text_.add_space();
  }
  if (element == key("svg")) {
    if (svg_ > 0) --svg_;
  } else if (navigation_ > 0 && is_navigation(element)) {
    --navigation_;
  }
}

void PageLinks::text(const HtmlText& text) {
  if (!in_anchor_ || (text.content != HtmlContent::data && text.content != HtmlContent::cdata)) return;
  anchor_text_.add(text.decoded(scratch_));
}

std::string_view PageLinks::value(const HtmlTag& tag, std::string_view name) {
  const HtmlAttribute* attribute = tag.find(name);
  return attribute == nullptr ? std::string_view{} : tag.value(*attribute, scratch_);
}

std::optional<std::size_t> PageLinks::add(LinkKind kind, std::string_view target) {
  target = trim_html_space(target);
  if (target.size() > page_limits::kUrl || links_.size() >= page_limits::kLinks) return std::nullopt;
  bytes_ += target.size();
  if (bytes_ > page_limits::kLinkBytes) return std::nullopt;
  drafts_.push_back({.target_begin = targets_.size(),
                     .target_size = target.size(),
                     .has_target_attribute = false,
                     .is_favicon = false,
                     .is_image = false});
  targets_ += target;
  Link& link = links_.emplace_back();
  link.kind = kind;
  if (navigation_ > 0) link.flags |= LinkFlags::in_navigation;
  return links_.size() - 1;
}

void PageLinks::set_rel(Link& link, const LinkRel& rel) {
  link.flags |= rel.flags;
  link.rel = rel.tokens;
  bytes_ += rel.tokens.size();
}

void PageLinks::set_text(Link& link, std::string_view text) {
  if (!texts_) return;
  link.text = collapsed(text, page_limits::kLinkText);
  bytes_ += link.text.size();
}

void PageLinks::close_anchor() {
  if (open_anchor_ && texts_) {
    Link& link = links_[*open_anchor_];
    link.text = anchor_text_.empty() ? collapsed(anchor_label_, page_limits::kLinkText) : anchor_text_.text();
    bytes_ += link.text.size();
  }
  anchor_text_.clear();
  anchor_label_.clear();
  open_anchor_.reset();
  in_anchor_ = false;
}

void PageLinks::anchor(const HtmlTag& tag) {
  if (in_anchor_) close_anchor();  // there are no links inside links (section 13.2.6.4.7, start tag "a")
  const HtmlAttribute* href = tag.find("href");
  if (href == nullptr && svg_ > 0) href = tag.find("xlink:href");
  if (href == nullptr) return;
  open_anchor_ = add(LinkKind::anchor, tag.value(*href, scratch_));
  in_anchor_ = open_anchor_.has_value();
  if (!in_anchor_) return;
  Link& link = links_[*open_anchor_];
  bool has_label = false;
  for (const HtmlAttribute& attribute : tag.attributes) {
    if (attribute.duplicate) continue;
    switch (html_name_key(tag.raw_name(attribute))) {
      case key("rel"):
        set_rel(link, parse_rel(tag.value(attribute, scratch_)));
        break;
      case key("target"):
        drafts_.back().has_target_attribute = true;
        if (same_html_name(tag.raw_value(attribute), "_blank")) link.flags |= LinkFlags::new_window;
        break;
      case key("download"):
        link.flags |= LinkFlags::download;
        break;
      case key("aria-label"):
        if (!texts_) break;
        anchor_label_ = tag.value(attribute, scratch_);
        has_label = true;
        break;
      case key("title"):
        if (texts_ && !has_label) anchor_label_ = tag.value(attribute, scratch_);
        break;
      case key("hreflang"):
        link.hreflang = collapsed(tag.value(attribute, scratch_), page_limits::kLanguageTag);
        break;
      default:
        break;
    }
  }
}

void PageLinks::area(const HtmlTag& tag) {
  const HtmlAttribute* href = tag.find("href");
  if (href == nullptr) return;
  const auto at = add(LinkKind::area, tag.value(*href, scratch_));
  if (!at) return;
  Link& link = links_[*at];
  if (const HtmlAttribute* target = tag.find("target")) {
    drafts_.back().has_target_attribute = true;
    if (same_html_name(tag.raw_value(*target), "_blank")) link.flags |= LinkFlags::new_window;
  }
  if (tag.find("download") != nullptr) link.flags |= LinkFlags::download;
  set_rel(link, parse_rel(value(tag, "rel")));
  for (const std::string_view name : {"alt", "aria-label", "title"})
    if (link.text.empty()) set_text(link, value(tag, name));
}

void PageLinks::form(const HtmlTag& tag) {
  // GET is also what an invalid method means (section 4.10.19.6). Without an action it leads back to the page itself.
  const std::string_view method = value(tag, "method");
  if (same_html_name(method, "post") || same_html_name(method, "dialog")) return;
  const HtmlAttribute* action = tag.find("action");
  if (action == nullptr) return;
  const auto at = add(LinkKind::form, tag.value(*action, scratch_));
  if (!at) return;
  if (const HtmlAttribute* target = tag.find("target")) {
    drafts_.back().has_target_attribute = true;
    if (same_html_name(tag.raw_value(*target), "_blank")) links_[*at].flags |= LinkFlags::new_window;
  }
  set_text(links_[*at], value(tag, "aria-label"));
}

void PageLinks::frame(const HtmlTag& tag, LinkKind kind) {
  const HtmlAttribute* src = tag.find("src");
  if (src == nullptr) return;
  const std::string_view target = trim_html_space(tag.value(*src, scratch_));
  if (target.empty()) return;  // an empty frame is about:blank, not the page itself
  if (const auto at = add(kind, target)) set_text(links_[*at], value(tag, "title"));
}

void PageLinks::link_element(const HtmlTag& tag) {
  const LinkRel rel = parse_rel(value(tag, "rel"));
  const HtmlAttribute* href = tag.find("href");
  if (href == nullptr || rel.tokens.empty()) return;
  const std::string type{value(tag, "type")};
  const std::string hreflang = collapsed(value(tag, "hreflang"), page_limits::kLanguageTag);
  const std::string_view target = trim_html_space(tag.value(*href, scratch_));
  if (target.empty()) return;  // section 4.2.4: such a link is none
  const auto at = add(kind_of_link(rel, type, !hreflang.empty()), target);
  if (!at) return;
  drafts_.back().is_favicon = rel.is_icon;
  drafts_.back().is_image = rel.is_image;
  drafts_.back().has_target_attribute = true;  // it opens no window
  Link& link = links_[*at];
  set_rel(link, rel);
  link.hreflang = hreflang;
  set_text(link, value(tag, "title"));
}

void PageLinks::base_element(const HtmlTag& tag) {
  if (const HtmlAttribute* href = tag.find("href"); href != nullptr && !base_) {
    base_ = tag.value(*href, scratch_).substr(0, page_limits::kUrl);
  }
  if (const HtmlAttribute* target = tag.find("target"); target != nullptr && !base_seen_target_) {
    base_seen_target_ = true;
    base_opens_window_ = same_html_name(tag.raw_value(*target), "_blank");
  }
}

void PageLinks::image(const HtmlTag& tag) {
  if (in_anchor_ && texts_) {
    anchor_text_.add(value(tag, "alt"));
    anchor_text_.add_space();
    if (anchor_label_.empty()) anchor_label_ = value(tag, "title");
  }
  std::string_view target = trim_html_space(value(tag, "src"));
  if (target.empty()) target = first_of_srcset(value(tag, "srcset"));
  if (target.empty()) return;
  const auto at = add(LinkKind::embedded, target);
  if (at && texts_) set_text(links_[*at], value(tag, "alt"));
}

void PageLinks::embedded(const HtmlTag& tag, std::string_view attribute) {
  if (const std::string_view target = trim_html_space(value(tag, attribute)); !target.empty()) {
    add(LinkKind::embedded, target);
  }
}

void PageLinks::object_in_svg(const HtmlTag& tag) {
  embedded(tag, tag.find("href") != nullptr ? "href" : "xlink:href");
}

PageLinks::Resolved PageLinks::finish(const Url& page, std::string_view query_charset) {
  close_anchor();
  Resolved out;
  out.base = base_of(page, base_, query_charset);
  if (!texts_) out.urls.reserve(links_.size());
  std::size_t kept = 0, resolved_bytes = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Draft& draft = drafts_[i];
    Link& link = links_[i];
    const auto target = std::string_view(targets_).substr(draft.target_begin, draft.target_size);
    Result<Url> url = Url::parse(target, &out.base, query_charset);
    if (!url) continue;
    // Of what is no anchor only that counts which can be fetched: not data:, javascript:, about:blank.
    if (!url->is_http() && link.kind != LinkKind::anchor && link.kind != LinkKind::area) continue;
    if (url->href().size() > page_limits::kUrl) continue;
    resolved_bytes += url->href().size();
    if (resolved_bytes > page_limits::kTargetBytes) break;
    link.reach = reach_of(*url, page);
    const bool navigates = link.kind == LinkKind::anchor || link.kind == LinkKind::area || link.kind == LinkKind::form;
    if (base_opens_window_ && navigates && !draft.has_target_attribute) link.flags |= LinkFlags::new_window;
    if (draft.is_favicon && out.favicon.empty()) out.favicon = url->href();
    if (draft.is_image && out.image.empty()) out.image = url->href();
    if (link.kind == LinkKind::canonical && out.canonical.empty()) out.canonical = url->href();
    if (texts_) {
      link.target = url->href();
    } else {
      out.urls.push_back(std::move(*url));
    }
    link.position = static_cast<std::uint32_t>(kept);
    if (kept != i) links_[kept] = std::move(link);
    ++kept;
  }
  links_.resize(kept);
  out.links = std::move(links_);
  return out;
}

}  // namespace outrider
