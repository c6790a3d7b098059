#include "cache/nested_page.hpp"

#include "base/html_tokenizer.hpp"
#include "cache/nesting_rules.hpp"
#include "cache/page_skeleton.hpp"

#include <cstdint>
#include <string>

namespace outrider {
namespace {

constexpr HtmlOptions kOptions{.limits = {}, .scripting = false};  // as page_skeleton
constexpr std::size_t kSlice = 4 << 10;  // so much is read at most after it turned out to be in vain

constexpr HtmlNameKey key(std::string_view name) {
  return html_name_key(name);
}

using Kind = NestingKind;

bool is_cell(HtmlNameKey element) {
  return element == key("td") || element == key("th");
}

bool is_section(HtmlNameKey element) {
  return element == key("tbody") || element == key("thead") || element == key("tfoot");
}

class NestedReader final : public HtmlHandler {
 public:
  bool gave_up() const { return gave_up_; }
  std::vector<TextBlock> finish() {
    while (!open_.empty()) leave_last();
    return blocks_.finish();
  }

  void on_start_tag(const HtmlTag& tag) override {
    unread_ = is_unread(tag.key);
    if (gave_up_ || is_left_out(tag.key)) return;
    if (tag.truncated || tag.attributes_dropped) return give_up();
    tag_ = &tag;
    if (templates_ > 0 || tag.key == key("template")) return start_template(tag.key);
    if (svg_ > 0) return start_in_svg(tag.key);
    if (in_select_) return tag.key == key("option") || tag.key == key("optgroup") ? void() : give_up();
    if (open_.empty() && !start_before_body(tag.key)) return;
    start_in_body(tag.key, nesting_kind(tag.key));
  }

  void on_end_tag(const HtmlTag& tag) override {
    unread_ = false;
    if (gave_up_ || is_left_out(tag.key)) return;
    if (templates_ > 0) return end_in_template(tag.key);
    if (svg_ > 0) return end_in_svg(tag.key);
    if (in_select_) return end_in_select(tag.key);
    if (open_.empty()) return end_before_body(tag.key);
    end_in_body(tag.key, nesting_kind(tag.key));
  }

  void on_text(const HtmlText& text) override {
    if (gave_up_ || unread_ || in_select_ || in_title_ || templates_ > 0) return;
    const bool blank = is_blank_text(text.characters);
    if (open_.empty()) {
      if (blank) return;
      if (in_head_noscript_) return give_up();
      begin_body();
    }
    if (in_table_structure()) return blank ? void() : give_up();
    blocks_.text(blank ? std::string_view{" "} : text.decoded(scratch_));
  }

  void on_doctype(const HtmlDoctype& doctype) override {
    // In other modes a table may stand in a paragraph (section 13.2.6.4.1).
    standards_ = !doctype.force_quirks && !doctype.public_id.present && !doctype.system_id.present &&
                 same_html_name(doctype.raw_of(doctype.name), "html");
  }

 private:
  struct Open {
    HtmlNameKey element;
    Kind kind;
  };

  void give_up() { gave_up_ = true; }

  // --- the stack of open elements; the first one is the body

  HtmlNameKey last() const { return open_.back().element; }
  bool in_table_structure() const { return open_.back().kind == Kind::table || open_.back().kind == Kind::table_part; }

  void push(HtmlNameKey element, Kind kind, const PageBlocks::Hints& hints) {
    blocks_.enter(element, hints);
    open_.push_back({element, kind});
    if (element == key("p")) ++paragraphs_;
    if (element == key("a")) ++anchors_;
    if (kind == Kind::form) ++forms_;
  }
  void push(HtmlNameKey element, Kind kind) { push(element, kind, hints_of(*tag_)); }

  void leave_last() {
    const Open& gone = open_.back();
    if (gone.element == key("p")) --paragraphs_;
    if (gone.element == key("a")) --anchors_;
    if (gone.kind == Kind::form) --forms_;
    blocks_.leave(gone.element);
    open_.pop_back();
  }

