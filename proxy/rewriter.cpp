#include "proxy/rewriter.hpp"

#include "proxy/page_charset.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace outrider {
namespace {

constexpr bool is_void(HtmlNameKey key) {
  switch (key) {
    case html_name_key("area"):
    case html_name_key("base"):
    case html_name_key("basefont"):
    case html_name_key("bgsound"):
    case html_name_key("br"):
    case html_name_key("col"):
    case html_name_key("embed"):
    case html_name_key("frame"):
    case html_name_key("hr"):
    case html_name_key("img"):
    case html_name_key("input"):
    case html_name_key("keygen"):
    case html_name_key("link"):
    case html_name_key("meta"):
    case html_name_key("param"):
    case html_name_key("source"):
    case html_name_key("track"):
    case html_name_key("wbr"):
      return true;
    default:
      return false;
  }
}

// Where it ends depends on what follows (HTML standard, section 13.1.2.4), or it is the page itself.
constexpr bool has_doubtful_end(HtmlNameKey key) {
  switch (key) {
    case html_name_key("html"):
    case html_name_key("head"):
    case html_name_key("body"):
    case html_name_key("p"):
    case html_name_key("li"):
    case html_name_key("dt"):
    case html_name_key("dd"):
    case html_name_key("rt"):
    case html_name_key("rp"):
    case html_name_key("option"):
    case html_name_key("optgroup"):
    case html_name_key("caption"):
    case html_name_key("colgroup"):
    case html_name_key("thead"):
    case html_name_key("tbody"):
    case html_name_key("tfoot"):
    case html_name_key("tr"):
    case html_name_key("td"):
    case html_name_key("th"):
    case html_name_key("plaintext"):
      return true;
    default:
      return false;
  }
}

constexpr std::size_t kStep = 4096;

}  // namespace

PageRewriter::PageRewriter(Filters filters, Options options)
    : options_(std::move(options)), tokenizer_(*this, HtmlOptions{options_.limits, true}) {
  for (std::unique_ptr<PageFilter>& filter : filters) {
    Slot& slot = slots_.emplace_back();
    slot.filter = std::move(filter);
    PageInterest interest;
    ask(slot, [&](PageFilter& asked) { interest = asked.interest(); });
    for (PageInterest::Tags& tags : interest.tags)
      wanted_.push_back(
          {tags.element.empty() ? 0 : html_name_key(tags.element), std::move(tags.attribute), slots_.size() - 1});
    slot.text = interest.text;
    slot.comments = interest.comments;
    slot.end_tags = interest.end_tags;
    slot.head_only = interest.head_only;
    slot.until_done = interest.until_done;
    ends_early_ = ends_early_ && (slot.head_only || slot.until_done || !slot.filter);
    wants_text_ |= slot.text;
    wants_comments_ |= slot.comments;
    wants_end_tags_ |= slot.end_tags;
  }
}

PageRewriter::~PageRewriter() = default;

std::string_view PageRewriter::feed(std::string_view chunk) {
  out_.clear();
  chunk_ = chunk;
  if (!ends_early_) {
    tokenizer_.feed(chunk);
    return take();
  }
  // In small steps: what nobody wants is not to be looked at.
  while (!chunk.empty() && !unread_) {
    const std::string_view step = chunk.substr(0, kStep);
    chunk.remove_prefix(step.size());
    tokenizer_.feed(step);
    unread_ = !is_anybody_left() && is_between_tokens();
  }
  if (!chunk.empty()) pass(chunk);
  return take();
}

bool PageRewriter::is_between_tokens() const {
  return tokenizer_.held() == 0 && removing_ == 0 && pending_after_.empty() && !drop_remainder_;
}

bool PageRewriter::is_anybody_left() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [this](const Slot& slot) { return slot.filter && !(slot.head_only && places_.in_body()); });
}

std::string_view PageRewriter::finish() {
  out_.clear();
  chunk_ = {};
  if (!unread_) tokenizer_.finish();
  return take();
}

// Usually nothing of a chunk is changed, and it goes on as it is.
std::string_view PageRewriter::take() {
  const std::string_view run = std::exchange(run_, {});
  if (out_.empty()) return run;
  out_ += run;
  return out_;
}

void PageRewriter::pass(std::string_view raw) {
  if (run_.data() + run_.size() == raw.data()) {
    run_ = {run_.data(), run_.size() + raw.size()};
    return;
  }
  out_ += std::exchange(run_, {});
  const std::less_equal<> not_behind;
  if (not_behind(chunk_.data(), raw.data()) && not_behind(raw.data() + raw.size(), chunk_.data() + chunk_.size())) {
    run_ = raw;
  } else {
    out_ += raw;  // it began in an earlier chunk
  }
}

void PageRewriter::splice(std::string_view bytes) {
  if (bytes.empty()) return;
  out_ += std::exchange(run_, {});
  out_ += bytes;
}

