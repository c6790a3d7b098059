// Finds where the head and the body of a page begin and end, as the HTML standard does (section 13.2.6.4: tree
// construction), also where their tags are left out. Told every token by proxy/rewriter.
#pragma once

#include "base/html_tokens.hpp"
#include "plugins/api/page_filter.hpp"

#include <array>
#include <cstdint>

namespace outrider {

class PagePlaces {
 public:
  // The places that a token reveals, in order: first those before it, then those behind it.
  struct Found {
    std::array<PagePlace, 4> places{};
    std::uint8_t before = 0, after = 0;
    void add_before(PagePlace place) { places[before++] = place; }
    void add_after(PagePlace place) { places[before + after++] = place; }
  };

  Found start_tag(HtmlNameKey key) { return stage_ == Stage::body && key != kTemplate ? Found{} : on_start(key); }
  Found end_tag(HtmlNameKey key);
  Found text(const HtmlText& text) { return stage_ == Stage::body ? Found{} : on_text(text); }
  // The page is over; `open`: what comes behind the last token would be markup.
  Found end(bool open);
  bool in_body() const { return stage_ >= Stage::body; }

 private:
  static constexpr HtmlNameKey kTemplate = html_name_key("template");
  enum class Stage : std::uint8_t { before_head, head, after_head, body, closed };

  Found on_start(HtmlNameKey key);
  Found on_text(const HtmlText& text);
  void begin_head(Found& found);
  void leave_head(Found& found);
  void begin_body(Found& found);

  Stage stage_ = Stage::before_head;
  std::uint32_t templates_ = 0;  // open ones: what is inside them has no place in the page
  // The text that the page begins with ends here. If it begins with a byte order mark and goes on with words, its body
  // begins before the mark, which must stay first: such a page has no places.
  std::size_t lead_ = 0;
  std::size_t mark_ = 0;  // so many bytes of the mark are there
};

}  // namespace outrider
