// Collects the links of a page from its tags, as page_scan hands them over. Targets are kept as they are written and
// resolved when the page is over, because a <base> counts for the links before it, too (document.links of a browser
// shows that). Neighbours: page_scan (calls), link_rel (rel tokens), page_head (what the head says).
#pragma once

#include "base/html_tokens.hpp"
#include "base/url.hpp"
#include "cache/link_rel.hpp"
#include "cache/page_text.hpp"
#include "plugins/api/link.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class PageLinks {
 public:
  // Without `texts` neither the texts of links nor `Link::target` are made: where they lead is in Resolved::urls.
  explicit PageLinks(bool texts = true);

  void start_tag(const HtmlTag& tag);
  void end_tag(HtmlNameKey key);
  void text(const HtmlText& text);
  void add_refresh(std::string_view target) { add(LinkKind::meta_refresh, target); }  // from page_head

  struct Resolved {
    std::vector<Link> links;
    std::vector<Url> urls;  // of each link, without texts
    Url base;               // what relative URLs of this page refer to
    std::string image;      // <link rel=image_src>
    std::string favicon;
    std::string canonical;
  };
  Resolved finish(const Url& page, std::string_view query_charset);

 private:
  // Index into links_; nothing: too much was collected, or the target is too long.
  std::optional<std::size_t> add(LinkKind kind, std::string_view target);
  std::string_view value(const HtmlTag& tag, std::string_view name);
  void anchor(const HtmlTag& tag);
  void area(const HtmlTag& tag);
  void form(const HtmlTag& tag);
  void frame(const HtmlTag& tag, LinkKind kind);
  void link_element(const HtmlTag& tag);
  void base_element(const HtmlTag& tag);
  void image(const HtmlTag& tag);
  void embedded(const HtmlTag& tag, std::string_view attribute);
  void object_in_svg(const HtmlTag& tag);
  void set_rel(Link& link, const LinkRel& rel);
  void set_text(Link& link, std::string_view text);
  void close_anchor();

  struct Draft {
    std::size_t target_begin, target_size;  // in targets_
    bool has_target_attribute;              // <base target> does not count
    bool is_favicon, is_image;
  };
  const bool texts_;
  std::vector<Link> links_;    // `target` is empty until the end
  std::vector<Draft> drafts_;  // of each link
  std::string targets_;        // as they are written, one after the other
  std::size_t bytes_ = 0;

  CollapsedText anchor_text_;
  std::string anchor_label_;  // aria-label or title: what counts where there is no text
  std::optional<std::size_t> open_anchor_;
  bool in_anchor_ = false;

  std::optional<std::string> base_;
  bool base_seen_target_ = false;
  bool base_opens_window_ = false;
  unsigned navigation_ = 0;  // open <nav>, <header>, <footer>, <aside>
  unsigned svg_ = 0;
  bool has_frameset_ = false;
  std::string scratch_;
};

}  // namespace outrider