// A filter that fails is not asked again, and what it did to this token has not happened.
template <class Call>
void PageRewriter::ask(Slot& slot, Call&& call) {
  if (!slot.filter) return;
  if (options_.calling) options_.calling(static_cast<std::size_t>(&slot - slots_.data()));
  const SteadyTime begin = options_.measure ? std::chrono::steady_clock::now() : SteadyTime{};
  std::optional<Edits> by_others;
  if (touched_) by_others = edit_;
  std::string what;
  try {
    call(*slot.filter);
    if (slot.until_done && slot.filter->is_done()) slot.filter.reset();
    if (options_.measure) slot.spent += std::chrono::steady_clock::now() - begin;
    return;
  } catch (const std::exception& failure) {
    what = failure.what();
  } catch (...) {
    what = "an exception that is no std::exception";
  }
  touched_ = by_others.has_value();
  if (by_others) {
    edit_ = std::move(*by_others);
  } else {
    edit_.clear();
  }
  slot.filter.reset();
  if (options_.failed) options_.failed(static_cast<std::size_t>(&slot - slots_.data()), what.c_str());
}

void PageRewriter::Edits::clear() {
  before.clear();
  after.clear();
  replacement.clear();
  attributes.clear();
  replaced = element = false;
}

std::string PageRewriter::inserted_at(PagePlace place) {
  std::string html;
  if (place >= PagePlace::body_start)  // wherever the network cut the page: they see no more of it
    for (Slot& slot : slots_)
      if (slot.head_only) slot.filter.reset();
  for (Slot& slot : slots_)
    ask(slot, [&](PageFilter& filter) { append_html_markup(html, filter.insert_at(place), options_.utf8); });
  if (!html.empty()) ++edits_;
  return html;
}

// What stands before the token, now; what stands behind it goes to the edits of the token.
void PageRewriter::insert(PagePlaces::Found found) {
  for (std::uint8_t i = 0; i < found.before; ++i) splice(inserted_at(found.places[i]));
  for (std::uint8_t i = 0; i < found.after; ++i) {
    edit_.after += inserted_at(found.places[found.before + i]);
    touched_ = touched_ || !edit_.after.empty();
  }
}

void PageRewriter::on_start_tag(const HtmlTag& tag) {
  open_end_ = true;
  first_ = false;
  if (removing_ != 0) {
    drop_remainder_ = tag.truncated;
    if (tag.key == removing_ && !is_void(tag.key) && !tokenizer_.closes_itself(tag)) ++removing_depth_;
    return;
  }
  untouchable_ = tag.truncated;
  current_tag_ = &tag;
  if (!off_) {
    insert(places_.start_tag(tag.key));
    if (tag.key == html_name_key("meta") && !options_.charset_given) look_at_charset(tag);
    std::size_t asked = slots_.size();  // a filter may have named the tag in several ways; its entries stand together
    for (const Wanted& wanted : wanted_) {
      if (wanted.slot == asked || (wanted.element != 0 && wanted.element != tag.key)) continue;
      if (!wanted.attribute.empty() && tag.find(wanted.attribute) == nullptr) continue;
      asked = wanted.slot;
      ask(slots_[asked], [&](PageFilter& filter) { filter.on_start_tag(tag, *this); });
    }
  }
  emit(tag, &tag);
}

void PageRewriter::on_end_tag(const HtmlTag& tag) {
  open_end_ = true;
  first_ = false;
  if (removing_ != 0) {
    if (tag.key == removing_) {
      drop_remainder_ = tag.truncated;
      if (--removing_depth_ == 0) removing_ = 0;
      return;
    }
    if (tag.key != html_name_key("body") && tag.key != html_name_key("html")) {
      drop_remainder_ = tag.truncated;
      return;
    }
    removing_ = 0;  // it was never closed
  }
  untouchable_ = tag.truncated;
  current_tag_ = nullptr;
  if (!off_) {
    insert(places_.end_tag(tag.key));
    if (wants_end_tags_) {
      std::size_t asked = slots_.size();
      for (const Wanted& wanted : wanted_) {
        if (wanted.slot == asked || !slots_[wanted.slot].end_tags || (wanted.element != 0 && wanted.element != tag.key))
          continue;
        asked = wanted.slot;
        ask(slots_[asked], [&](PageFilter& filter) { filter.on_end_tag(tag, *this); });
      }
    }
  }
  emit(tag, nullptr);
}

void PageRewriter::on_text(const HtmlText& text) {
  open_end_ = text.content == HtmlContent::data;
  if (first_) {
    first_ = false;
    // Encoding standard, section "BOM sniff": it wins over everything else that is said about the encoding.
    if (text.raw.starts_with("\xEF\xBB\xBF")) options_.utf8 = options_.charset_given = true;
    if (text.raw[0] == '\xFE' || text.raw[0] == '\xFF') off_ = true;
  }
  if (removing_ != 0) return;
  untouchable_ = false;
  current_tag_ = nullptr;
  if (!off_) {
    insert(places_.text(text));
    if (wants_text_) {
      for (Slot& slot : slots_)
        if (slot.text) ask(slot, [&](PageFilter& filter) { filter.on_text(text, *this); });
    }
  }
  emit(text, nullptr);
}

