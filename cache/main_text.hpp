// What of a page a reader came for. Blocks (page_blocks) that are mostly links, or short and alone among such, are
// navigation; sentences are text, and so is what stands close to them. docs/decisions/0056-main-text.md.
#pragma once

#include "cache/page_blocks.hpp"

#include <string>
#include <vector>

namespace outrider {

struct MainText {
  std::string text;          // paragraphs separated by "\n"
  std::string running_text;  // the part of it that is sentences: what a language is told from
  std::vector<Heading> headings;
  std::uint32_t words = 0;  // of `text`
};

MainText choose_main_text(const std::vector<TextBlock>& blocks);

}  // namespace outrider
