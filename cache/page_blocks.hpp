// The text of a page as blocks: runs of text between elements that begin a new line, each with what is needed to tell
// whether a reader came for it. Fed in the order of the page, from a tree (page_reader) or from mere tags where gumbo
// may not see the page. Neighbour: main_text chooses among the blocks.
#pragma once

#include "base/html_name.hpp"
#include "cache/page_text.hpp"
#include "plugins/api/page_content.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct TextBlock {
  std::string text;
  std::uint32_t words = 0;
  std::uint32_t link_bytes = 0;  // of the text
  std::uint8_t heading = 0;      // 1 to 6; 0: none
  bool in_main = false;          // inside <main> or <article>
  bool set_apart = false;        // inside a form or the header of the page
  bool is_running_text = true;   // not of a list, table, heading or program
};

class PageBlocks {
 public:
  // Of an element's attributes, as far as they say what it is for.
  struct Hints {
    std::string_view id, classes, role;
    bool hidden = false;  // hidden, aria-hidden=true
  };

  PageBlocks();
  void enter(HtmlNameKey element, const Hints& hints);
  void leave(HtmlNameKey element);
  void text(std::string_view utf8);
  bool full() const;  // what follows is not kept
  std::vector<TextBlock> finish();

 private:
  enum class Role : std::uint8_t { skipped, main, apart, list, table, preformatted, link, heading };
  struct Context {
    HtmlNameKey element;
    Role role;
    std::uint32_t nested;  // elements of the same name inside a skipped one
  };
  bool is_open(Role role) const { return open_counts_[static_cast<std::size_t>(role)] > 0; }
  void open(HtmlNameKey element, Role role);
  void end_block();

  std::vector<Context> contexts_;
  std::uint32_t open_counts_[8] = {};
  std::uint8_t heading_ = 0;
  CollapsedText current_;
  std::uint32_t link_bytes_ = 0;
  std::size_t bytes_ = 0;
  std::vector<TextBlock> blocks_;
};

}  // namespace outrider