void PageRewriter::on_comment(const HtmlComment& comment) {
  open_end_ = false;  // an unfinished one would swallow what is put behind it
  first_ = false;
  if (removing_ != 0) {
    drop_remainder_ = comment.truncated;
    return;
  }
  untouchable_ = comment.truncated;
  current_tag_ = nullptr;
  if (!off_ && wants_comments_) {
    for (Slot& slot : slots_)
      if (slot.comments) ask(slot, [&](PageFilter& filter) { filter.on_comment(comment, *this); });
  }
  emit(comment, nullptr);
}

void PageRewriter::on_doctype(const HtmlDoctype& doctype) {
  open_end_ = false;
  first_ = false;
  if (removing_ == 0) {
    emit(doctype, nullptr);
  } else {
    drop_remainder_ = doctype.truncated;
  }
}

void PageRewriter::on_filler(const HtmlFiller& filler) {
  open_end_ = false;
  first_ = false;
  if (filler.kind == HtmlFiller::Kind::remainder) {
    if (!drop_remainder_) pass(filler.raw);
  } else if (removing_ == 0) {
    emit(filler, nullptr);
  }
}

void PageRewriter::on_end(std::uint64_t) {
  splice(std::exchange(pending_after_, {}));
  if (off_) return;
  insert(places_.end(open_end_ && removing_ == 0));
  for (Slot& slot : slots_) ask(slot, [](PageFilter& filter) { filter.on_end(); });
}

void PageRewriter::emit(const HtmlToken& token, const HtmlTag* tag) {
  drop_remainder_ = false;
  if (!pending_after_.empty()) splice(std::exchange(pending_after_, {}));
  if (!touched_) {
    pass(token.raw);
    return;
  }
  touched_ = false;
  ++edits_;
  splice(edit_.before);
  if (edit_.element && tag != nullptr) {
    if (!is_void(tag->key) && !tokenizer_.closes_itself(*tag)) {
      removing_ = tag->key;
      removing_depth_ = 1;
    }
  } else if (edit_.replaced) {
    splice(edit_.replacement);
  } else if (!edit_.attributes.empty() && tag != nullptr) {
    out_ += std::exchange(run_, {});
    edit_.attributes.apply(*tag, options_.utf8, out_);
  } else {
    pass(token.raw);
  }
  if (token.truncated) {
    pending_after_ = edit_.after;
  } else {
    splice(edit_.after);
  }
  edit_.clear();
}

// HTML standard, section 13.2.3.2. ASCII that was inserted before this is right in all of them.
void PageRewriter::look_at_charset(const HtmlTag& meta) {
  if (places_.in_body()) return;
  const std::string label = charset_of_meta(meta);
  if (label.empty()) return;
  options_.charset_given = true;
  options_.utf8 = is_utf8_label(label);
  // UTF-16 declared in ASCII cannot be true, and is read as UTF-8 (same section).
  if (label.size() >= 6 && same_html_name(std::string_view{label}.substr(0, 6), "utf-16")) return;
  if (!is_ascii_compatible(label)) off_ = true;
}

// --- what filters do with the current token

void PageRewriter::before(std::string_view html) {
  append_html_markup(edit_.before, html, options_.utf8);
  touched_ = true;
}

void PageRewriter::after(std::string_view html) {
  append_html_markup(edit_.after, html, options_.utf8);
  touched_ = true;
}

void PageRewriter::replace(std::string_view html) {
  if (untouchable_) return;
  edit_.replacement.clear();
  append_html_markup(edit_.replacement, html, options_.utf8);
  edit_.replaced = touched_ = true;
}

void PageRewriter::replace_by_text(std::string_view text) {
  if (untouchable_) return;
  edit_.replacement.clear();
  append_html_text(edit_.replacement, text, options_.utf8);
  edit_.replaced = touched_ = true;
}

bool PageRewriter::set_attribute(std::string_view name, std::string_view value) {
  if (untouchable_ || current_tag_ == nullptr || name.empty()) return false;
  constexpr std::string_view kNotInNames{" \t\n\f\r\"'<>/=\0", 12};
  if (name.find_first_of(kNotInNames) != std::string_view::npos) return false;
  if (current_tag_->attributes_dropped && current_tag_->find(name) == nullptr) return false;  // it may be there
  edit_.attributes.set(name, value);
  touched_ = true;
  return true;
}

bool PageRewriter::remove_attribute(std::string_view name) {
  if (untouchable_ || current_tag_ == nullptr || current_tag_->attributes_dropped) return false;
  if (current_tag_->find(name) == nullptr) return true;
  edit_.attributes.remove(name);
  touched_ = true;
  return true;
}

bool PageRewriter::remove_element() {
  if (untouchable_ || current_tag_ == nullptr || has_doubtful_end(current_tag_->key)) return false;
  edit_.element = touched_ = true;
  return true;
}

}  // namespace outrider
