// What the full-text index is told about one page. The index keeps words, numbers, address and title of it; the text
// itself stays where it is (the graph) and is asked for when a snippet is made.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace outrider {

// What one person did with a page: nobody else is shown it, or ranked by it.
struct SearchVisits {
  std::string user;
  std::uint32_t count = 0;
  WallTime last{};
};

struct SearchDocument {
  std::string id;  // opaque key of the page: a document with the same id replaces the one before
  std::string url;
  std::string owner;      // "" = open; else whose it is
  bool personal = false;  // with an empty owner: the one person's, where nobody logs in
  std::string title;
  std::vector<std::string> headings;
  std::string text;                       // UTF-8, paragraphs separated by "\n"
  std::vector<std::string> anchor_texts;  // of links that lead here
  std::string language, mime;             // "de", "zh-Hant"; "text/html"
  WallTime fetched{};
  std::uint32_t in_degree = 0;
  std::vector<SearchVisits> visits;            // of those who may see it
  std::uint64_t simhash = 0, fingerprint = 0;  // 0 = not known
  std::vector<std::string> link_targets;       // absolute URLs, for link:

  bool is_open() const { return owner.empty() && !personal; }
};

}  // namespace outrider
