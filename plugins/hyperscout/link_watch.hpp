// Notes the links of a page while it passes, until there are enough of them to choose from: the robot can be on its way
// before the page has arrived. Told the page's tokens by page_injection, on the thread that the page passes by: it
// keeps what is written and leaves reading it to others.
#pragma once

#include "base/html_tokens.hpp"
#include "plugins/api/link.hpp"

#include <functional>
#include <string>
#include <vector>

namespace outrider::hyperscout {

// Targets are as the page writes them.
struct SeenLinks {
  std::string base;  // of <base>; "" = the page itself
  std::vector<Link> links;
};

class LinkWatch {
 public:
  static constexpr std::uint64_t kMostBytes = 256 * 1024;  // of the page that are looked at
  static constexpr std::size_t kMostLinks = 300;

  using Tell = std::function<void(SeenLinks)>;
  // `tell` is called once, with `enough` links of the text or what there is by then; or never: there are none, the page
  // asks robots not to follow its links, or it is not written in UTF-8, so that words and addresses have to wait for
  // somebody who can read them.
  LinkWatch(std::size_t enough, Tell tell) : enough_(enough), tell_(std::move(tell)) {}

  void start_tag(const HtmlTag& tag);
  void end_tag(const HtmlTag& tag);
  void text(const HtmlText& text);
  void end();
  bool is_over() const { return over_; }

 private:
  void anchor(const HtmlTag& tag, LinkKind kind);
  void close_anchor();
  void meta(const HtmlTag& tag);
  std::string_view value(const HtmlTag& tag, std::string_view name);
  void conclude();
  bool is_too_far(const HtmlToken& token);

  const std::size_t enough_;
  const Tell tell_;
  SeenLinks seen_;
  Link open_;               // the anchor that the text belongs to …
  bool in_anchor_ = false;  // … if there is one
  std::uint64_t text_end_ = 0;
  std::size_t navigation_ = 0;  // open elements
  std::size_t good_ = 0;        // links of the text
  bool has_base_ = false;
  bool over_ = false;
  std::string scratch_;
};

}  // namespace outrider::hyperscout
