#include "cache/page_scan.hpp"

#include "base/html_tokenizer.hpp"
#include "cache/page_head.hpp"
#include "cache/page_links.hpp"
#include "cache/tree_bounds.hpp"

#include <utility>

namespace outrider {
namespace {

// What the memory reads is the page that comes over the wire: nobody runs its scripts, so <noscript> is markup.
constexpr HtmlOptions kOptions{.limits = {}, .scripting = false};

}  // namespace

struct PageScanner::State final : HtmlHandler {
  State(const Url& url, std::string_view charset, ScanFor what)
      : page(url),
        query_charset(charset),
        only_links(what == ScanFor::links),
        links(!only_links),
        tokenizer(*this, kOptions) {}

  void on_start_tag(const HtmlTag& tag) override {
    if (!only_links) bounds.start_tag(tag);
    if (tag.key == html_name_key("template")) ++templates;
    if (templates > 0) return;  // its content is not part of the page
    links.start_tag(tag);
    head.start_tag(tag);
    if (tag.key != html_name_key("meta")) return;
    if (const auto refresh = head.take_refresh()) links.add_refresh(*refresh);
  }
  void on_end_tag(const HtmlTag& tag) override {
    if (!only_links) bounds.end_tag(tag);
    if (templates > 0) {
      if (tag.key == html_name_key("template")) --templates;
      return;
    }
    links.end_tag(tag.key);
    head.end_tag(tag.key);
  }
  void on_text(const HtmlText& text) override {
    if (only_links) return;
    bounds.text(text.raw.size());
    if (templates > 0) return;
    links.text(text);
    head.text(text);
  }
  void on_comment(const HtmlComment& comment) override { bounds.text(comment.raw.size()); }

  const Url page;
  const std::string query_charset;
  const bool only_links;
  TreeBounds bounds;
  PageLinks links;
  PageHead head;
  unsigned templates = 0;
  HtmlTokenizer tokenizer;
};

PageScanner::PageScanner(const Url& page, std::string_view query_charset, ScanFor what)
    : state_(std::make_unique<State>(page, query_charset, what)) {}

PageScanner::~PageScanner() = default;

void PageScanner::feed(std::string_view utf8) {
  state_->tokenizer.feed(utf8);
}

PageScan PageScanner::finish() {
  State& state = *state_;
  state.tokenizer.finish();
  PageScan scan;
  PageLinks::Resolved resolved = state.links.finish(state.page, state.query_charset);
  scan.links = std::move(resolved.links);
  scan.urls = std::move(resolved.urls);
  state.head.finish(scan.page, resolved.base, state.query_charset);
  scan.page.canonical = std::move(resolved.canonical);
  scan.page.favicon = std::move(resolved.favicon);
  if (scan.page.image.empty()) scan.page.image = std::move(resolved.image);
  scan.too_much_for_tree = state.bounds.exceeded();
  return scan;
}

PageScan scan_page(std::string_view utf8, const Url& page, std::string_view query_charset, ScanFor what) {
  PageScanner scanner{page, query_charset, what};
  scanner.feed(utf8);
  return scanner.finish();
}

}  // namespace outrider