  // And that one, too. A formatting element that is closed together with what is around it begins again behind it; a
  // form that is not closed by its own tag stays in force.
  void pop_to(std::size_t index) {
    while (open_.size() > index) {
      const bool is_last = open_.size() == index + 1;
      const Kind kind = open_.back().kind;
      if (!is_last && (kind == Kind::formatting || kind == Kind::form)) return give_up();
      leave_last();
    }
  }

  // Where `element` is open; 0 if nowhere before one for which `ends` is true.
  template <class Ends>
  std::size_t find(HtmlNameKey element, const Ends& ends) const {
    for (std::size_t at = open_.size(); at-- > 1;) {
      if (open_[at].element == element) return at;
      if (ends(open_[at])) return 0;
    }
    return 0;
  }
  static bool ends_scope(const Open& open) { return open.kind == Kind::boundary || open.kind == Kind::table; }
  static bool ends_button_scope(const Open& open) { return ends_scope(open) || open.kind == Kind::button; }
  static bool is_special(const Open& open) { return open.kind != Kind::ordinary && open.kind != Kind::formatting; }

  void close_paragraph() {
    if (paragraphs_ == 0) return;
    if (const std::size_t at = find(key("p"), ends_button_scope); at > 0) pop_to(at);
  }

  PageBlocks::Hints hints_of(const HtmlTag& tag) {
    PageBlocks::Hints hints;
    for (const HtmlAttribute& attribute : tag.attributes) {
      if (attribute.duplicate) continue;
      switch (html_name_key(tag.raw_name(attribute))) {
        case key("id"):
          hints.id = tag.value(attribute, id_);
          break;
        case key("class"):
          hints.classes = tag.value(attribute, classes_);
          break;
        case key("role"):
          hints.role = tag.value(attribute, role_);
          break;
        case key("hidden"):
          hints.hidden = true;
          break;
        case key("aria-hidden"):
          hints.hidden = hints.hidden || tag.value(attribute, scratch_) == "true";
          break;
        default:
          break;
      }
    }
    return hints;
  }

  // --- before the body

  void begin_body() { push(key("body"), Kind::boundary, {}); }

  // False: it is dealt with.
  bool start_before_body(HtmlNameKey element) {
    switch (element) {
      case key("html"):
      case key("head"):
      case key("base"):
      case key("bgsound"):
        return false;
      case key("title"):
        in_title_ = true;
        return false;
      case key("noscript"):
        in_head_noscript_ = !head_is_over_;
        if (in_head_noscript_) return false;
        break;
      case key("body"):
        push(element, Kind::boundary);
        return false;
      default:
        break;
    }
    if (in_head_noscript_) give_up();
    begin_body();
    return !gave_up_;
  }

  void end_before_body(HtmlNameKey element) {
    if (element == key("head")) head_is_over_ = true;
    if (element == key("noscript")) in_head_noscript_ = false;
    if (element == key("title")) in_title_ = false;
    if (element == key("br") || element == key("body") || element == key("html")) give_up();
  }

  // --- in the body (section 13.2.6.4.7)

  void start_in_body(HtmlNameKey element, Kind kind) {
    if (kind == Kind::table_part || is_cell(element) || element == key("caption")) return start_table_part(element);
    if (in_table_structure()) return give_up();
    switch (kind) {
      case Kind::root:
        return;
      case Kind::rule:
        close_paragraph();
        [[fallthrough]];
      case Kind::empty:
        blocks_.enter(element, hints_of(*tag_));
        return blocks_.leave(element);
      case Kind::formatting:
        if (element == key("nobr") || (element == key("a") && anchors_ > 0)) return give_up();
        break;
      case Kind::heading:
        close_paragraph();
        if (open_.back().kind == Kind::heading) return give_up();
        break;
      case Kind::item:
        close_item(element);
        close_paragraph();
        break;
      case Kind::form:
        if (forms_ > 0) return give_up();
        [[fallthrough]];
      case Kind::block:
        close_paragraph();
        break;
      case Kind::table:
        if (paragraphs_ > 0 && !standards_) return give_up();
        close_paragraph();
        break;
      case Kind::button:
        if (find(element, ends_scope) > 0) return give_up();
        break;
      case Kind::select:
        in_select_ = true;
        return blocks_.enter(element, hints_of(*tag_));
      case Kind::svg:
        return start_in_svg(element);
      case Kind::strange:
        return give_up();
      default:
        break;
    }
    if (!gave_up_) push(element, kind);
  }

