#include "cache/page_head.hpp"

#include "cache/json_ld.hpp"
#include "cache/page_dates.hpp"
#include "cache/page_limits.hpp"
#include "cache/page_meta.hpp"

#include <utility>

namespace outrider {
namespace {

using html_names::key;

std::string resolved(std::string_view target, const Url& base, std::string_view query_charset) {
  if (target.empty()) return {};
  const Result<Url> url = Url::parse(target, &base, query_charset);
  return url && url->is_http() && url->href().size() <= page_limits::kUrl ? url->href() : std::string{};
}

bool contains_word(std::string_view text, std::string_view lower_case_word) {
  for (std::size_t at = 0; at + lower_case_word.size() <= text.size(); ++at)
    if (same_html_name(text.substr(at, lower_case_word.size()), lower_case_word)) return true;
  return false;
}

}  // namespace

PageHead::PageHead() : title_(page_limits::kTitle) {}

void PageHead::start_tag(const HtmlTag& tag) {
  switch (tag.key) {
    case key("meta"):
      return meta(tag);
    case key("title"):
      in_title_ = !has_title_ && svg_ == 0;  // <svg> has titles of its own
      return;
    case key("html"):
      return html_element(tag);
    case key("time"):
      return time_element(tag);
    case key("svg"):
      ++svg_;
      return;
    case key("article"):
    case key("main"):
      ++article_;
      return;
    case key("script"):
      if (const HtmlAttribute* type = tag.find("type");
          type != nullptr && same_html_name(trim_html_space(tag.value(*type, scratch_)), "application/ld+json")) {
        json_ld_.clear();
        in_json_ld_ = ++json_ld_scripts_ <= page_limits::kJsonLdScripts;
      }
      return;
    default:
      return;
  }
}

void PageHead::end_tag(HtmlNameKey element) {
  switch (element) {
    case key("title"):
      if (in_title_) {
        has_title_ = true;
        in_title_ = false;
        if (std::string text = title_.take(); !text.empty()) facts_.title.offer(1, std::move(text));
      }
      return;
    case key("script"):
      if (in_json_ld_) finish_json_ld();
      return;
    case key("svg"):
      if (svg_ > 0) --svg_;
      return;
    case key("article"):
    case key("main"):
      if (article_ > 0) --article_;
      return;
    default:
      return;
  }
}

void PageHead::text(const HtmlText& text) {
  if (in_title_) title_.add(text.decoded(scratch_));
  if (in_json_ld_ && json_ld_.size() <= page_limits::kJsonLdBytes) json_ld_ += text.characters;
}

void PageHead::finish_json_ld() {
  in_json_ld_ = false;
  if (json_ld_.size() <= page_limits::kJsonLdBytes) read_json_ld(trim_html_space(json_ld_), facts_);
  json_ld_.clear();
}

void PageHead::html_element(const HtmlTag& tag) {
  for (const std::string_view name : {"lang", "xml:lang"}) {
    const HtmlAttribute* lang = tag.find(name);
    if (lang == nullptr) continue;
    if (std::string tag_text = language_tag(tag.value(*lang, scratch_)); !tag_text.empty()) {
      facts_.language.offer(1, std::move(tag_text));
    }
  }
}

void PageHead::meta(const HtmlTag& tag) {
  const HtmlAttribute* content = tag.find("content");
  if (content == nullptr) return;
  content_ = tag.value(*content, scratch_);
  for (const std::string_view naming : {"name", "property", "itemprop"}) {
    if (const HtmlAttribute* name = tag.find(naming)) note_meta(tag.value(*name, scratch_), content_, facts_);
  }
  const HtmlAttribute* equivalent = tag.find("http-equiv");
  if (equivalent == nullptr) return;
  const HtmlNameKey header = html_name_key(tag.value(*equivalent, scratch_));
  if (header == key("refresh")) {
    if (const auto target = refresh_target(content_); target && !target->empty()) refresh_ = *target;
  } else if (header == key("content-language")) {
    if (std::string language = language_tag(content_); !language.empty()) {
      facts_.language.offer(2, std::move(language));
    }
  } else if (header == key("last-modified")) {
    note_meta("last-modified", content_, facts_);
  }
}

// A <time> may be of anything. It is that of the page if it says so, or if it is the first one of the article.
void PageHead::time_element(const HtmlTag& tag) {
  const HtmlAttribute* datetime = tag.find("datetime");
  if (datetime == nullptr) return;
  const auto date = parse_page_date(tag.value(*datetime, scratch_));
  if (!date) return;
  const auto attribute = [&](std::string_view name) {
    const HtmlAttribute* found = tag.find(name);
    return found == nullptr ? std::string_view{} : tag.value(*found, scratch_);
  };
  const HtmlNameKey property = html_name_key(attribute("itemprop"));
  const std::string_view classes = attribute("class");
  const bool says_published = contains_word(classes, "publish") || contains_word(classes, "entry-date");
  const bool says_updated = contains_word(classes, "updated") || contains_word(classes, "modified");
  if (property == key("datemodified") || (says_updated && !says_published)) {
    facts_.modified.offer(property == key("datemodified") ? 2 : 6, date);
  } else if (property == key("datepublished") || tag.find("pubdate") != nullptr) {
    facts_.published.offer(2, date);
  } else if (says_published) {
    facts_.published.offer(6, date);
  } else if (article_ > 0) {
    facts_.published.offer(7, date);
  }
}

std::optional<std::string> PageHead::take_refresh() {
  return std::exchange(refresh_, std::nullopt);
}

void PageHead::finish(PageContent& page, const Url& base, std::string_view query_charset) {
  if (in_title_) end_tag(key("title"));  // the page ended inside it
  page.title = std::move(facts_.title.value);
  page.description = std::move(facts_.description.value);
  page.keywords = std::move(facts_.keywords);
  page.author = std::move(facts_.author.value);
  page.site_name = std::move(facts_.site_name.value);
  page.declared_language = std::move(facts_.language.value);
  page.image = resolved(facts_.image.value, base, query_charset);
  page.published = facts_.published.value;
  page.modified = facts_.modified.value;
  page.robots = facts_.robots;
}

}  // namespace outrider
