#include "cache/page_blocks.hpp"

#include "cache/page_limits.hpp"
#include "cache/text_statistics.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace outrider {
namespace {

constexpr std::size_t kContexts = 64;  // deeper ones are text like that around them
constexpr std::size_t kBlocks = 20'000;

using html_names::key;

// Elements whose content nobody reads, or that are made to lead elsewhere.
bool is_skipped(HtmlNameKey element) {
  switch (element) {
    case key("nav"):
    case key("footer"):
    case key("aside"):
    case key("script"):
    case key("style"):
    case key("template"):
    case key("title"):
    case key("select"):
    case key("textarea"):
    case key("button"):
    case key("svg"):
    case key("math"):
    case key("object"):
    case key("iframe"):
    case key("noframes"):
    case key("datalist"):
    case key("dialog"):
      return true;
    default:
      return false;
  }
}

// Elements without content: nothing leaves them again.
bool is_empty(HtmlNameKey element) {
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
    case key("image"):
    case key("img"):
    case key("input"):
    case key("keygen"):
    case key("link"):
    case key("meta"):
    case key("param"):
    case key("source"):
    case key("track"):
    case key("wbr"):
      return true;
    default:
      return false;
  }
}

// Elements inside a line of text.
bool is_inline(HtmlNameKey element) {
  switch (element) {
    case key("a"):
    case key("abbr"):
    case key("acronym"):
    case key("b"):
    case key("bdi"):
    case key("bdo"):
    case key("big"):
    case key("cite"):
    case key("code"):
    case key("data"):
    case key("del"):
    case key("dfn"):
    case key("em"):
    case key("font"):
    case key("i"):
    case key("img"):
    case key("ins"):
    case key("kbd"):
    case key("label"):
    case key("mark"):
    case key("q"):
    case key("ruby"):
    case key("rb"):
    case key("rp"):
    case key("rt"):
    case key("s"):
    case key("samp"):
    case key("small"):
    case key("span"):
    case key("strike"):
    case key("strong"):
    case key("sub"):
    case key("sup"):
    case key("time"):
    case key("tt"):
    case key("u"):
    case key("var"):
    case key("wbr"):
      return true;
    default:
      return false;
  }
}

bool is_skipped_role(std::string_view role) {
  for (const std::string_view name : {"navigation", "banner", "contentinfo", "complementary", "search", "menu",
                                      "menubar", "dialog", "toolbar", "tablist"}) {
    if (same_html_name(role, name)) return true;
  }
  return false;
}

// Words in id and class that say what an element is for, on sites that have no elements for it.
bool is_skipped_name(std::string_view names) {
  constexpr std::array<std::string_view, 17> kNames{
      "nav",           "navbar", "navigation",    "navheader",   "navfooter", "menu",
      "sidebar",       "footer", "breadcrumb",    "breadcrumbs", "toc",       "table-of-contents",
      "sphinxsidebar", "cookie", "cookie-banner", "related",     "pagination"};
  while (!names.empty()) {
    std::size_t end = 0;
    while (end < names.size() && !is_html_space(names[end])) ++end;
    const std::string_view word = names.substr(0, end);
    for (const std::string_view name : kNames)
      if (same_html_name(word, name)) return true;
    names.remove_prefix(std::min(names.size(), end + 1));
  }
  return false;
}

// Only boxes are judged by their names: <body class=nav> or <p class=related> would lose too much.
bool is_box(HtmlNameKey element) {
  return element == key("div") || element == key("section") || element == key("ul") || element == key("table") ||
         element == key("td") || element == key("header");
}

std::uint8_t heading_level(HtmlNameKey element) {
  const bool is_heading = (element & 0xFF) == 'h' && element >> 16 == 0 && element >> 8 >= '1' && element >> 8 <= '6';
  return is_heading ? static_cast<std::uint8_t>((element >> 8) - '0') : 0;
}

}  // namespace

PageBlocks::PageBlocks() : current_(page_limits::kText) {}

void PageBlocks::open(HtmlNameKey element, Role role) {
  if (contexts_.size() >= kContexts) return;
  contexts_.push_back({.element = element, .role = role, .nested = 0});
  ++open_counts_[static_cast<std::size_t>(role)];
}

void PageBlocks::enter(HtmlNameKey element, const Hints& hints) {
  if (is_open(Role::skipped)) {
    if (!contexts_.empty() && contexts_.back().element == element) ++contexts_.back().nested;
    return;
  }
  if (element == key("br")) return current_.add_space();
  if (!is_inline(element)) end_block();
  if (is_empty(element)) return;
  const bool skipped = is_skipped(element) || hints.hidden || (!hints.role.empty() && is_skipped_role(hints.role)) ||
                       (is_box(element) && (is_skipped_name(hints.id) || is_skipped_name(hints.classes)));
  if (skipped) return open(element, Role::skipped);
  if (const std::uint8_t level = heading_level(element); level > 0) {
    heading_ = level;
    return open(element, Role::heading);
  }
  const bool is_main = element == key("main") || element == key("article") || same_html_name(hints.role, "main");
  if (is_main) return open(element, Role::main);
  switch (element) {
    case key("header"):
      // Of the page it is navigation, of an article its title.
      return is_open(Role::main) ? void() : open(element, Role::apart);
    case key("form"):
      return open(element, Role::apart);
    case key("ul"):
    case key("ol"):
    case key("dl"):
    case key("menu"):
      return open(element, Role::list);
    case key("table"):
      return open(element, Role::table);
    case key("pre"):
    case key("listing"):
    case key("xmp"):
      return open(element, Role::preformatted);
    case key("a"):
      return open(element, Role::link);
    default:
      return;
  }
}

void PageBlocks::leave(HtmlNameKey element) {
  if (is_open(Role::skipped)) {
    Context& skipped = contexts_.back();
    if (skipped.element != element) return;
    if (skipped.nested > 0) {
      --skipped.nested;
      return;
    }
  } else if (!is_inline(element) && element != key("br")) {
    end_block();
  }
  const auto found = std::find_if(contexts_.rbegin(), contexts_.rend(),
                                  [element](const Context& context) { return context.element == element; });
  if (found == contexts_.rend()) return;
  const auto index = static_cast<std::size_t>(contexts_.rend() - found) - 1;
  // A link ends where it is written; everything else takes along what was opened inside it.
  while (contexts_.size() > index) {
    --open_counts_[static_cast<std::size_t>(contexts_.back().role)];
    contexts_.pop_back();
  }
  if (!is_open(Role::heading)) heading_ = 0;
}

bool PageBlocks::full() const {
  return bytes_ >= page_limits::kText || blocks_.size() >= kBlocks;
}

void PageBlocks::text(std::string_view utf8) {
  if (is_open(Role::skipped) || full()) return;
  const std::size_t before = current_.text().size();
  current_.add(utf8);
  if (is_open(Role::link)) link_bytes_ += static_cast<std::uint32_t>(current_.text().size() - before);
}

void PageBlocks::end_block() {
  if (current_.empty()) {
    current_.clear();
    return;
  }
  TextBlock block;
  block.text = current_.take();
  block.words = count_words(block.text);
  block.link_bytes = std::exchange(link_bytes_, 0);
  block.heading = heading_;
  block.in_main = is_open(Role::main);
  block.set_apart = is_open(Role::apart);
  block.is_running_text =
      !is_open(Role::list) && !is_open(Role::table) && !is_open(Role::preformatted) && block.heading == 0;
  bytes_ += block.text.size();
  blocks_.push_back(std::move(block));
}

std::vector<TextBlock> PageBlocks::finish() {
  end_block();
  return std::move(blocks_);
}

}  // namespace outrider