  // The item before it in the same list.
  void close_item(HtmlNameKey element) {
    const bool is_li = element == key("li");
    for (std::size_t at = open_.size(); at-- > 1;) {
      const auto [open, kind] = open_[at];
      if (kind == Kind::item && (open == key("li")) == is_li) return pop_to(at);
      const bool transparent = open == key("address") || open == key("div") || open == key("p");
      if (is_special(open_[at]) && !transparent) return;
    }
  }

  void end_in_body(HtmlNameKey element, Kind kind) {
    if (kind == Kind::table || kind == Kind::table_part || is_cell(element) || element == key("caption"))
      return end_table_part(element);
    if (element == key("body") || kind == Kind::root) return;  // what follows is still inside
    if (in_table_structure()) return give_up();
    switch (kind) {
      case Kind::strange:
        return give_up();
      case Kind::empty:
      case Kind::rule:
        return element == key("br") ? give_up() : void();
      case Kind::formatting:
        return end_formatting(element);
      case Kind::form:
        return end_form();
      case Kind::heading:
        return end_heading();
      case Kind::item: {
        const bool is_li = element == key("li");
        return end_in_scope(find(element, [is_li](const Open& open) {
          return ends_scope(open) || (is_li && (open.element == key("ul") || open.element == key("ol")));
        }));
      }
      case Kind::block:
        if (element == key("p")) return end_paragraph();
        [[fallthrough]];
      case Kind::boundary:
      case Kind::button:
        return end_in_scope(find(element, ends_scope));
      default:
        return end_ordinary(element);
    }
  }

  void end_in_scope(std::size_t at) {
    if (at > 0) pop_to(at);
  }

  void end_paragraph() {
    if (const std::size_t at = paragraphs_ > 0 ? find(key("p"), ends_button_scope) : 0; at > 0) return pop_to(at);
    blocks_.enter(key("p"), {});  // an empty one
    blocks_.leave(key("p"));
  }

  void end_heading() {
    for (std::size_t at = open_.size(); at-- > 1 && !ends_scope(open_[at]);)
      if (open_[at].kind == Kind::heading) return pop_to(at);
  }

  void end_form() {
    std::size_t at = open_.size() - 1;
    while (at > 0 && (open_[at].kind == Kind::item || open_[at].element == key("p"))) --at;
    if (open_[at].kind == Kind::form) return pop_to(at);
    if (forms_ > 0) give_up();
  }

  void end_ordinary(HtmlNameKey element) { end_in_scope(find(element, is_special)); }

  void end_formatting(HtmlNameKey element) {
    bool in_order = true;
    for (std::size_t at = open_.size(); at-- > 1;) {
      if (open_[at].element == element) return in_order ? pop_to(at) : give_up();
      in_order = in_order && open_[at].kind == Kind::ordinary;
    }
  }

  // --- tables (sections 13.2.6.4.9 to 13.2.6.4.15)

  // The cell or caption in which the last element stands; 0: in none.
  std::size_t find_cell() {
    for (std::size_t at = open_.size(); at-- > 1;) {
      if (is_cell(open_[at].element) || open_[at].element == key("caption")) return at;
      if (open_[at].kind == Kind::table) return 0;
      if (open_[at].kind == Kind::boundary) give_up();
    }
    return 0;
  }

