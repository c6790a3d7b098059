// The passage of a page that answers a query, with the words that were asked for.
#pragma once

#include <xapian.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace outrider {

struct Snippet {
  std::string text;                                                 // plain, one line
  std::vector<std::pair<std::uint32_t, std::uint32_t>> highlights;  // begin and end in bytes, in order, apart
};

// `matches` is the result of the query whose words are wanted; `stem_language` that of the page.
Snippet make_snippet(const Xapian::MSet& matches, const std::string& text, const std::string& stem_language);

// The marked text of Xapian::MSet::snippet() as plain text with ranges.
Snippet unmark(std::string_view marked);

}  // namespace outrider
