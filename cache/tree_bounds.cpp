#include "cache/tree_bounds.hpp"

#include <algorithm>

namespace outrider {
namespace {

// What gumbo does, in nanoseconds (tests/bench/page_bench.cpp measures the shapes that each of them stands for).
constexpr std::uint64_t kPerTextByte = 60;
constexpr std::uint64_t kPerTagByte = 40;
constexpr std::uint64_t kPerTag = 450;
constexpr std::uint64_t kPerLevel = 4;         // of the stack, for each tag
constexpr std::uint64_t kPerLevelSought = 14;  // of the stack, for each end tag whose element is not the last one
constexpr std::uint64_t kPerAttribute = 150;
constexpr std::uint64_t kPerAttributePair = 5;
constexpr std::uint64_t kPerClone = 400;
constexpr std::uint64_t kPerAdoption = 2'000;

using html_names::key;

// The standard's categories (section 13.2.4.2), as far as they decide what stays open.
enum class Category : std::uint8_t {
  ordinary,
  empty,       // has no content: <br>
  formatting,  // <b>: survives the block that it stands in
  block,       // "special"
  boundary,    // special, and no end tag reaches beyond it: <td>
  table_part,  // special: <tr>
};

Category category_of(HtmlNameKey element) {
  switch (element) {
    case key("area"):
    case key("base"):
    case key("basefont"):
    case key("bgsound"):
    case key("br"):
    case key("col"):
    case key("embed"):
    case key("frame"):
    case key("hr"):
    case key("img"):
    case key("image"):
    case key("input"):
    case key("keygen"):
    case key("link"):
    case key("meta"):
    case key("param"):
    case key("source"):
    case key("track"):
    case key("wbr"):
      return Category::empty;
    case key("a"):
    case key("b"):
    case key("big"):
    case key("code"):
    case key("em"):
    case key("font"):
    case key("i"):
    case key("nobr"):
    case key("s"):
    case key("small"):
    case key("strike"):
    case key("strong"):
    case key("tt"):
    case key("u"):
      return Category::formatting;
    case key("applet"):
    case key("caption"):
    case key("html"):
    case key("marquee"):
    case key("object"):
    case key("table"):
    case key("td"):
    case key("template"):
    case key("th"):
      return Category::boundary;
    case key("tbody"):
    case key("tfoot"):
    case key("thead"):
    case key("tr"):
    case key("colgroup"):
      return Category::table_part;
    case key("address"):
    case key("article"):
    case key("aside"):
    case key("blockquote"):
    case key("body"):
    case key("button"):
    case key("center"):
    case key("dd"):
    case key("details"):
    case key("dir"):
    case key("div"):
    case key("dl"):
    case key("dt"):
    case key("fieldset"):
    case key("figcaption"):
    case key("figure"):
    case key("footer"):
    case key("form"):
    case key("frameset"):
    case key("h1"):
    case key("h2"):
    case key("h3"):
    case key("h4"):
    case key("h5"):
    case key("h6"):
    case key("head"):
    case key("header"):
    case key("hgroup"):
    case key("iframe"):
    case key("li"):
    case key("listing"):
    case key("main"):
    case key("menu"):
    case key("nav"):
    case key("noembed"):
    case key("noframes"):
    case key("noscript"):
    case key("ol"):
    case key("p"):
    case key("plaintext"):
    case key("pre"):
    case key("script"):
    case key("section"):
    case key("select"):
    case key("style"):
    case key("summary"):
    case key("textarea"):
    case key("title"):
    case key("ul"):
    case key("xmp"):
      return Category::block;
    default:
      return Category::ordinary;
  }
}

bool is_special(Category category) {
  return category >= Category::block;
}

bool is_heading(HtmlNameKey element) {
  return (element & 0xFF) == 'h' && element >> 16 == 0 && (element >> 8) >= '1' && (element >> 8) <= '6';
}

bool is_cell(HtmlNameKey element) {
  return element == key("td") || element == key("th");
}

}  // namespace

TreeBounds::TreeBounds() {
  open_.reserve(64);
}

void TreeBounds::count(std::size_t bytes, std::uint64_t cost) {
  bytes_ += bytes;
  cost_ += cost;
  if (bytes_ > kBytes || cost_ > kNanoseconds) exceeded_ = true;
}

void TreeBounds::start_tag(const HtmlTag& tag) {
  if (exceeded_) return;
  const std::uint64_t attributes = tag.attributes.size();
  if (tag.truncated || tag.attributes_dropped || attributes > kAttributes) exceeded_ = true;
  count(tag.raw.size(), kPerTag + tag.raw.size() * kPerTagByte + (open_.size() + orphans_.size()) * kPerLevel +
                            attributes * kPerAttribute + attributes * attributes / 2 * kPerAttributePair);
  const Category category = category_of(tag.key);
  if (category == Category::empty) return reopen();
  if (tag.key == key("html") || tag.key == key("head") || tag.key == key("body")) return note_root(attributes);
  if (tag.self_closing && in_foreign()) return;
  close_implied(tag.key);
  // Blocks open where they stand; what is inside a line first reopens what was left open before it.
  if (!is_special(category)) reopen();
  push(tag.key);
}

// There is one of each, opened by the first tag or without any; later tags add their attributes to it.
void TreeBounds::note_root(std::uint64_t attributes) {
  root_attributes_ += attributes;
  cost_ += root_attributes_ * attributes * kPerAttributePair;
  if (root_attributes_ > kAttributes) exceeded_ = true;
}

void TreeBounds::text(std::size_t bytes) {
  if (exceeded_) return;
  count(bytes, bytes * kPerTextByte);
  if (!orphans_.empty()) reopen();
}

void TreeBounds::end_tag(const HtmlTag& tag) {
  if (exceeded_) return;
  const HtmlNameKey element = tag.key;
  count(tag.raw.size(), kPerTag / 2 + tag.raw.size() * kPerTagByte + open_.size() * kPerLevel / 2);
  if (!open_.empty() && open_.back() == element) {  // nearly always
    if (element == key("p")) --paragraphs_;
    if (element == key("a")) --anchors_;
    return open_.pop_back();
  }
  if (category_of(element) == Category::formatting) return end_formatting(element);
  cost_ += open_.size() * kPerLevelSought;
  if (const std::size_t at = find_open(element); at < open_.size()) pop_to(at);
}

std::size_t TreeBounds::find_open(HtmlNameKey element) const {
  const Category category = category_of(element);
  const bool of_table = category == Category::table_part || is_cell(element) || element == key("caption");
  const bool heading = is_heading(element);
  for (std::size_t at = open_.size(); at-- > 0;) {
    if (open_[at] == element || (heading && is_heading(open_[at]))) return at;
    if (of_table || element == key("table")) {
      if (open_[at] == key("table") || open_[at] == key("template")) break;
    } else {
      const Category passed = category_of(open_[at]);
      if (passed == Category::boundary || (category == Category::ordinary && is_special(passed))) break;
    }
  }
  return open_.size();
}

// The adoption agency algorithm (section 13.2.6.4.7), as far as it changes what is open: only the formatting element
// goes, blocks that were opened inside it stay.
void TreeBounds::end_formatting(HtmlNameKey element) {
  cost_ += open_.size() * kPerLevelSought;
  bool block_inside = false;
  for (std::size_t at = open_.size(); at-- > 0;) {
    if (open_[at] == element) {
      if (!block_inside) return pop_to(at);
      cost_ += kPerAdoption + (open_.size() - at) * kPerLevel;
      if (element == key("a")) --anchors_;
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
    const Category passed = category_of(open_[at]);
    if (passed == Category::boundary) break;
    block_inside = block_inside || is_special(passed);
  }
  const auto orphan = std::find(orphans_.rbegin(), orphans_.rend(), element);
  if (orphan != orphans_.rend()) orphans_.erase(std::next(orphan).base());
}

// What a start tag closes although nobody wrote so.
void TreeBounds::close_implied(HtmlNameKey element) {
  switch (element) {
    case key("a"):
      if (anchors_ > 0) end_formatting(element);
      return;
    case key("li"):
      return close_last(element, element);
    case key("dt"):
    case key("dd"):
      return close_last(key("dt"), key("dd"));
    case key("option"):
    case key("optgroup"):
      if (!open_.empty() && open_.back() == element) pop_to(open_.size() - 1);
      return;
    case key("td"):
    case key("th"):
    case key("tr"):
    case key("tbody"):
    case key("thead"):
    case key("tfoot"): {
      std::size_t at = open_.size();
      const bool cell = is_cell(element);
      const bool row = element == key("tr");
      for (std::size_t i = open_.size(); i-- > 0 && open_[i] != key("table") && open_[i] != key("template");) {
        const bool closes = is_cell(open_[i]) || (!cell && open_[i] == key("tr")) ||
                            (!cell && !row && category_of(open_[i]) == Category::table_part);
        if (closes) at = i;
      }
      if (at < open_.size()) pop_to(at);
      return;
    }
    default:
      break;
  }
  if (is_heading(element) && !open_.empty() && is_heading(open_.back())) pop_to(open_.size() - 1);
  if (paragraphs_ == 0 || category_of(element) != Category::block || element == key("button")) return;
  for (std::size_t at = open_.size(); at-- > 0;) {
    if (open_[at] == key("p")) return pop_to(at);
    if (open_[at] == key("button") || category_of(open_[at]) == Category::boundary) return;
  }
}

void TreeBounds::close_last(HtmlNameKey element, HtmlNameKey or_element) {
  for (std::size_t at = open_.size(); at-- > 0;) {
    if (open_[at] == element || open_[at] == or_element) return pop_to(at);
    const bool transparent = open_[at] == key("address") || open_[at] == key("div") || open_[at] == key("p");
    if (!transparent && is_special(category_of(open_[at]))) return;
  }
}

bool TreeBounds::in_foreign() const {
  for (std::size_t at = open_.size(); at-- > 0;) {
    if (open_[at] == key("svg") || open_[at] == key("math")) return true;
    if (category_of(open_[at]) != Category::ordinary) return false;
  }
  return false;
}

void TreeBounds::push(HtmlNameKey element) {
  open_.push_back(element);
  if (element == key("p")) ++paragraphs_;
  if (element == key("a")) ++anchors_;
  deepest_ = std::max(deepest_, open_.size() + orphans_.size());
  if (deepest_ > kDepth) exceeded_ = true;
}

void TreeBounds::pop_to(std::size_t index) {
  const HtmlNameKey target = open_[index];
  // The end of a cell forgets what was left open in it (section 13.2.4.3, markers).
  const Category category = category_of(target);
  const bool forgets = category == Category::boundary || category == Category::table_part;
  for (std::size_t at = open_.size(); at-- > index;) {
    if (open_[at] == key("p")) --paragraphs_;
    if (open_[at] == key("a")) --anchors_;
    if (at > index && !forgets && category_of(open_[at]) == Category::formatting) orphans_.push_back(open_[at]);
  }
  open_.resize(index);
}

void TreeBounds::reopen() {
  if (orphans_.empty()) return;
  cost_ += orphans_.size() * kPerClone;
  const std::vector<HtmlNameKey> reopened = std::move(orphans_);
  orphans_.clear();
  for (const HtmlNameKey element : reopened) push(element);
}

}  // namespace outrider