  void start_table_part(HtmlNameKey element) {
    if (!in_table_structure()) {
      const std::size_t cell = find_cell();
      if (cell == 0 || gave_up_) return;  // outside a table it means nothing
      if (!is_cell(open_[cell].element)) return give_up();
      pop_to(cell);
    }
    while (!gave_up_) {
      const HtmlNameKey parent = last();
      const bool is_row = element == key("tr");
      if (parent == key("table")) {
        if (is_section(element) || element == key("colgroup")) return push(element, Kind::table_part);
        if (element == key("caption")) return push(element, Kind::boundary);
        push(element == key("col") ? key("colgroup") : key("tbody"), Kind::table_part, {});
      } else if (is_section(parent)) {
        if (is_row) return push(element, Kind::table_part);
        is_cell(element) ? push(key("tr"), Kind::table_part, {}) : leave_last();
      } else if (parent == key("tr") && is_cell(element)) {
        return push(element, Kind::boundary);
      } else if (parent == key("colgroup") && element == key("col")) {
        blocks_.enter(element, hints_of(*tag_));
        return blocks_.leave(element);
      } else {
        leave_last();
      }
    }
  }

  void end_table_part(HtmlNameKey element) {
    const auto is_table = [](const Open& open) { return open.kind == Kind::table; };
    std::size_t at = find(element, is_table);
    if (at == 0) return;  // there is none
    if (is_cell(element) || element == key("caption") || in_table_structure()) {
      if (!in_table_structure() && find_cell() != at) give_up();
      return gave_up_ ? void() : pop_to(at);
    }
    const std::size_t cell = find_cell();
    if (cell == 0 || gave_up_) return give_up();
    pop_to(cell);
    if (!gave_up_) pop_to(at);
  }

  // --- what is left out as a whole

  // Nothing that is inside reaches out.
  void start_template(HtmlNameKey element) {
    if (element != key("template")) return;
    const bool is_simple = svg_ == 0 && !in_select_ && !in_head_noscript_ && (open_.empty() || !in_table_structure());
    if (templates_ == 0 && !is_simple) return give_up();
    ++templates_;
    blocks_.enter(element, {});
  }

  void end_in_template(HtmlNameKey element) {
    if (element != key("template")) return;
    --templates_;
    blocks_.leave(element);
  }

  void end_in_select(HtmlNameKey element) {
    if (element == key("option") || element == key("optgroup")) return;
    if (element != key("select")) return give_up();
    in_select_ = false;
    blocks_.leave(element);
  }

  void start_in_svg(HtmlNameKey element) {
    if (leaves_svg(element) || (svg_ > 0 && last() == key("title"))) return give_up();
    if (tag_->self_closing) {
      blocks_.enter(element, hints_of(*tag_));
      return blocks_.leave(element);
    }
    push(element, Kind::svg);
    ++svg_;
  }

  void end_in_svg(HtmlNameKey element) {
    if (last() != element) return give_up();
    leave_last();
    --svg_;
  }

  PageBlocks blocks_;
  std::vector<Open> open_;  // empty: before the body
  std::size_t paragraphs_ = 0, anchors_ = 0, forms_ = 0;
  std::size_t svg_ = 0;  // elements that are open from <svg> on
  std::size_t templates_ = 0;
  bool standards_ = false;
  bool head_is_over_ = false, in_head_noscript_ = false, in_title_ = false, in_select_ = false;
  bool unread_ = false;
  bool gave_up_ = false;
  const HtmlTag* tag_ = nullptr;  // during the call
  std::string scratch_, id_, classes_, role_;
};

}  // namespace

std::optional<std::vector<TextBlock>> read_nested_page(std::string_view utf8_html) {
  NestedReader reader;
  HtmlTokenizer tokenizer{reader, kOptions};
  for (std::size_t at = 0; at < utf8_html.size() && !reader.gave_up(); at += kSlice)
    tokenizer.feed(utf8_html.substr(at, kSlice));
  if (reader.gave_up()) return std::nullopt;
  tokenizer.finish();
  if (reader.gave_up()) return std::nullopt;
  return reader.finish();
}

}  // namespace outrider
